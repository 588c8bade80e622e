/** Limits of the queue of callers that wait for a semaphore. Without limits, callers wait indefinitely. */
export interface QueueBounds {
  maxWaiting: number;
  maxWaitMs: number;
  /** Creates the error for a caller that found the queue full (`full`) or waited too long (`late`). */
  refusal(reason: "full" | "late"): Error;
}

/** Counting semaphore: a fixed number of permits, and a queue of waiting callers. */
export interface Semaphore {
  /**
   * Waits for a permit. Lower `priority` numbers (default 0) go first. Callers of equal priority are served in the
   * order of arrival.
   * @returns a function that releases the permit; repeated calls have no effect
   * @throws the error of `bounds.refusal` when the queue is full or the wait took too long
   */
  acquire(priority?: number): Promise<() => void>;
  /** Runs `work` with a permit. */
  run<T>(work: () => Promise<T>): Promise<T>;
  waiting(): number;
}

type Queue = Set<() => void>;

export function createSemaphore(permits: number, bounds?: QueueBounds): Semaphore {
  const queues: Queue[] = [];
  const waiting = () => queues.reduce((sum, queue) => sum + queue.size, 0);
  let free = permits;

  const permit = () => {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      // A released permit passes directly to the first waiting caller. The permit becomes free only when no caller
      // waits.
      const [first] = queues.find((queue) => queue?.size > 0) ?? [];
      if (first) first();
      else free += 1;
    };
  };

  const acquire: Semaphore["acquire"] = async (priority = 0) => {
    if (free > 0) free -= 1;
    else {
      if (bounds && waiting() >= bounds.maxWaiting) throw bounds.refusal("full");
      queues[priority] ??= new Set();
      await waitIn(queues[priority], bounds);
    }
    return permit();
  };

  return {
    acquire,
    waiting,
    async run(work) {
      const release = await acquire();
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}

/** Resolves when `release` passes a permit to this caller. */
function waitIn(queue: Queue, bounds: QueueBounds | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const proceed = () => {
      clearTimeout(timer);
      queue.delete(proceed);
      resolve();
    };
    queue.add(proceed);
    if (!bounds) return;
    timer = setTimeout(() => {
      queue.delete(proceed);
      reject(bounds.refusal("late"));
    }, bounds.maxWaitMs);
  });
}
