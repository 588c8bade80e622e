import { createFairQueue, dequeueBatch, enqueue, type FairQueue, type QueueEntry, removeEntry } from "./fair-queue.ts";
import type { QueueBounds } from "./semaphore.ts";

/**
 * Priority and key of a caller. Callers with a lower priority number go first. Within one priority, the keys take
 * turns.
 */
interface Place {
  priority: 0 | 1;
  key: string;
}

/** Semaphore that gives its permits to the waiting keys in turn. */
export interface FairSemaphore {
  /**
   * Runs `work` with a permit. @throws the error of `bounds.refusal` when the queue is full or the wait took too long
   */
  run<T>(place: Place, work: () => Promise<T>): Promise<T>;
  waiting(): number;
}

interface Waiting extends QueueEntry {
  proceed(): void;
  refuse(reason: "full" | "late"): void;
}

const ONE = { rows: 1, bytes: 0 };

/**
 * Creates a semaphore with one queue per priority. The limits apply to each queue separately, so that one priority
 * cannot fill the queue of the other.
 */
export function createFairSemaphore(permits: number, bounds: QueueBounds): FairSemaphore {
  const queues = [createFairQueue<Waiting>(), createFairQueue<Waiting>()] as const;
  let free = permits;

  const acquire = ({ priority, key }: Place): Promise<void> => {
    if (free > 0) {
      free -= 1;
      return Promise.resolve();
    }
    const queue = queues[priority];
    if (queue.size >= bounds.maxWaiting && !makeRoom(queue, key)) return Promise.reject(bounds.refusal("full"));
    return waitIn(queue, key, bounds);
  };

  // A released permit passes directly to the first waiting caller. The permit becomes free only when no caller waits.
  const release = () => {
    const first = queues.find(({ size }) => size > 0);
    const [next] = first ? dequeueBatch(first, ONE) : [];
    if (next) next.proceed();
    else free += 1;
  };

  return {
    waiting: () => queues.reduce((sum, { size }) => sum + size, 0),
    async run(place, work) {
      await acquire(place);
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}

/**
 * Makes room in a full queue: rejects the newest entry of the key with the most entries. If that key has at most one
 * entry more than `key`, rejects nothing and returns false.
 */
function makeRoom(queue: FairQueue<Waiting>, key: string): boolean {
  const own = queue.lines.get(key)?.length ?? 0;
  const longest = [...queue.lines.values()].reduce((most, line) => (line.length > most.length ? line : most), []);
  const newest = longest.at(-1);
  if (!newest || longest.length <= own + 1) return false;
  newest.refuse("full");
  return true;
}

function waitIn(queue: FairQueue<Waiting>, key: string, bounds: QueueBounds): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (reason: "full" | "late") => {
      clearTimeout(timer);
      if (removeEntry(queue, entry)) reject(bounds.refusal(reason));
    };
    const timer = setTimeout(refuse, bounds.maxWaitMs, "late");
    const proceed = () => {
      clearTimeout(timer);
      resolve();
    };
    const entry: Waiting = { key, rows: 1, bytes: 0, until: Number.POSITIVE_INFINITY, proceed, refuse };
    enqueue(queue, entry);
  });
}
