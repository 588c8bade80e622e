/**
 * Calls `act` after so many milliseconds, unless cancelled before. A process that was busy or frozen runs its timers
 * before it reads what arrived meanwhile, so it first gets one turn of the event loop to read.
 * @returns the way to cancel
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
