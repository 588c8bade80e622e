/** Flag that resets when `wait` returns. Several `set` calls before a `wait` count as one. */
export interface Signal {
  set(): void;
  /**
   * Resolves when `set` is called, immediately if `set` was called since the last wait, and at the latest after the
   * given milliseconds.
   */
  wait(milliseconds: number): Promise<void>;
}

/** Creates a signal. Only one caller may wait at a time. */
export function createSignal(): Signal {
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
