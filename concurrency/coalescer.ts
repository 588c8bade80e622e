/** Says when what has been collected is handed on. */
export type Schedule = (flush: () => void) => void;

/**
 * Collects values and hands them on together, each once.
 * @param schedule called with the first value after a flush
 * @returns the way to add a value
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

/** At once after a pause, and no more often than every so many milliseconds. */
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
