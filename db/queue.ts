import type { QueueClass } from "./database.ts";
import { Unavailable } from "./unavailable.ts";

/** Turns at a fixed number of connections. */
export interface Queue {
  /** Waits for a turn; resolves to the function that ends it. Rejects with `Unavailable` when full or after 2 s. */
  enter(queueClass: QueueClass): Promise<() => void>;
  /** How many wait, of all classes. */
  waiting(): number;
}

type Line = Set<() => void>;

const MAX_WAITING = 1_000;
const MAX_WAIT_MS = 2_000;

/** One queue of three classes before `slots` connections: whoever waits in a class before goes first. */
export function createQueue(slots: number): Queue {
  const lines: Record<QueueClass, Line> = { short: new Set(), read: new Set(), upkeep: new Set() };
  const inOrder = [lines.short, lines.read, lines.upkeep];
  const waiting = () => lines.short.size + lines.read.size + lines.upkeep.size;
  let free = slots;

  /** A turn's end, which counts once: it passes the turn on to the first who waits. */
  const turn = () => {
    let over = false;
    return () => {
      if (over) return;
      over = true;
      const [first] = inOrder.find((line) => line.size > 0) ?? [];
      if (first) first();
      else free += 1;
    };
  };

  return {
    waiting,
    async enter(queueClass) {
      if (free === 0) {
        if (waiting() >= MAX_WAITING) throw new Unavailable("The database has too many requests waiting; try again");
        await waitIn(lines[queueClass]);
      } else {
        free -= 1;
      }
      return turn();
    },
  };
}

/** Resolves when it is the first's turn and this is the first. */
function waitIn(line: Line): Promise<void> {
  return new Promise((resolve, reject) => {
    const proceed = () => {
      clearTimeout(timer);
      line.delete(proceed);
      resolve();
    };
    const timer = setTimeout(() => {
      line.delete(proceed);
      reject(new Unavailable("The database is busy; try again"));
    }, MAX_WAIT_MS);
    line.add(proceed);
  });
}
