import { startInterval } from "../../concurrency/interval.ts";
import { createSemaphore } from "../../concurrency/semaphore.ts";
import type { Runtime } from "../runtime.ts";
import { readLast } from "./change.ts";
import { drop, type FollowedLog, type Follower, look, lose, type Reading } from "./followed-log.ts";

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
