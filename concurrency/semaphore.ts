/** Bounds of the queue before a semaphore. Without them anyone waits as long as it takes. */
export interface QueueBounds {
  maxWaiting: number;
  maxWaitMs: number;
  /** The error for a caller who meets a full queue, or has waited for too long. */
  refusal(reason: "full" | "late"): Error;
}

/** A counting semaphore: a fixed number of permits, and a queue of those who wait for one. */
export interface Semaphore {
  /**
   * Waits for a permit. A lower `priority` (0 unless given) goes first, and within one priority who came first.
   * @returns the way to give the permit back, which counts once
   * @throws the refusal of the bounds
   */
  acquire(priority?: number): Promise<() => void>;
  /** Runs `work` with a permit. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** The number of callers that wait. */
  waiting(): number;
}

type Queue = Set<() => void>;

/** Makes a semaphore. */
export function createSemaphore(permits: number, bounds?: QueueBounds): Semaphore {
  const queues: Queue[] = [];
  const waiting = () => queues.reduce((sum, queue) => sum + queue.size, 0);
  let free = permits;

  const permit = () => {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      // A permit passes straight to the first who waits; only without one does it become free.
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

/** Resolves when a permit is passed on to whoever waits here. */
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
