import { setImmediate as turn } from "node:timers/promises";

/** So long a slice may keep the event loop, ms. */
const SLICE_MS = 1;

/** Work that yields now and then, and yields what it has to wait for. */
export type Slices<T> = Generator<unknown, T, void>;

/** Runs work that yields now and then, and lets the process do other things in between where it takes long. */
export async function inSlices<T>(work: Slices<T>): Promise<T> {
  for (let until = performance.now() + SLICE_MS; ; ) {
    const { done, value } = work.next();
    if (done) return value;
    if (value instanceof Promise) await value;
    if (performance.now() < until) continue;
    await turn();
    until = performance.now() + SLICE_MS;
  }
}

/** Waits inside of work in slices for what may have to be waited for. */
export function* whole<T>(value: T | Promise<T>): Slices<T> {
  if (!(value instanceof Promise)) return value;
  let arrived: { value: T } | undefined;
  yield value.then((own) => {
    arrived = { value: own };
  });
  if (!arrived) throw new Error("work in slices was resumed before what it waits for");
  return arrived.value;
}

/** Makes a queue for work that takes long: one runs at a time, each begins in a turn of the event loop of its own. */
export function oneAtATime(): (work: () => Promise<void>) => void {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    last = last.then(() => turn()).then(work);
  };
}
