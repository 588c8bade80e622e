/** Something that waits: under which key, how much it counts for, and until when. */
export interface Entry {
  key: string;
  rows: number;
  bytes: number;
  /** Epoch ms at which it has waited too long. */
  until: number;
  /** Called once it has. */
  expire(): void;
}

/** A queue that serves its keys in turn, however much one of them has waiting. */
export interface FairQueue<E extends Entry> {
  /** By key, the next key to be served first. */
  lines: Map<string, E[]>;
  size: number;
  rows: number;
  bytes: number;
}

/** As much as is drawn at once. */
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

/** Whether as much waits as is drawn at once. */
export const isFull = ({ rows, bytes }: FairQueue<Entry>, most: Most): boolean =>
  rows >= most.rows || bytes >= most.bytes;

/** Takes one entry of each key, again and again, until there is as much as is drawn at once; one at the least. */
export function draw<E extends Entry>(queue: FairQueue<E>, most: Most): E[] {
  const drawn: E[] = [];
  let { rows, bytes } = most;
  // A key that has more goes to the end of the map, where this loop meets it again.
  for (const [key, line] of queue.lines) {
    const [next] = line;
    if (!next) continue;
    if (drawn.length > 0 && (next.rows > rows || next.bytes > bytes)) break;
    queue.lines.delete(key);
    line.shift();
    if (line.length > 0) queue.lines.set(key, line);
    count(queue, next, -1);
    rows -= next.rows;
    bytes -= next.bytes;
    drawn.push(next);
  }
  return drawn;
}

/** Removes what has waited too long. The entries of one key expire in the order in which they came. */
export function expire<E extends Entry>(queue: FairQueue<E>, now: number): void {
  for (const [key, line] of queue.lines) {
    for (let [first] = line; first && first.until <= now; [first] = line) {
      line.shift();
      count(queue, first, -1);
      first.expire();
    }
    if (line.length === 0) queue.lines.delete(key);
  }
}

function count(queue: FairQueue<Entry>, { rows, bytes }: Entry, sign: 1 | -1): void {
  queue.size += sign;
  queue.rows += sign * rows;
  queue.bytes += sign * bytes;
}
