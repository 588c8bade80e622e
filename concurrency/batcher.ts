/**
 * Gathers items and runs them together: one run at a time, and what comes during a run shares the next.
 * @returns the way to add an item, which resolves or rejects as the run that took it
 */
export function createBatcher<T>(run: (items: readonly T[]) => Promise<void>): (item: T) => Promise<void> {
  let pending: T[] = [];
  let running = Promise.resolve();
  let next: Promise<void> | undefined;
  const runPending = () => {
    const items = pending;
    pending = [];
    next = undefined;
    running = run(items);
    return running;
  };
  return (item) => {
    pending.push(item);
    next ??= running.then(runPending, runPending);
    return next;
  };
}
