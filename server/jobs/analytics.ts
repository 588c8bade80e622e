import type { Database } from "../../db/open.ts";
import { model } from "../resources/index.ts";
import { countMarked, sumStale } from "../resources/recorded/analytics/index.ts";
import { reopenRecurring } from "../resources/recorded/failures/reopen.ts";
import type { Runtime } from "../runtime.ts";
import { systemScope } from "../scope.ts";
import { mutate } from "../write/mutate.ts";
import { eachOrganization } from "./organizations.ts";

/** Counts the marked hours of every organization, and what follows from them. Answers how many days it counted. */
export async function countRecorded(runtime: Runtime): Promise<number> {
  const days = await countHours(runtime.db);
  await sumGroups(runtime);
  return days;
}

/** Counts the marked hours alone. */
export const countHours = (db: Database): Promise<number> =>
  eachOrganization(db, { table: "recorded_mark" }, (id) => countMarked(db, id));

/**
 * Makes the sums of failure groups anew whose failures were counted again, and opens the issues again about those that
 * happened after they were completed. Safe on any number of processes.
 */
async function sumGroups(runtime: Runtime): Promise<number> {
  return eachOrganization(runtime.db, { table: "recorded_failure_group", only: "stale" }, async (id) => {
    const summed = await sumStale(runtime.db, id);
    await reopen(runtime, id);
    return summed;
  });
}

async function reopen(runtime: Runtime, organizationId: string): Promise<void> {
  const scope = systemScope(runtime, organizationId);
  await mutate(scope, model, async (write) => ({ ids: await reopenRecurring(write) })).catch((error) =>
    runtime.log.warn({ err: error, organizationId }, "issues about failures not opened again; tried again later"),
  );
}
