import { setTimeout as sleep } from "node:timers/promises";
import { HOUR_MS, MINUTE_MS } from "../../formats/time.ts";
import { count, note } from "../counters.ts";
import { closeSilent } from "../ingest/observe/silence.ts";
import type { Runtime } from "../runtime.ts";
import { removeSpent } from "./accounts.ts";
import { countRecorded } from "./analytics.ts";
import { watchClock } from "./clock.ts";
import { recountCosts } from "./costs.ts";
import { removeDeleted, removeDeletedRecordings } from "./deletion.ts";
import { repairDerived } from "./derived/repair.ts";
import { analyzeGrown } from "./growth.ts";
import { removeOldEntries } from "./inbox.ts";
import { keepLeases } from "./leases.ts";
import { findLoops } from "./loops.ts";
import { linkArrived, linkAwaited } from "./mentions/arrived.ts";
import { readNewEvents } from "./mentions/new-events.ts";
import { removeOldObservations } from "./observations.ts";
import { removeOldSessions, removeOldTexts } from "./retention/retention.ts";
import { removeOldChanges, removeOldDeliveries, removeOldNotices } from "./streams.ts";
import { countUnmeasured } from "./totals.ts";
import { emptyTrash } from "./trash.ts";

/** A job and its interval. */
interface Job {
  every: number;
  /** It makes up for a restore, and so begins when the server does. */
  makesUp?: true;
  /** One whose slices follow each other for long calls `rest` between them, which ends it once the server stops. */
  work(runtime: Runtime, rest?: () => Promise<void>): Promise<unknown>;
}

/** Every job, under the name the log knows it by. Each works in slices and is safe on any number of processes. */
export const JOBS: Readonly<Record<string, Job>> = {
  "spent logins and tokens": { every: HOUR_MS, work: ({ db }) => removeSpent(db) },
  trash: { every: HOUR_MS, work: (runtime) => emptyTrash(runtime) },
  "old changes": {
    every: HOUR_MS,
    work: async ({ db, config: { CHANGE_RETENTION_DAYS: days } }) => days > 0 && removeOldChanges(db, days),
  },
  "old deliveries": { every: HOUR_MS, work: ({ db }) => removeOldDeliveries(db) },
  "old notices": { every: HOUR_MS, work: ({ db }) => removeOldNotices(db) },
  "old sessions": {
    every: HOUR_MS,
    work: ({ db, config: { EVENT_RETENTION_DAYS: most } }) => removeOldSessions(db, most),
  },
  "old texts": {
    every: HOUR_MS,
    work: ({ db, config: { EVENT_RETENTION_DAYS: most } }) => removeOldTexts(db, most),
  },
  "deleted organizations": { every: MINUTE_MS, makesUp: true, work: ({ db }) => removeDeleted(db) },
  "deleted recordings": { every: 5_000, makesUp: true, work: removeDeletedRecordings },
  "old observations": {
    every: HOUR_MS,
    work: ({ db, config: { OBSERVATION_DAYS: days } }) => removeOldObservations(db, days),
  },
  "totals of sessions and their issues": { every: MINUTE_MS / 2, makesUp: true, work: ({ db }) => readNewEvents(db) },
  "calls that repeat each other": { every: 5_000, work: ({ db }, rest) => findLoops(db, rest) },
  "old entries of inboxes": { every: HOUR_MS, work: ({ db }) => removeOldEntries(db) },
  "totals of restored sessions": { every: HOUR_MS, makesUp: true, work: ({ db }) => countUnmeasured(db) },
  "sessions that were awaited": { every: 5_000, work: ({ db }) => linkArrived(db) },
  "sessions that are awaited": { every: HOUR_MS, makesUp: true, work: ({ db }) => linkAwaited(db) },
  "counts of tools and failures": { every: MINUTE_MS, makesUp: true, work: countRecorded },
  "costs by changed prices": { every: 5_000, makesUp: true, work: (runtime) => recountCosts(runtime) },
  "derived values": { every: HOUR_MS, makesUp: true, work: repairDerived },
  "tables that grew": { every: 5_000, work: async ({ db, config }) => config.DATABASE_URL && analyzeGrown(db) },
  clock: { every: MINUTE_MS, work: watchClock },
  "silent turns": { every: MINUTE_MS / 2, work: ({ db }) => closeSilent(db) },
};

/** Servers that start together begin apart. */
const SOON_MS = 1_000;

/** Runs each job at its interval, at another moment on each process, and looks after leases, until the server stops. A failure waits for the next. */
export function startJobs(runtime: Runtime): void {
  for (const [name, job] of Object.entries(JOBS)) void repeat(runtime, name, job);
  void keepLeases(runtime);
}

/** A job rests so many times as long as it worked: however much there is to do, it leaves the database to others. */
const RESTS = 20;

async function repeat(runtime: Runtime, name: string, { every, makesUp, work }: Job): Promise<void> {
  const { db, log, stopping } = runtime;
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping, ref: false });
  let rested = 0;
  const rest = async (least = 0) => {
    await pause(Math.max(least, RESTS * (performance.now() - rested)));
    rested = performance.now();
  };
  await pause(Math.random() * (makesUp ? SOON_MS : every)).catch(() => {});
  while (!stopping.aborted) {
    const began = performance.now();
    rested = began;
    const seconds = () => (performance.now() - began) / 1000;
    await db
      .as("upkeep", async () => work(runtime, rest))
      .then((removed) => {
        log.debug({ job: name, removed }, "job done");
        note("job_last_success_timestamp_seconds", Date.now() / 1000, name);
        note("job_duration_seconds", seconds(), name);
      })
      .catch((error) => {
        if (stopping.aborted && error.name === "AbortError") return;
        log.warn({ err: error, job: name }, "job failed; tried again later");
        count("job_failures_total", name);
      });
    await rest(every).catch(() => {});
  }
}
