import { loadavg } from "node:os";
import { computeMedian } from "../support/figures.ts";
import type { Timings } from "./timings.ts";

/** A server's memory and response times in one minute. */
export interface Sample {
  minute: number;
  rssMB: number;
  heapMB: number;
  heapTotalMB: number;
  externalMB: number;
  cachesMB: number;
  /** The median over all requests answered in the minute, in ms. */
  p50: number;
  p95: number;
  /** Seconds of CPU that the server used in the minute. */
  cpu: number;
  /** The number of processes on the machine that wanted a core: another cause of slow responses besides the server. */
  machineLoad: number;
}

/** Minutes until caches are full and code is compiled. */
const WARM_MINUTES = 10;
/** Maximum change since warming up that counts as flat. */
const FLAT = { memory: 0.1, p95: 0.25 };

let cpuBefore = 0;

/** Reads the process's memory from its metrics, and the response times since the last sample. */
export async function takeSample(url: string, minute: number, timings: Timings): Promise<Sample> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const sum = (name: string) =>
    [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "gm"))].reduce(
      (total, match) => total + Number(match[1]),
      0,
    );
  const megabytes = (name: string) => Math.round(sum(name) / 104_857.6) / 10;
  const cpu = sum("process_cpu_seconds_total");
  const taken = cpu - cpuBefore;
  cpuBefore = cpu;
  return {
    minute,
    rssMB: megabytes("process_resident_memory_bytes"),
    heapMB: megabytes("nodejs_heap_size_used_bytes"),
    heapTotalMB: megabytes("nodejs_heap_size_total_bytes"),
    externalMB: megabytes("nodejs_external_memory_bytes"),
    cachesMB: megabytes("cache_bytes"),
    ...timings.take(),
    cpu: Math.round(taken * 10) / 10,
    machineLoad: Math.round((loadavg()[0] ?? 0) * 10) / 10,
  };
}

/**
 * Compares the medians of the first and the last third of the time after warming up, and reports the largest
 * deviation of a minute.
 */
export function judgeSamples(samples: readonly Sample[]) {
  const after = samples.filter(({ minute }) => minute >= WARM_MINUTES);
  if (after.length < 3) return { flat: "too short to say" };
  const memory = compared(
    after.map(({ rssMB }) => rssMB),
    FLAT.memory,
  );
  const p95 = compared(
    after.map((each) => each.p95),
    FLAT.p95,
  );
  return { memory, p95, flat: memory.flat && p95.flat };
}

function compared(values: readonly number[], share: number) {
  const third = Math.ceil(values.length / 3);
  const [first, last] = [computeMedian(values.slice(0, third)), computeMedian(values.slice(-third))];
  return { first, last, least: Math.min(...values), most: Math.max(...values), flat: last <= first * (1 + share) };
}
