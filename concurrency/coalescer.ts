/**
 * Function that decides when the coalescer passes on the collected values. The function must call `flush` at that time.
 */
export type FlushSchedule = (flush: () => void) => void;

/**
 * Collects distinct values and passes them on together.
 * @param schedule called when the first value after a flush is added; decides when the next flush runs
 * @returns a function that adds a value
 */
export function createCoalescer<T>(schedule: FlushSchedule, handOn: (values: T[]) => void): (value: T) => void {
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

/**
 * Creates a schedule that flushes at most once per `intervalMs` milliseconds. If the last flush is longer ago than
 * that, the next flush runs immediately.
 */
export function createThrottledSchedule(intervalMs: number): FlushSchedule {
  let next = 0;
  return (flush) => {
    const now = performance.now();
    const wait = next - now;
    next = Math.max(now, next) + intervalMs;
    if (wait <= 0) queueMicrotask(flush);
    else setTimeout(flush, wait).unref();
  };
}
