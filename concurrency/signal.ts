/** An event that resets itself: however often it was set, it is seen once. */
export interface Signal {
  set(): void;
  /** Resolves when it is set, was set since the last wait, or after so many milliseconds. */
  wait(milliseconds: number): Promise<void>;
}

/** Makes a signal for one who waits. */
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
