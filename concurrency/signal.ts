/**
 * Flag that a caller can wait for. The flag resets when `wait` resolves, so several `set` calls before a `wait` count
 * as one.
 */
export interface AutoResetSignal {
  set(): void;
  /**
   * Resolves immediately if `set` was called since the last wait. Otherwise resolves at the next call of `set`, and at
   * the latest after the given number of milliseconds.
   */
  wait(milliseconds: number): Promise<void>;
}

/** Creates a signal. Only one caller may wait at a time. */
export function createAutoResetSignal(): AutoResetSignal {
  let isSet = false;
  let wake: (() => void) | undefined;
  const next = (milliseconds: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds).unref();
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  return {
    set() {
      isSet = true;
      wake?.();
    },
    async wait(milliseconds) {
      if (!isSet) await next(milliseconds);
      wake = undefined;
      isSet = false;
    },
  };
}
