import {
  type BatchLimit,
  createFairQueue,
  dequeueBatch,
  enqueue,
  expireEntries,
  type FairQueue,
  hasFullBatch,
  type QueueEntry,
} from "./fair-queue.ts";
import type { QueueBounds } from "./semaphore.ts";

/** Item that waits for its group commit, with the promise callbacks of its caller. */
export interface WaitingItem<Item, Result> extends QueueEntry {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** Key, size and lock names of an item. The queue serves the keys in turn. */
export type ItemDemand = Pick<QueueEntry, "key" | "rows" | "bytes" | "names">;

/** Limits of each group, and the function that commits a batch of items. */
export interface GroupCommitOptions<Item, Result> extends QueueBounds {
  most: BatchLimit;
  /** Maximum number of commits of one group that run at the same time. */
  parallel: number;
  /**
   * Commits a batch, and resolves or rejects each entry of the batch. If `commit` throws, the error rejects all
   * entries.
   */
  commit(load: readonly WaitingItem<Item, Result>[]): Promise<void>;
}

/**
 * Adds an item to a group. The promise resolves with the item's result after the commit. The promise rejects with the
 * error of the commit, or with the error of `refusal` if the queue is full or the wait took too long.
 */
export type GroupCommit<Item, Result> = (group: string, item: Item, demand: ItemDemand) => Promise<Result>;

interface Group<E extends QueueEntry> {
  name: string;
  queue: FairQueue<E>;
  /**
   * Number of running commits. `begun` is the start time of the newest commit. `locked` contains the names of the locks
   * that the running commits take.
   */
  running: number;
  begun: number;
  locked: Set<string>;
  scheduled: boolean;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Milliseconds after which a second commit may start while the first commit still runs. The first commit may wait for
 * something that does not block the second commit.
 */
const SLOW_MS = 20;
const SWEEP_MS = 500;

/**
 * Groups items into commits. If no commit runs, the waiting items are committed at once, so a single item is not
 * delayed. Items that arrive while a commit runs form the next batch. All items of a batch share one disk flush. A second
 * commit of the group starts only when the first commit is slow or a full batch waits, because fewer concurrent commits
 * cost less. The second commit skips items that would wait for a lock of the first commit.
 */
export function createGroupCommit<Item, Result>(options: GroupCommitOptions<Item, Result>): GroupCommit<Item, Result> {
  type Own = Group<WaitingItem<Item, Result>>;
  const { most, parallel, maxWaiting, maxWaitMs, refusal, commit } = options;
  const groups = new Map<string, Own>();
  let sweeping = false;

  const mayBegin = ({ queue, running, begun }: Own) =>
    running === 0 || (running < parallel && (hasFullBatch(queue, most) || performance.now() - begun >= SLOW_MS));

  const schedule = (group: Own) => {
    if (group.scheduled) return;
    if (!mayBegin(group)) return retryLater(group);
    group.scheduled = true;
    // `setImmediate` delays the commit until the server has read the requests that arrived in the same turn of the
    // event loop. The requests that arrived in the same turn join the commit.
    setImmediate(begin, group);
  };

  const begin = (group: Own) => {
    group.scheduled = false;
    while (group.queue.size > 0 && mayBegin(group)) {
      const load = dequeueBatch(group.queue, most, group.locked);
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

  const run = async (group: Own, load: readonly WaitingItem<Item, Result>[]) => {
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

  /** Rejects callers that waited too long, even if no commit runs in the meantime. */
  const sweepLater = () => {
    if (sweeping) return;
    sweeping = true;
    setTimeout(sweep, SWEEP_MS).unref();
  };

  const sweep = () => {
    sweeping = false;
    let waiting = 0;
    for (const group of groups.values()) {
      expireEntries(group.queue, performance.now(), ({ reject }) => reject(refusal("late")));
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

const emptyGroup = <E extends QueueEntry>(name: string): Group<E> => ({
  name,
  queue: createFairQueue(),
  running: 0,
  begun: 0,
  locked: new Set(),
  scheduled: false,
  timer: undefined,
});
