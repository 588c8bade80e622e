import { startInterval } from "../../concurrency/interval.ts";
import { createSemaphore, type Semaphore } from "../../concurrency/semaphore.ts";
import type { Runtime } from "../runtime.ts";
import { type Change, readLast, readRange } from "./change.ts";

/** What follows one organization's log. */
export interface Follower {
  /** Receives the next changes, in order, each once. */
  publish(changes: readonly Change[]): void;
  /** The log no longer goes on where this follower stands: a backup was restored, or retention overtook it. */
  lost(): void;
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

interface Followed {
  organizationId: string;
  position: number;
  follower: Follower;
  /** There may be news since the last read began. */
  stale: boolean;
  reading: boolean;
}

interface State {
  runtime: Pick<Runtime, "db" | "log">;
  followed: Map<string, Followed>;
  /** Few reads run at once: what waits for a permit then reads all that has come meanwhile, so nothing piles up. */
  reads: Semaphore;
}

/** How often the logs of all followed organizations are checked; a wake only makes it sooner. */
const POLL_MS = 500;
const MAX_READS = 4;

/** Starts a feed, with nobody to follow yet. */
export function createFeed(runtime: Pick<Runtime, "db" | "log">): Feed {
  const { db, log } = runtime;
  const state: State = { runtime, followed: new Map(), reads: createSemaphore(MAX_READS) };
  const stopPolling = startInterval(POLL_MS, () =>
    poll(state).catch((error) => log.debug({ err: error }, "change logs not looked at; tried again")),
  );
  const unsubscribe = db.wake.subscribe((organizationId) => {
    const one = state.followed.get(organizationId);
    if (one) look(state, one);
  });
  return {
    follow(organizationId, position, follower) {
      const one: Followed = { organizationId, position, follower, stale: false, reading: false };
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
async function poll(state: State): Promise<void> {
  if (state.followed.size === 0) return;
  const before = [...state.followed.values()].map((one) => ({ one, position: one.position }));
  const last = await readLast(state.runtime.db, [...state.followed.keys()]);
  for (const { one, position } of before) {
    const number = last.get(one.organizationId) ?? position;
    // A log that ends before what was published from it is another log.
    if (number < position) lose(state, one);
    else if (number > one.position) look(state, one);
  }
}

function look(state: State, one: Followed): void {
  one.stale = true;
  if (one.reading) return;
  one.reading = true;
  read(state, one).catch((error) => state.runtime.log.debug({ err: error }, "change log not read; tried again"));
}

/** Reads on until nothing is new. */
async function read(state: State, one: Followed): Promise<void> {
  try {
    while (one.stale && isFollowed(state, one)) {
      one.stale = false;
      await readOn(state, one);
    }
  } finally {
    // No `await` stands between the last look at `stale` and this line, so no wake falls in between.
    one.reading = false;
  }
}

async function readOn(state: State, one: Followed): Promise<void> {
  const { changes, more } = await state.reads.run(() => readRange(state.runtime.db, one.organizationId, one.position));
  const [first, last] = [changes[0], changes.at(-1)];
  if (!first || !last || !isFollowed(state, one)) return;
  if (first.lastSyncId !== one.position + 1) return lose(state, one);
  one.stale ||= more;
  one.position = last.lastSyncId;
  one.follower.publish(changes);
}

const isFollowed = (state: State, one: Followed) => state.followed.get(one.organizationId) === one;

function drop(state: State, one: Followed): void {
  if (isFollowed(state, one)) state.followed.delete(one.organizationId);
}

function lose(state: State, one: Followed): void {
  if (!isFollowed(state, one)) return;
  drop(state, one);
  one.follower.lost();
}
