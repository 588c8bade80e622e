import type { QueueClass } from "./database.ts";
import { Unavailable } from "./unavailable.ts";

/** Turns at a fixed number of connections. */
export interface Queue {
  /** Waits for a turn; resolves to the function that ends it. Rejects with `Unavailable` when full or after 2 s. */
  enter(queueClass: QueueClass): Promise<() => void>;
  /** How many wait, of all classes. */
  waiting(): number;
}

const ORDER: readonly QueueClass[] = ["short", "read", "upkeep"];
const MAX_WAITING = 1_000;
const MAX_WAIT_MS = 2_000;

/** One queue of three classes before `slots` connections: whoever waits in a class before goes first. */
export function createQueue(slots: number): Queue {
  const waiting: Record<QueueClass, Set<() => void>> = { short: new Set(), read: new Set(), upkeep: new Set() };
  let free = slots;

  const queued = () => waiting.short.size + waiting.read.size + waiting.upkeep.size;

  const leaver = () => {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const next = ORDER.map((name) => waiting[name]).find((line) => line.size > 0);
      const [first] = next ?? [];
      if (first) first();
      else free += 1;
    };
  };

  const wait = (line: Set<() => void>) =>
    new Promise<() => void>((resolve, reject) => {
      const proceed = () => {
        clearTimeout(timer);
        line.delete(proceed);
        resolve(leaver());
      };
      const timer = setTimeout(() => {
        line.delete(proceed);
        reject(new Unavailable("The database is busy; try again"));
      }, MAX_WAIT_MS);
      line.add(proceed);
    });

  return {
    async enter(queueClass) {
      if (free > 0) {
        free -= 1;
        return leaver();
      }
      if (queued() >= MAX_WAITING) throw new Unavailable("The database has too many requests waiting; try again");
      return wait(waiting[queueClass]);
    },
    waiting: queued,
  };
}
