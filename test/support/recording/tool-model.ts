import { BAND_EDGES, bucketOf, middleOf } from "../../../server/resources/recorded/analytics/buckets.ts";
import { partsOf, rangeOf } from "../../../server/resources/recorded/analytics/range.ts";

/** A tool call as a model keeps it. */
export interface Call {
  tool: string;
  success: boolean;
  latency: number | null;
  session: string;
  at: number;
}

/** The percentile that the calls with a latency stayed within, as its bucket shows it. */
function percentile(calls: readonly Call[], part: number): number | null {
  const sorted = calls.flatMap(({ latency }) => (latency === null ? [] : [latency])).sort((a, b) => a - b);
  const found = sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)];
  return found === undefined ? null : middleOf(bucketOf(found));
}

const failed = (calls: readonly Call[]) => calls.filter(({ success }) => !success);
const within = (calls: readonly Call[], from: number, to: number) => calls.filter(({ at }) => at >= from && at < to);

/** The calls in each part of a range. */
function courses(calls: readonly Call[], from: number, to: number, wanted: number): { at: number; calls: Call[] }[] {
  const parts = partsOf(
    rangeOf({ from: new Date(from).toISOString(), to: new Date(to).toISOString() }, new Date(to), 92),
    wanted,
  );
  return parts.map((at, n) => ({ at, calls: within(calls, at, parts[n + 1] ?? to) }));
}

/** The answer that recordedToolStats must give, from a recount. */
export function statsOf(calls: readonly Call[], from: number, to: number) {
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

const bandsOf = (calls: readonly Call[]) =>
  Array.from({ length: 12 }, (_, band) => {
    const isIn = ({ latency }: Call) =>
      latency !== null && BAND_EDGES.filter((edge) => latency >= edge).length === band;
    return calls.filter(isIn).length;
  });

/** The answer that recordedTool must give, from a recount. */
export function toolOf(calls: readonly Call[], name: string, [from, to, buckets]: [number, number, number]) {
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
