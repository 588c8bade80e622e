import { buildIndexes } from "../../db/text/background-indexes.ts";
import { HOUR_MS, MINUTE_MS } from "../../formats/time.ts";
import { closeSilentSessions } from "../ingest/observe/silence.ts";
import type { Runtime } from "../runtime.ts";
import { removeSpent } from "./accounts.ts";
import { countRecorded } from "./analytics.ts";
import { watchClock } from "./clock.ts";
import { recountCosts } from "./costs.ts";
import { removeDeleted, removeDeletedRecordings } from "./deletion.ts";
import { repairDerived } from "./derived/repair.ts";
import { analyzeGrown } from "./growth.ts";
import { removeOldEntries } from "./inbox.ts";
import { maintainLeases, stopAtLimits } from "./leases.ts";
import { findLoops } from "./loops.ts";
import { linkArrived, linkAwaited } from "./mentions/arrived.ts";
import { readNewEvents } from "./mentions/new-events.ts";
import { removeOldObservations } from "./retention/observations.ts";
import { removeOldSessions, removeOldTexts } from "./retention/retention.ts";
import { type Job, repeatJob } from "./run.ts";
import { removeOldChanges, removeOldDeliveries, removeOldNotices } from "./streams.ts";
import { countUnmeasured } from "./totals.ts";
import { emptyTrash } from "./trash.ts";

/** Interval of lease checks: an issue must be free within five seconds after its lease ends. */
const LEASES_MS = 2_000;

/** All jobs, by their name in the log. Each works in slices and is safe in any number of concurrent processes. */
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
  "indexes of names and texts": { every: 5 * MINUTE_MS, makesUp: true, work: ({ db }) => buildIndexes(db) },
  leases: { every: LEASES_MS, isPrompt: true, work: maintainLeases },
  "limits of leases": { every: LEASES_MS, isPrompt: true, work: stopAtLimits },
  clock: { every: MINUTE_MS, work: watchClock },
  "silent turns": { every: MINUTE_MS / 2, work: ({ db }) => closeSilentSessions(db) },
};

/** Runs each job at its interval until the server stops. Each process starts a job at a different time. */
export function startJobs(runtime: Runtime): void {
  for (const [name, job] of Object.entries(JOBS)) void repeatJob(runtime, name, job);
}
