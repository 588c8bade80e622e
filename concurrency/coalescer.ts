/** Decides when the coalescer passes on the collected values: calls `flush` at that time. */
export type Schedule = (flush: () => void) => void;

/**
 * Collects distinct values and passes them on together.
 * @param schedule called with the first value after a flush
 * @returns a function that adds a value
 */
export function createCoalescer<T>(schedule: Schedule, handOn: (values: T[]) => void): (value: T) => void {
  const pending = new Set<T>();
  const flush = () => {
    const values = [...pending];
    pending.clear();
    handOn(values);
  };
  return (value) => {
    if (pending.size === 0) schedule(flush);
    pending.add(value);
  };
}

/** Flushes immediately after a pause, and at most once per `intervalMs` milliseconds. */
export function throttle(intervalMs: number): Schedule {
  let next = 0;
  return (flush) => {
    const now = performance.now();
    const wait = next - now;
    next = Math.max(now, next) + intervalMs;
    if (wait <= 0) queueMicrotask(flush);
    else setTimeout(flush, wait).unref();
  };
}
