import { setTimeout as sleep } from "node:timers/promises";
import type { Runtime } from "../runtime.ts";
import { removeSpent } from "./accounts.ts";
import { keepLeases } from "./leases.ts";
import { removeOldSessions } from "./retention.ts";
import { removeOldChanges, removeOldDeliveries } from "./streams.ts";
import { emptyTrash } from "./trash.ts";

const HOUR_MS = 60 * 60 * 1000;

/** Every job, under the name the log knows it by. Each works in slices and is safe on any number of processes. */
const JOBS: Record<string, (runtime: Runtime) => Promise<unknown>> = {
  "spent logins and tokens": ({ db }) => removeSpent(db),
  trash: emptyTrash,
  "old changes": async ({ db, config: { CHANGE_RETENTION_DAYS: days } }) => days > 0 && removeOldChanges(db, days),
  "old deliveries": ({ db }) => removeOldDeliveries(db),
  "old sessions": async ({ db, config: { EVENT_RETENTION_DAYS: days } }) => days > 0 && removeOldSessions(db, days),
};

/** Runs each job every hour, and the one that looks after leases all the time, at another minute on each process, until the server stops. A failure waits for the next. */
export function startJobs(runtime: Runtime): void {
  for (const name of Object.keys(JOBS)) void repeat(runtime, name);
  void keepLeases(runtime);
}

async function repeat(runtime: Runtime, name: string): Promise<void> {
  const { db, log, stopping } = runtime;
  const rest = (ms: number) => sleep(ms, undefined, { signal: stopping, ref: false }).catch(() => {});
  for (await rest(Math.random() * HOUR_MS); !stopping.aborted; await rest(HOUR_MS)) {
    await db
      .as("upkeep", async () => JOBS[name]?.(runtime))
      .then((removed) => log.debug({ job: name, removed }, "job done"))
      .catch((error) => log.warn({ err: error, job: name }, "job failed; tried again in an hour"));
  }
}
