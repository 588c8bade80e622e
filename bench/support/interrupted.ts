/** Rejects when a signal interrupts this process, so that the process can clean up. Call at most once per process. */
export function rejectOnInterrupt(): Promise<never> {
  const interrupted = new Promise<never>((_, reject) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
      process.once(signal, () => reject(new Error(`interrupted by ${signal}`)));
  });
  interrupted.catch(() => {});
  return interrupted;
}
