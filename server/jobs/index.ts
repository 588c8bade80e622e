import { createMissingIndexes } from "../../db/text/background-indexes.ts";
import { HOUR_MS, MINUTE_MS } from "../../formats/time.ts";
import { closeEventsOfSilentSessions } from "../ingest/observe/silence.ts";
import type { Runtime } from "../runtime.ts";
import { removeObsoleteAccountRows } from "./accounts.ts";
import { updateHourAndGroupCounts } from "./analytics.ts";
import { watchClock } from "./clock.ts";
import { recountCosts } from "./costs.ts";
import { removeDeletedOrganizations, removeDeletedRecordings } from "./deletion.ts";
import { compareAndRepairDerivedValues } from "./derived/repair.ts";
import { analyzeGrownTables } from "./growth.ts";
import { removeOldInboxRows } from "./inbox.ts";
import { maintainLeases, stopLeasesAtLimits } from "./leases.ts";
import { updateLoopingSessions } from "./loops.ts";
import { linkIssuesToArrivedSessions, linkIssuesToAwaitedSessions } from "./mentions/arrived.ts";
import { processNewEvents } from "./mentions/new-events.ts";
import { removeOldObservations } from "./retention/observations.ts";
import { clearOldSessionTexts, removeOldSessions } from "./retention/retention.ts";
import { type Job, repeatJob } from "./run.ts";
import { removeOldChanges, removeOldDeliveries, removeOldNotices } from "./streams.ts";
import { computeMissingSessionTotals } from "./totals.ts";
import { emptyTrash } from "./trash.ts";

/** Interval of lease checks: an issue must be free within five seconds after its lease ends. */
const LEASES_MS = 2_000;

/**
 * All jobs; the key of each job is the name of the job in the log. Each works in slices and is safe in any number of
 * concurrent processes.
 */
export const JOBS: Readonly<Record<string, Job>> = {
  "spent logins and tokens": { every: HOUR_MS, work: ({ db }) => removeObsoleteAccountRows(db) },
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
    work: ({ db, config: { EVENT_RETENTION_DAYS: most } }) => clearOldSessionTexts(db, most),
  },
  "deleted organizations": { every: MINUTE_MS, makesUp: true, work: ({ db }) => removeDeletedOrganizations(db) },
  "deleted recordings": { every: 5_000, makesUp: true, work: removeDeletedRecordings },
  "old observations": {
    every: HOUR_MS,
    work: ({ db, config: { OBSERVATION_DAYS: days } }) => removeOldObservations(db, days),
  },
  "totals of sessions and their issues": {
    every: MINUTE_MS / 2,
    makesUp: true,
    work: ({ db }) => processNewEvents(db),
  },
  "calls that repeat each other": { every: 5_000, work: ({ db }, rest) => updateLoopingSessions(db, rest) },
  "old entries of inboxes": { every: HOUR_MS, work: ({ db }) => removeOldInboxRows(db) },
  "totals of restored sessions": { every: HOUR_MS, makesUp: true, work: ({ db }) => computeMissingSessionTotals(db) },
  "sessions that were awaited": { every: 5_000, work: ({ db }) => linkIssuesToArrivedSessions(db) },
  "sessions that are awaited": { every: HOUR_MS, makesUp: true, work: ({ db }) => linkIssuesToAwaitedSessions(db) },
  "counts of tools and failures": { every: MINUTE_MS, makesUp: true, work: updateHourAndGroupCounts },
  "costs by changed prices": { every: 5_000, makesUp: true, work: (runtime) => recountCosts(runtime) },
  "derived values": { every: HOUR_MS, makesUp: true, work: compareAndRepairDerivedValues },
  "tables that grew": { every: 5_000, work: async ({ db, config }) => config.DATABASE_URL && analyzeGrownTables(db) },
  "indexes of names and texts": { every: 5 * MINUTE_MS, makesUp: true, work: ({ db }) => createMissingIndexes(db) },
  leases: { every: LEASES_MS, isPrompt: true, work: maintainLeases },
  "limits of leases": { every: LEASES_MS, isPrompt: true, work: stopLeasesAtLimits },
  clock: { every: MINUTE_MS, work: watchClock },
  "silent turns": { every: MINUTE_MS / 2, work: ({ db }) => closeEventsOfSilentSessions(db) },
};

/** Runs each job at its interval until the server stops. Each process starts a job at a different time. */
export function startJobs(runtime: Runtime): void {
  for (const [name, job] of Object.entries(JOBS)) void repeatJob(runtime, name, job);
}
