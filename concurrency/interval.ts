/**
 * Runs `work` repeatedly, each time `milliseconds` after the last run ended. Returns a function that stops the runs.
 * `work` must never reject.
 */
export function startInterval(milliseconds: number, work: () => Promise<unknown>): () => void {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const next = () => {
    if (stopped) return;
    timer = setTimeout(() => void work().then(next), milliseconds).unref();
  };
  next();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
