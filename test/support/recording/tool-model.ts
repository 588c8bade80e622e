import {
  bucketMiddle,
  LATENCY_BAND_EDGES_MS,
  latencyBucket,
} from "../../../server/resources/recorded/analytics/buckets.ts";
import { readRange, splitRange } from "../../../server/resources/recorded/analytics/range.ts";

/** Tool call in the model. */
export interface ModelCall {
  tool: string;
  success: boolean;
  latency: number | null;
  session: string;
  at: number;
}

/** Returns the latency bucket that contains a percentile of the calls with a latency. */
function percentile(calls: readonly ModelCall[], part: number): number | null {
  const sorted = calls.flatMap(({ latency }) => (latency === null ? [] : [latency])).sort((a, b) => a - b);
  const found = sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)];
  return found === undefined ? null : bucketMiddle(latencyBucket(found));
}

const failed = (calls: readonly ModelCall[]) => calls.filter(({ success }) => !success);
const within = (calls: readonly ModelCall[], from: number, to: number) =>
  calls.filter(({ at }) => at >= from && at < to);

/** Splits a range into parts and returns the calls in each part. */
function courses(
  calls: readonly ModelCall[],
  from: number,
  to: number,
  wanted: number,
): { at: number; calls: ModelCall[] }[] {
  const parts = splitRange(
    readRange({ from: new Date(from).toISOString(), to: new Date(to).toISOString() }, new Date(to), 92),
    wanted,
  );
  return parts.map((at, n) => ({ at, calls: within(calls, at, parts[n + 1] ?? to) }));
}

/** Computes the expected result of recordedToolStats from the calls. */
export function expectedToolStats(calls: readonly ModelCall[], from: number, to: number) {
  const all = within(calls, from, to);
  const names = [...new Set(all.map(({ tool }) => tool))];
  const rows = names.map((name) => {
    const own = all.filter(({ tool }) => tool === name);
    const parts = courses(own, from, to, 24);
    return {
      name,
      calls: own.length,
      failures: failed(own).length,
      p50: percentile(own, 0.5),
      p95: percentile(own, 0.95),
      p99: percentile(own, 0.99),
      trend: parts.map((part) => part.calls.length),
      failureTrend: parts.map((part) => failed(part.calls).length),
    };
  });
  return rows.sort((a, b) => b.calls - a.calls || (a.name < b.name ? -1 : 1));
}

const bandsOf = (calls: readonly ModelCall[]) =>
  Array.from({ length: 12 }, (_, band) => {
    const isIn = ({ latency }: ModelCall) =>
      latency !== null && LATENCY_BAND_EDGES_MS.filter((edge) => latency >= edge).length === band;
    return calls.filter(isIn).length;
  });

/** Computes the expected result of recordedTool from the calls. */
export function expectedTool(calls: readonly ModelCall[], name: string, [from, to, buckets]: [number, number, number]) {
  const own = within(calls, from, to).filter(({ tool }) => tool === name);
  return {
    calls: own.length,
    failures: failed(own).length,
    sessions: new Set(own.map(({ session }) => session)).size,
    p50: percentile(own, 0.5),
    p95: percentile(own, 0.95),
    p99: percentile(own, 0.99),
    bandCalls: bandsOf(own),
    bandFailures: bandsOf(failed(own)),
    buckets: courses(own, from, to, buckets).map((part) => ({
      at: new Date(part.at).toISOString(),
      calls: part.calls.length,
      failures: failed(part.calls).length,
      p50: percentile(part.calls, 0.5),
      p95: percentile(part.calls, 0.95),
      bands: bandsOf(part.calls),
    })),
  };
}
