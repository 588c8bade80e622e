import { setTimeout as sleep } from "node:timers/promises";
import { closeSilent } from "../ingest/observe/silence.ts";
import type { Runtime } from "../runtime.ts";
import { removeSpent } from "./accounts.ts";
import { watchClock } from "./clock.ts";
import { countMarked, countOlder } from "./counts/counts.ts";
import { sumGroups } from "./counts/groups.ts";
import { compareIssueCounts, countIssues } from "./counts/issues.ts";
import { analyzeGrown } from "./growth.ts";
import { keepLeases } from "./leases.ts";
import { linkArrived, linkAwaited } from "./mentions/arrived.ts";
import { linkMentions } from "./mentions/mentions.ts";
import { findMissed } from "./mentions/missed.ts";
import { removeOldSessions } from "./retention/retention.ts";
import { removeOldChanges, removeOldDeliveries } from "./streams.ts";
import { mendTexts } from "./texts.ts";
import { countOldSessions, findEnds } from "./totals/older.ts";
import { removeOldTraces } from "./traces.ts";
import { emptyTrash } from "./trash.ts";

const MINUTE_MS = 60 * 1000;
const HOUR_MS = 60 * MINUTE_MS;

/** What is done, and how often. */
interface Job {
  every: number;
  work(runtime: Runtime): Promise<unknown>;
}

/** Every job, under the name the log knows it by. Each works in slices and is safe on any number of processes. */
const JOBS: Record<string, Job> = {
  "spent logins and tokens": { every: HOUR_MS, work: ({ db }) => removeSpent(db) },
  trash: { every: HOUR_MS, work: emptyTrash },
  "old changes": {
    every: HOUR_MS,
    work: async ({ db, config: { CHANGE_RETENTION_DAYS: days } }) => days > 0 && removeOldChanges(db, days),
  },
  "old deliveries": { every: HOUR_MS, work: ({ db }) => removeOldDeliveries(db) },
  "old sessions": {
    every: HOUR_MS,
    work: async ({ db, config: { EVENT_RETENTION_DAYS: days } }) => days > 0 && removeOldSessions(db, days),
  },
  "old traces": { every: HOUR_MS, work: ({ db }) => removeOldTraces(db) },
  "totals of sessions and their issues": { every: MINUTE_MS / 2, work: ({ db }) => linkMentions(db) },
  "totals of older sessions": { every: HOUR_MS, work: ({ db }) => countOldSessions(db) },
  "ends of older sessions": { every: HOUR_MS, work: ({ db }) => findEnds(db) },
  "sessions that were awaited": { every: 5_000, work: ({ db }) => linkArrived(db) },
  "sessions that are awaited": { every: HOUR_MS, work: ({ db }) => linkAwaited(db) },
  "sessions of older servers": { every: HOUR_MS, work: ({ db }) => findMissed(db) },
  "counts of tools": { every: MINUTE_MS, work: countTools },
  "counts of older events": { every: HOUR_MS, work: ({ db }) => countOlder(db) },
  "counts of issues": { every: MINUTE_MS, work: (runtime) => countIssues(runtime) },
  "counts of issues, compared": { every: HOUR_MS, work: compareIssueCounts },
  "texts of searches": { every: HOUR_MS, work: ({ db }) => mendTexts(db) },
  "tables that grew": { every: 5_000, work: async ({ db, config }) => config.DATABASE_URL && analyzeGrown(db) },
  clock: { every: MINUTE_MS, work: watchClock },
  "silent turns": { every: MINUTE_MS, work: ({ db }) => closeSilent(db) },
};

/** Runs each job at its interval, at another moment on each process, and looks after leases, until the server stops. A failure waits for the next. */
export function startJobs(runtime: Runtime): void {
  for (const [name, job] of Object.entries(JOBS)) void repeat(runtime, name, job);
  void keepLeases(runtime);
}

async function countTools(runtime: Runtime): Promise<number> {
  const days = await countMarked(runtime.db);
  await sumGroups(runtime);
  return days;
}

/** A job rests so many times as long as it took: however much there is to do, it leaves the database to others. */
const RESTS = 20;

async function repeat(runtime: Runtime, name: string, { every, work }: Job): Promise<void> {
  const { db, log, stopping } = runtime;
  const rest = (ms: number) => sleep(ms, undefined, { signal: stopping, ref: false }).catch(() => {});
  for (let pause = Math.random() * every; !stopping.aborted; ) {
    await rest(pause);
    if (stopping.aborted) return;
    const began = performance.now();
    await db
      .as("upkeep", async () => work(runtime))
      .then((removed) => log.debug({ job: name, removed }, "job done"))
      .catch((error) => log.warn({ err: error, job: name }, "job failed; tried again later"));
    pause = Math.max(every, RESTS * (performance.now() - began));
  }
}
