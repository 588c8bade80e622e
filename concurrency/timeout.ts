/**
 * Calls `act` after the given number of milliseconds, unless the caller cancels the timeout first. After a busy or
 * frozen period, Node.js runs timers before the process reads arrived data. `act` therefore runs one turn of the event
 * loop later, when the data has been read.
 * @returns a function that cancels the timeout
 */
export function startTimeout(milliseconds: number, act: () => void): () => void {
  let immediate: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    immediate = setImmediate(act);
  }, milliseconds);
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
}
