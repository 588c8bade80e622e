/** The durations of requests since the last `take`. */
export interface Timings {
  add(ms: number): void;
  /** The percentiles of durations added since the last call, in ms. */
  take(): { p50: number; p95: number };
}

export function newTimings(): Timings {
  let all: number[] = [];
  return {
    add: (ms) => void all.push(ms),
    take() {
      const sorted = all.toSorted((a, b) => a - b);
      all = [];
      const at = (share: number) => Math.round((sorted[Math.floor(sorted.length * share)] ?? 0) * 100) / 100;
      return { p50: at(0.5), p95: at(0.95) };
    },
  };
}
