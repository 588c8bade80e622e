import type { Database } from "../../db/open.ts";
import { model } from "../resources/index.ts";
import { countOrganization, sumStale } from "../resources/recorded/analytics/index.ts";
import { reopenRecurring } from "../resources/recorded/failures/reopen.ts";
import type { Runtime } from "../runtime.ts";
import { systemScope } from "../scope.ts";
import { mutate } from "../write/mutate.ts";
import { eachOrganization } from "./organizations.ts";

/** Counts the hours that commits marked. Answers how many days it counted. */
export const countMarked = (db: Database): Promise<number> =>
  eachOrganization(db, { table: "recorded_mark" }, (id) => countOrganization(db, id));

/** Counts the days that are not counted, as after a restore, of organizations in which nothing happens now too. */
export const countUncounted = (db: Database): Promise<number> =>
  eachOrganization(db, { table: "recorded_session" }, (id) => countOrganization(db, id));

/**
 * Makes the sums of failure groups anew whose failures were counted again, and opens the issues again about those that
 * happened after they were completed. Safe on any number of processes.
 */
export async function sumGroups(runtime: Runtime): Promise<number> {
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
