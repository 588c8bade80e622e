/**
 * Calls `act` when so many milliseconds are over, unless told not to. A process that was busy or frozen runs its timers
 * before it reads what arrived meanwhile, so it gets one turn to read first.
 * @returns the way to tell it
 */
export function after(milliseconds: number, act: () => void): () => void {
  let turn: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    turn = setImmediate(act);
  }, milliseconds);
  return () => {
    clearTimeout(timer);
    clearImmediate(turn);
  };
}
