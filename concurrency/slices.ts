import { setImmediate as turn } from "node:timers/promises";

/** So long a slice may keep the event loop, ms. */
const SLICE_MS = 1;

/** Runs work that yields now and then, and lets the process do other things in between where it takes long. */
export async function inSlices<T>(work: Generator<void, T>): Promise<T> {
  for (let until = performance.now() + SLICE_MS; ; ) {
    const { done, value } = work.next();
    if (done) return value;
    if (performance.now() < until) continue;
    await turn();
    until = performance.now() + SLICE_MS;
  }
}

/** Makes a queue for work that takes long: one runs at a time, each begins in a turn of the event loop of its own. */
export function oneAtATime(): (work: () => Promise<void>) => void {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    last = last.then(() => turn()).then(work);
  };
}
