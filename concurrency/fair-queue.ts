/** Entry of a queue, with its key, its size (`rows` and `bytes`) and its deadline (`until`). */
export interface QueueEntry {
  key: string;
  rows: number;
  bytes: number;
  /** Names of the locks that the entry takes. `dequeueBatch` skips the entry while one of these locks is taken. */
  names?: readonly string[] | undefined;
  /** Time at which the entry expires, as a `performance.now()` value. */
  until: number;
}

/** Queue that serves its keys in turn, so that many entries of one key do not delay other keys. */
export interface FairQueue<E extends QueueEntry> {
  /** Waiting entries by key. `dequeueBatch` serves the first key of the map next. */
  lines: Map<string, E[]>;
  size: number;
  rows: number;
  bytes: number;
}

/**
 * Maximum total size of the entries that one call of `dequeueBatch` takes from the queue. A single entry may be larger.
 */
export interface BatchLimit {
  rows: number;
  bytes: number;
}

export const createFairQueue = <E extends QueueEntry>(): FairQueue<E> => ({
  lines: new Map(),
  size: 0,
  rows: 0,
  bytes: 0,
});

/** Adds an entry behind the other entries of its key. */
export function enqueue<E extends QueueEntry>(queue: FairQueue<E>, entry: E): void {
  const line = queue.lines.get(entry.key);
  if (line) line.push(entry);
  else queue.lines.set(entry.key, [entry]);
  count(queue, entry, 1);
}

/** Returns true if the waiting entries fill one call of `dequeueBatch`: their rows or their bytes reach the maximum. */
export const hasFullBatch = ({ rows, bytes }: FairQueue<QueueEntry>, most: BatchLimit): boolean =>
  rows >= most.rows || bytes >= most.bytes;

const NOTHING_LOCKED: ReadonlySet<string> = new Set();

/**
 * Takes one entry of each key in turn, until the maximum size is reached. Skips entries that need a lock in `locked`.
 * If any entry is free, takes at least one entry, even if the entry exceeds the maximum.
 */
export function dequeueBatch<E extends QueueEntry>(
  queue: FairQueue<E>,
  most: BatchLimit,
  locked = NOTHING_LOCKED,
): E[] {
  const drawn: E[] = [];
  let { rows, bytes } = most;
  // Deleting a key and inserting the key again moves the key to the end of the map. The loop then reaches the key again
  // after all other keys.
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
export function removeEntry<E extends QueueEntry>(queue: FairQueue<E>, entry: E): boolean {
  const line = queue.lines.get(entry.key);
  const at = line?.indexOf(entry) ?? -1;
  if (!line || at < 0) return false;
  line.splice(at, 1);
  if (line.length === 0) queue.lines.delete(entry.key);
  count(queue, entry, -1);
  return true;
}

/**
 * Removes expired entries and passes each of them to `late`. The entries of one key expire in their order, so the inner
 * loop stops at the first entry that has not expired.
 */
export function expireEntries<E extends QueueEntry>(queue: FairQueue<E>, now: number, late: (entry: E) => void): void {
  for (const [key, line] of queue.lines) {
    for (let [first] = line; first && first.until <= now; [first] = line) {
      line.shift();
      count(queue, first, -1);
      late(first);
    }
    if (line.length === 0) queue.lines.delete(key);
  }
}

function count(queue: FairQueue<QueueEntry>, { rows, bytes }: QueueEntry, sign: 1 | -1): void {
  queue.size += sign;
  queue.rows += sign * rows;
  queue.bytes += sign * bytes;
}
