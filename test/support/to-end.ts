/** Runs a generator to the end without pausing. */
export function runToEnd<T>(work: Generator<unknown, T, void>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}
