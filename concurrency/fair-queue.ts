/** Entry of a queue: its key, size and deadline. */
export interface Entry {
  key: string;
  rows: number;
  bytes: number;
  /** Names of the locks that the entry takes. `draw` skips the entry while one of the names is locked. */
  names?: readonly string[] | undefined;
  /** Time at which the entry expires, as a `performance.now()` value. */
  until: number;
}

/** Queue that serves its keys in turn, so that many entries of one key do not delay other keys. */
export interface FairQueue<E extends Entry> {
  /** Waiting entries by key. `draw` serves the first key of the map next. */
  lines: Map<string, E[]>;
  size: number;
  rows: number;
  bytes: number;
}

/** Maximum that `draw` takes from the queue at once. */
export interface DrawLimit {
  rows: number;
  bytes: number;
}

export const createFairQueue = <E extends Entry>(): FairQueue<E> => ({ lines: new Map(), size: 0, rows: 0, bytes: 0 });

/** Adds an entry behind the other entries of its key. */
export function enqueue<E extends Entry>(queue: FairQueue<E>, entry: E): void {
  const line = queue.lines.get(entry.key);
  if (line) line.push(entry);
  else queue.lines.set(entry.key, [entry]);
  count(queue, entry, 1);
}

/** Returns true if the waiting entries reach the maximum of one `draw`. */
export const isFull = ({ rows, bytes }: FairQueue<Entry>, most: DrawLimit): boolean =>
  rows >= most.rows || bytes >= most.bytes;

const NOTHING_LOCKED: ReadonlySet<string> = new Set();

/**
 * Takes one entry of each key in turn, until the maximum is reached. Takes at least one entry if any is free to go, and
 * skips entries that name a lock in `locked`.
 */
export function drawEntries<E extends Entry>(queue: FairQueue<E>, most: DrawLimit, locked = NOTHING_LOCKED): E[] {
  const drawn: E[] = [];
  let { rows, bytes } = most;
  // Re-inserting a key moves the key to the end of the map, where this loop meets the key again.
  for (const [key, line] of queue.lines) {
    const at = locked.size === 0 ? 0 : line.findIndex(({ names }) => !names?.some((name) => locked.has(name)));
    const next = line[at];
    if (!next) continue;
    if (drawn.length > 0 && (next.rows > rows || next.bytes > bytes)) break;
    queue.lines.delete(key);
    if (at === 0) line.shift();
    else line.splice(at, 1);
    if (line.length > 0) queue.lines.set(key, line);
    count(queue, next, -1);
    rows -= next.rows;
    bytes -= next.bytes;
    drawn.push(next);
  }
  return drawn;
}

/** Removes a waiting entry. @returns false if the entry no longer waits */
export function removeEntry<E extends Entry>(queue: FairQueue<E>, entry: E): boolean {
  const line = queue.lines.get(entry.key);
  const at = line?.indexOf(entry) ?? -1;
  if (!line || at < 0) return false;
  line.splice(at, 1);
  if (line.length === 0) queue.lines.delete(entry.key);
  count(queue, entry, -1);
  return true;
}

/** Removes expired entries and passes each to `late`. The entries of one key expire in their order. */
export function expireEntries<E extends Entry>(queue: FairQueue<E>, now: number, late: (entry: E) => void): void {
  for (const [key, line] of queue.lines) {
    for (let [first] = line; first && first.until <= now; [first] = line) {
      line.shift();
      count(queue, first, -1);
      late(first);
    }
    if (line.length === 0) queue.lines.delete(key);
  }
}

function count(queue: FairQueue<Entry>, { rows, bytes }: Entry, sign: 1 | -1): void {
  queue.size += sign;
  queue.rows += sign * rows;
  queue.bytes += sign * bytes;
}
