/** Runs `work` again `milliseconds` after it was last done. Returns the way to stop. `work` never rejects. */
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
