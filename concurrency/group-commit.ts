import { draw, type Entry, enqueue, expire, type FairQueue, fairQueue, isFull, type Most } from "./fair-queue.ts";
import type { QueueBounds } from "./semaphore.ts";

/** An item that waits for the commit that it shares, and the caller who waits with it. */
export interface Waiting<Item, Result> extends Entry {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** The key under which an item takes its turn, its share of a commit, and the names of what it locks. */
export type Demand = Pick<Entry, "key" | "rows" | "bytes" | "names">;

/** Bounds of one group of items, and the way to commit some of them. */
export interface GroupCommitOptions<Item, Result> extends QueueBounds {
  most: Most;
  /** Commits of one group that may run beside each other. */
  parallel: number;
  /** Settles each entry of a load. An error that it throws goes to all of them. */
  commit(load: readonly Waiting<Item, Result>[]): Promise<void>;
}

/** Submits an item to a group. Resolves as the commit that took it, or rejects with the refusal of the bounds. */
export type GroupCommit<Item, Result> = (group: string, item: Item, demand: Demand) => Promise<Result>;

interface Group<E extends Entry> {
  name: string;
  queue: FairQueue<E>;
  /** Commits that run, when the last of them began, and the names that they lock. */
  running: number;
  begun: number;
  locked: Set<string>;
  scheduled: boolean;
  timer: NodeJS.Timeout | undefined;
}

/** A commit that has taken so long may wait for something that the next one need not wait for. */
const SLOW_MS = 20;
const SWEEP_MS = 500;

/**
 * Gathers items into commits: one takes all that wait, without a delay, and while it runs the next load gathers. A lone
 * item is not delayed, and many share one flush of the disk. Another commit of the group begins beside it only when it
 * is slow or a whole load waits: fewer at once cost less. It never takes what would wait for a lock of the first.
 */
export function createGroupCommit<Item, Result>(options: GroupCommitOptions<Item, Result>): GroupCommit<Item, Result> {
  type Own = Group<Waiting<Item, Result>>;
  const { most, parallel, maxWaiting, maxWaitMs, refusal, commit } = options;
  const groups = new Map<string, Own>();
  let sweeping = false;

  const mayBegin = ({ queue, running, begun }: Own) =>
    running === 0 || (running < parallel && (isFull(queue, most) || performance.now() - begun >= SLOW_MS));

  const schedule = (group: Own) => {
    if (group.scheduled) return;
    if (!mayBegin(group)) return retryLater(group);
    group.scheduled = true;
    // Requests that arrived in the same round of the event loop are read first.
    setImmediate(begin, group);
  };

  const begin = (group: Own) => {
    group.scheduled = false;
    while (group.queue.size > 0 && mayBegin(group)) {
      const load = draw(group.queue, most, group.locked);
      if (load.length === 0) break;
      void run(group, load);
    }
    if (group.queue.size > 0) retryLater(group);
  };

  const retryLater = (group: Own) => {
    if (group.timer !== undefined || group.running >= parallel) return;
    group.timer = setTimeout(() => {
      group.timer = undefined;
      if (group.queue.size > 0) schedule(group);
    }, SLOW_MS).unref();
  };

  const run = async (group: Own, load: readonly Waiting<Item, Result>[]) => {
    group.running += 1;
    group.begun = performance.now();
    for (const { names } of load) for (const name of names ?? []) group.locked.add(name);
    try {
      await commit(load);
    } catch (error) {
      for (const { reject } of load) reject(error);
    }
    for (const { names } of load) for (const name of names ?? []) group.locked.delete(name);
    group.running -= 1;
    if (group.queue.size > 0) schedule(group);
    else closeIdle(group);
  };

  const closeIdle = ({ name, queue, running }: Own) => {
    if (running === 0 && queue.size === 0) groups.delete(name);
  };

  /** Callers who have waited too long are answered, whether or not anything is committed meanwhile. */
  const sweepLater = () => {
    if (sweeping) return;
    sweeping = true;
    setTimeout(sweep, SWEEP_MS).unref();
  };

  const sweep = () => {
    sweeping = false;
    let waiting = 0;
    for (const group of groups.values()) {
      expire(group.queue, performance.now(), ({ reject }) => reject(refusal("late")));
      waiting += group.queue.size;
      closeIdle(group);
    }
    if (waiting > 0) sweepLater();
  };

  return (name, item, { key, rows, bytes, names }) => {
    const group = groups.get(name) ?? emptyGroup(name);
    if (group.queue.size >= maxWaiting) return Promise.reject(refusal("full"));
    groups.set(name, group);
    return new Promise((resolve, reject) => {
      const until = performance.now() + maxWaitMs;
      enqueue(group.queue, { key, rows, bytes, names, until, item, resolve, reject });
      sweepLater();
      schedule(group);
    });
  };
}

const emptyGroup = <E extends Entry>(name: string): Group<E> => ({
  name,
  queue: fairQueue(),
  running: 0,
  begun: 0,
  locked: new Set(),
  scheduled: false,
  timer: undefined,
});
