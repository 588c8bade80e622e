import { Unavailable } from "../../db/unavailable.ts";
import type { Outcome, Submission } from "./sink.ts";

/** A submission in the queue. */
export interface Waiting {
  submission: Submission;
  /** Epoch ms at which it has waited too long. */
  until: number;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/** A queue that serves its keys in turn. */
export interface Turns {
  readonly size: number;
  add(waiting: Waiting): void;
  /** Takes one submission of each key, again and again, until the load of one commit is full. */
  draw(): Waiting[];
}

const MAX_ROWS = 2_000;
const MAX_BYTES = 8 * 1024 * 1024;
const SWEEP_MS = 500;

/** An empty queue. Whoever waits too long is refused by it, whether or not anything is drawn. */
export function takeTurns(): Turns {
  const lines = new Map<string, Waiting[]>();
  let size = 0;
  let sweeping = false;

  const sweep = () => {
    const now = Date.now();
    for (const [key, line] of lines) {
      while (line[0] && line[0].until <= now) {
        line.shift()?.reject(new Unavailable("The database did not take the rows in time"));
        size -= 1;
      }
      if (line.length === 0) lines.delete(key);
    }
    sweeping = false;
    sweepLater();
  };

  const sweepLater = () => {
    if (sweeping || size === 0) return;
    sweeping = true;
    setTimeout(sweep, SWEEP_MS).unref();
  };

  return {
    get size() {
      return size;
    },
    add(waiting) {
      const key = waiting.submission.key.id;
      const line = lines.get(key);
      if (line) line.push(waiting);
      else lines.set(key, [waiting]);
      size += 1;
      sweepLater();
    },
    draw() {
      const load: Waiting[] = [];
      let rows = 0;
      let bytes = 0;
      // A key that has more goes to the end of the map, where this loop meets it again.
      for (const [key, line] of lines) {
        const [next] = line;
        if (!next) continue;
        const { events, session, bytes: more } = next.submission;
        const count = events.length + (session ? 1 : 0);
        if (load.length > 0 && (rows + count > MAX_ROWS || bytes + more > MAX_BYTES)) break;
        lines.delete(key);
        line.shift();
        if (line.length > 0) lines.set(key, line);
        load.push(next);
        size -= 1;
        rows += count;
        bytes += more;
      }
      return load;
    },
  };
}
