import { startInterval } from "../../concurrency/interval.ts";
import { createSemaphore, type Semaphore } from "../../concurrency/semaphore.ts";
import { setGauge } from "../counters.ts";
import type { Runtime } from "../runtime.ts";
import { type ChangeLogEntry, readLastSyncIds, readNextChanges } from "./change.ts";

interface Follower {
  /** Receives the next changes in order, each exactly once. */
  publish(changes: readonly ChangeLogEntry[]): void;
  /**
   * Called when the log does not continue at this follower's position: a
   * backup was restored, or retention deleted changes.
   */
  lost(): void;
}

/** An organization's log, the position up to which changes are published, and the follower. */
interface FollowedLog {
  organizationId: string;
  position: number;
  follower: Follower;
  /** True when changes may have arrived since the last read began. */
  stale: boolean;
  reading: boolean;
}

/** State of the feed: the followed logs by organization, and the semaphore that limits reads. */
interface Reading {
  runtime: Pick<Runtime, "db" | "log">;
  followed: Map<string, FollowedLog>;
  /**
   * Limits concurrent reads. A read that waits for a permit later covers all changes that arrived meanwhile, so reads
   * do not pile up.
   */
  reads: Semaphore;
}

/** Logs that wait for a read, and the start of the wait in epoch ms. */
const waiting = new Map<FollowedLog, number>();

function noteWaiting(one: FollowedLog, waits: boolean): void {
  if (!waits) waiting.delete(one);
  else if (!waiting.has(one)) waiting.set(one, Date.now());
  // A Map keeps insertion order, so the first entry is the oldest.
  const [oldest = 0] = waiting.values();
  setGauge("realtime_waiting_since_timestamp_seconds", oldest / 1000);
}

/** Reads the log's new changes, now or when the current read ends. */
function requestRead(state: Reading, one: FollowedLog): void {
  one.stale = true;
  noteWaiting(one, true);
  if (one.reading) return;
  one.reading = true;
  read(state, one).catch((error) =>
    state.runtime.log.debug({ err: error }, "the change log could not be read; the server will retry"),
  );
}

/** Reads until the log has no new changes. */
async function read(state: Reading, one: FollowedLog): Promise<void> {
  try {
    while (one.stale && isFollowed(state, one)) {
      one.stale = false;
      await readOn(state, one);
    }
    noteWaiting(one, false);
  } finally {
    // No `await` stands between the last check of `stale` and this line, so no wake can be missed.
    one.reading = false;
  }
}

async function readOn(state: Reading, one: FollowedLog): Promise<void> {
  const { changes, more } = await state.reads.run(() =>
    readNextChanges(state.runtime.db, one.organizationId, one.position),
  );
  const [first, last] = [changes[0], changes.at(-1)];
  if (!first || !last || !isFollowed(state, one)) return;
  if (first.lastSyncId !== one.position + 1) return lose(state, one);
  one.stale ||= more;
  one.position = last.lastSyncId;
  one.follower.publish(changes);
}

const isFollowed = (state: Reading, one: FollowedLog) => state.followed.get(one.organizationId) === one;

function drop(state: Reading, one: FollowedLog): void {
  if (isFollowed(state, one)) state.followed.delete(one.organizationId);
  noteWaiting(one, false);
}

/** Notifies the follower that the log does not continue at the follower's position. */
function lose(state: Reading, one: FollowedLog): void {
  if (!isFollowed(state, one)) return;
  drop(state, one);
  one.follower.lost();
}

/** A subscription to the log of one organization. */
export interface ChangeLogSubscription {
  /** Number of the last published change. */
  position(): number;
  stop(): void;
}

/** Follows only the logs of organizations with a listener on this server. */
export interface ChangeFeed {
  /** Publishes the changes after `position`. Each organization has one follower. */
  follow(organizationId: string, position: number, follower: Follower): ChangeLogSubscription;
  close(): void;
}

/** Interval in ms at which the logs of all followed organizations are checked. A wake makes the check earlier. */
const POLL_MS = 500;
const MAX_READS = 4;

export function createChangeFeed(runtime: Pick<Runtime, "db" | "log">): ChangeFeed {
  const { db, log } = runtime;
  const state: Reading = { runtime, followed: new Map(), reads: createSemaphore(MAX_READS) };
  const stopPolling = startInterval(POLL_MS, () =>
    poll(state).catch((error) =>
      log.debug({ err: error }, "the change logs could not be checked; the server will retry"),
    ),
  );
  const unsubscribe = db.wake.subscribe((organizationId) => {
    const one = state.followed.get(organizationId);
    if (one) requestRead(state, one);
  });
  return {
    follow(organizationId, position, follower) {
      const one: FollowedLog = { organizationId, position, follower, stale: false, reading: false };
      state.followed.set(organizationId, one);
      requestRead(state, one);
      return { position: () => one.position, stop: () => drop(state, one) };
    },
    close() {
      stopPolling();
      unsubscribe();
      state.followed.clear();
    },
  };
}

/** Finds all organizations with new changes in one query. */
async function poll(state: Reading): Promise<void> {
  if (state.followed.size === 0) return;
  const before = [...state.followed.values()].map((one) => ({ one, position: one.position }));
  const last = await readLastSyncIds(state.runtime.db, [...state.followed.keys()]);
  for (const { one, position } of before) {
    const number = last.get(one.organizationId) ?? position;
    // A log that ends before the published position was replaced, for example by a restored backup.
    if (number < position) lose(state, one);
    else if (number > one.position) requestRead(state, one);
  }
}
