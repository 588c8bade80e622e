import { setImmediate as turn } from "node:timers/promises";

/** Maximum time in milliseconds that a slice may block the event loop. */
const SLICE_MS = 1;

/**
 * Generator that does long work in slices. The generator yields regularly. If the work needs the result of a promise,
 * the generator yields the promise.
 */
export type SlicedWork<T> = Generator<unknown, T, void>;

/**
 * Runs a generator of long work. After each `SLICE_MS`, the process may do other work before the generator continues.
 */
export async function runInSlices<T>(work: SlicedWork<T>): Promise<T> {
  for (let until = performance.now() + SLICE_MS; ; ) {
    const { done, value } = work.next();
    if (done) return value;
    if (value instanceof Promise) await value;
    if (performance.now() < until) continue;
    await turn();
    until = performance.now() + SLICE_MS;
  }
}

/** Returns a value that may be a promise. Waits for the promise within a generator that `runInSlices` runs. */
export function* waitForValue<T>(value: T | Promise<T>): SlicedWork<T> {
  if (!(value instanceof Promise)) return value;
  let arrived: { value: T } | undefined;
  yield value.then((own) => {
    arrived = { value: own };
  });
  if (!arrived) throw new Error("work in slices was resumed before what it waits for");
  return arrived.value;
}

/**
 * Creates a queue for long work. The queue runs one job at a time, and starts each job in its own turn of the event
 * loop.
 */
export function createJobQueue(): (work: () => Promise<void>) => void {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    last = last.then(() => turn()).then(work);
  };
}
