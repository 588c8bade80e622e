import { loadavg } from "node:os";
import { middle } from "../support/figures.ts";
import type { Timings } from "./timings.ts";

/** A server's memory, and how long it took to answer, in one minute. */
export interface Sample {
  minute: number;
  rssMB: number;
  heapMB: number;
  heapTotalMB: number;
  externalMB: number;
  cachesMB: number;
  /** The median of all requests of the minute that were answered. */
  p50: number;
  p95: number;
  /** Seconds of CPU that the server took in it. */
  cpu: number;
  /** The number of processes of the machine that wanted a core: a cause of late answers besides the server. */
  machineLoad: number;
}

/** Caches fill and code is compiled until then. */
const WARM_MINUTES = 10;
/** The greatest change since warming up that counts as flat. */
const FLAT = { memory: 0.1, p95: 0.25 };

let cpuBefore = 0;

/** The process' memory by its own metrics, and what was measured of it since the last sample. */
export async function sample(url: string, minute: number, timings: Timings): Promise<Sample> {
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

/** Compares the middles of the first and the last third of the time after warming up, and says how far any minute was off. */
export function verdict(samples: readonly Sample[]) {
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
  const [first, last] = [middle(values.slice(0, third)), middle(values.slice(-third))];
  return { first, last, least: Math.min(...values), most: Math.max(...values), flat: last <= first * (1 + share) };
}
