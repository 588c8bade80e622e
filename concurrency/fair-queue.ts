/** An entry of a queue: its key, its size, and the time until which it may wait. */
export interface Entry {
  key: string;
  rows: number;
  bytes: number;
  /** Names of what it locks; it is not drawn while one of them is locked. */
  names?: readonly string[] | undefined;
  /** The time at which it has waited too long, by `performance.now()`. */
  until: number;
}

/** A queue that serves its keys in turn, however much one of them has waiting. */
export interface FairQueue<E extends Entry> {
  /** By key, the next key to be served first. */
  lines: Map<string, E[]>;
  size: number;
  rows: number;
  bytes: number;
}

/** The most that is drawn at once. */
export interface Most {
  rows: number;
  bytes: number;
}

/** An empty queue. */
export const fairQueue = <E extends Entry>(): FairQueue<E> => ({ lines: new Map(), size: 0, rows: 0, bytes: 0 });

/** Puts an entry behind the others of its key. */
export function enqueue<E extends Entry>(queue: FairQueue<E>, entry: E): void {
  const line = queue.lines.get(entry.key);
  if (line) line.push(entry);
  else queue.lines.set(entry.key, [entry]);
  count(queue, entry, 1);
}

/** Tells whether as much waits as is drawn at once. */
export const isFull = ({ rows, bytes }: FairQueue<Entry>, most: Most): boolean =>
  rows >= most.rows || bytes >= most.bytes;

const NOTHING_LOCKED: ReadonlySet<string> = new Set();

/**
 * Takes one entry of each key, again and again, until there is as much as is drawn at once. It takes at least one, and
 * none that names what is `locked`.
 */
export function draw<E extends Entry>(queue: FairQueue<E>, most: Most, locked = NOTHING_LOCKED): E[] {
  const drawn: E[] = [];
  let { rows, bytes } = most;
  // A key that has more goes to the end of the map, where this loop meets it again.
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

/** Removes an entry that waits. @returns false when it waits no more */
export function withdraw<E extends Entry>(queue: FairQueue<E>, entry: E): boolean {
  const line = queue.lines.get(entry.key);
  const at = line?.indexOf(entry) ?? -1;
  if (!line || at < 0) return false;
  line.splice(at, 1);
  if (line.length === 0) queue.lines.delete(entry.key);
  count(queue, entry, -1);
  return true;
}

/** Removes entries that have waited too long, and hands each to `late`. The entries of one key expire in their order. */
export function expire<E extends Entry>(queue: FairQueue<E>, now: number, late: (entry: E) => void): void {
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
