import { startInterval } from "../../concurrency/interval.ts";
import { createSemaphore, type Semaphore } from "../../concurrency/semaphore.ts";
import { note } from "../counters.ts";
import type { Runtime } from "../runtime.ts";
import { type Change, readLast, readRange } from "./change.ts";

/** Follows one organization's log. */
interface Follower {
  /** Receives the next changes, in order, each once. */
  publish(changes: readonly Change[]): void;
  /**
   * Called when the log does not continue at this follower's position: a backup was restored, or retention deleted
   * changes.
   */
  lost(): void;
}

/** An organization's log, its published part, and its followers. */
interface FollowedLog {
  organizationId: string;
  position: number;
  follower: Follower;
  /** True when changes may have come since the last read began. */
  stale: boolean;
  reading: boolean;
}

/** The reader of logs, and all logs that are followed. */
interface Reading {
  runtime: Pick<Runtime, "db" | "log">;
  followed: Map<string, FollowedLog>;
  /** Few reads run at once: what waits for a permit then reads all that has come meanwhile, so nothing piles up. */
  reads: Semaphore;
}

/** The moments since which logs wait to be read, epoch ms. */
const waiting = new Map<FollowedLog, number>();

function noteWaiting(one: FollowedLog, waits: boolean): void {
  if (!waits) waiting.delete(one);
  else if (!waiting.has(one)) waiting.set(one, Date.now());
  // They are in the order of their beginnings.
  const [oldest = 0] = waiting.values();
  note("realtime_waiting_since_timestamp_seconds", oldest / 1000);
}

/** Reads a log on, now or once the reading that is under way ends. */
function look(state: Reading, one: FollowedLog): void {
  one.stale = true;
  noteWaiting(one, true);
  if (one.reading) return;
  one.reading = true;
  read(state, one).catch((error) => state.runtime.log.debug({ err: error }, "change log not read; tried again"));
}

/** Reads on until nothing is new. */
async function read(state: Reading, one: FollowedLog): Promise<void> {
  try {
    while (one.stale && isFollowed(state, one)) {
      one.stale = false;
      await readOn(state, one);
    }
    noteWaiting(one, false);
  } finally {
    // No `await` stands between the last check of `stale` and this line, so no wake falls in between.
    one.reading = false;
  }
}

async function readOn(state: Reading, one: FollowedLog): Promise<void> {
  const { changes, more } = await state.reads.run(() => readRange(state.runtime.db, one.organizationId, one.position));
  const [first, last] = [changes[0], changes.at(-1)];
  if (!first || !last || !isFollowed(state, one)) return;
  if (first.lastSyncId !== one.position + 1) return lose(state, one);
  one.stale ||= more;
  one.position = last.lastSyncId;
  one.follower.publish(changes);
}

const isFollowed = (state: Reading, one: FollowedLog) => state.followed.get(one.organizationId) === one;

/** Follows a log no longer. */
function drop(state: Reading, one: FollowedLog): void {
  if (isFollowed(state, one)) state.followed.delete(one.organizationId);
  noteWaiting(one, false);
}

/** Notifies the follower that its log does not continue at its position. */
function lose(state: Reading, one: FollowedLog): void {
  if (!isFollowed(state, one)) return;
  drop(state, one);
  one.follower.lost();
}

/** One organization being followed. */
export interface Following {
  /** Number of the last change published. */
  position(): number;
  stop(): void;
}

/** Follows the logs of the organizations someone here listens to, and no others. */
export interface Feed {
  /** Publishes what comes after `position`. One follower an organization. */
  follow(organizationId: string, position: number, follower: Follower): Following;
  close(): void;
}

/** The interval at which the logs of all followed organizations are checked; a wake only makes it sooner. */
const POLL_MS = 500;
const MAX_READS = 4;

/** Starts a feed, with nobody to follow yet. */
export function createFeed(runtime: Pick<Runtime, "db" | "log">): Feed {
  const { db, log } = runtime;
  const state: Reading = { runtime, followed: new Map(), reads: createSemaphore(MAX_READS) };
  const stopPolling = startInterval(POLL_MS, () =>
    poll(state).catch((error) => log.debug({ err: error }, "change logs not looked at; tried again")),
  );
  const unsubscribe = db.wake.subscribe((organizationId) => {
    const one = state.followed.get(organizationId);
    if (one) look(state, one);
  });
  return {
    follow(organizationId, position, follower) {
      const one: FollowedLog = { organizationId, position, follower, stale: false, reading: false };
      state.followed.set(organizationId, one);
      look(state, one);
      return { position: () => one.position, stop: () => drop(state, one) };
    },
    close() {
      stopPolling();
      unsubscribe();
      state.followed.clear();
    },
  };
}

/** One query finds which organizations advanced. */
async function poll(state: Reading): Promise<void> {
  if (state.followed.size === 0) return;
  const before = [...state.followed.values()].map((one) => ({ one, position: one.position }));
  const last = await readLast(state.runtime.db, [...state.followed.keys()]);
  for (const { one, position } of before) {
    const number = last.get(one.organizationId) ?? position;
    // A log that ends before its published part is another log.
    if (number < position) lose(state, one);
    else if (number > one.position) look(state, one);
  }
}
