import { unavailable } from "../errors.ts";

/** Lets a bounded number of expensive pieces of work run at once, and a bounded number wait. */
export interface Gate {
  run<T>(work: () => Promise<T>): Promise<T>;
  readonly waiting: number;
}

/**
 * Makes a gate. Beyond `queue` waiting, or after `waitMs` of waiting, work is refused.
 * @throws unavailable (503 with Retry-After) from `run` when it is refused.
 */
export function gate(limits: { running: number; queue: number; waitMs: number }): Gate {
  let running = 0;
  const queue: (() => void)[] = [];
  const enter = () =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(admit), 1);
        reject(unavailable("Too many sign-ins at the moment; try again shortly.", 2));
      }, limits.waitMs);
      const admit = () => {
        clearTimeout(timer);
        resolve();
      };
      queue.push(admit);
    });
  return {
    get waiting() {
      return queue.length;
    },
    async run(work) {
      if (running < limits.running) running += 1;
      else if (queue.length < limits.queue) await enter();
      else throw unavailable("Too many sign-ins at the moment; try again shortly.", 2);
      try {
        return await work();
      } finally {
        // The slot passes straight to whoever waits longest; only without one does it become free.
        const next = queue.shift();
        if (next) next();
        else running -= 1;
      }
    },
  };
}
