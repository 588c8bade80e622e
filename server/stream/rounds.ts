/** Runs `round` again `milliseconds` after the last one was done. Returns the way to stop. `round` never rejects. */
export function everyNowAndThen(milliseconds: number, round: () => Promise<unknown>): () => void {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const next = () => {
    if (stopped) return;
    timer = setTimeout(() => void round().then(next), milliseconds).unref();
  };
  next();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
