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
  /** Whether as much waits as one commit takes. */
  readonly full: boolean;
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
  let rows = 0;
  let bytes = 0;
  let sweeping = false;

  const left = ({ submission }: Waiting) => {
    size -= 1;
    rows -= rowsOf(submission);
    bytes -= submission.bytes;
  };

  const sweep = () => {
    const now = Date.now();
    for (const [key, line] of lines) {
      for (let [first] = line; first && first.until <= now; [first] = line) {
        line.shift();
        left(first);
        first.reject(new Unavailable("The database did not take the rows in time"));
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
    get full() {
      return rows >= MAX_ROWS || bytes >= MAX_BYTES;
    },
    add(waiting) {
      const key = waiting.submission.key.id;
      const line = lines.get(key);
      if (line) line.push(waiting);
      else lines.set(key, [waiting]);
      size += 1;
      rows += rowsOf(waiting.submission);
      bytes += waiting.submission.bytes;
      sweepLater();
    },
    draw() {
      const load: Waiting[] = [];
      let drawnRows = 0;
      let drawnBytes = 0;
      // A key that has more goes to the end of the map, where this loop meets it again.
      for (const [key, line] of lines) {
        const [next] = line;
        if (!next) continue;
        const { bytes: more } = next.submission;
        const count = rowsOf(next.submission);
        if (load.length > 0 && (drawnRows + count > MAX_ROWS || drawnBytes + more > MAX_BYTES)) break;
        lines.delete(key);
        line.shift();
        if (line.length > 0) lines.set(key, line);
        load.push(next);
        left(next);
        drawnRows += count;
        drawnBytes += more;
      }
      return load;
    },
  };
}

const rowsOf = ({ events, session }: Submission): number => events.length + (session ? 1 : 0);
