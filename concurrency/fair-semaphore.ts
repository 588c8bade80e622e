import { draw, type Entry, enqueue, type FairQueue, fairQueue, withdraw } from "./fair-queue.ts";
import type { QueueBounds } from "./semaphore.ts";

/** Place of a caller in the queue: a lower priority goes first, and within one priority the keys take turns. */
interface Place {
  priority: 0 | 1;
  key: string;
}

/** A semaphore whose permits are shared by the keys of those who wait. */
export interface FairSemaphore {
  /** Runs `work` with a permit. @throws the refusal of the bounds */
  run<T>(place: Place, work: () => Promise<T>): Promise<T>;
  /** The number of callers that wait. */
  waiting(): number;
}

interface Waiting extends Entry {
  proceed(): void;
  refuse(reason: "full" | "late"): void;
}

const ONE = { rows: 1, bytes: 0 };

/** Makes a semaphore with a queue for each priority. The bounds hold for each queue, so that none fills another. */
export function createFairSemaphore(permits: number, bounds: QueueBounds): FairSemaphore {
  const queues = [fairQueue<Waiting>(), fairQueue<Waiting>()] as const;
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

  // A permit passes straight to the first who waits; only without one does it become free.
  const release = () => {
    const first = queues.find(({ size }) => size > 0);
    const [next] = first ? draw(first, ONE) : [];
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

/** Refuses the newest of the key that has most in a full queue, in favor of a key that has less. */
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
      if (withdraw(queue, entry)) reject(bounds.refusal(reason));
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
