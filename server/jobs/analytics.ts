import { runSteps } from "../../db/errors/parts.ts";
import type { Database } from "../../db/open.ts";
import { model } from "../resources/index.ts";
import { countMarked, sumStale } from "../resources/recorded/analytics/index.ts";
import { reopenRecurring } from "../resources/recorded/failures/reopen.ts";
import type { Runtime } from "../runtime.ts";
import { systemScope } from "../scope.ts";
import { mutate } from "../write/mutate.ts";
import { eachOrganization } from "./organizations.ts";

/**
 * Counts the marked hours of every organization, and sums the failure groups. Resolves with the number of days and
 * groups.
 */
export const countRecorded = (runtime: Runtime): Promise<number> =>
  runSteps(
    () => countHours(runtime.db),
    () => sumGroups(runtime),
  );

/** Counts the marked hours only. */
export const countHours = (db: Database): Promise<number> =>
  eachOrganization(db, { table: "recorded_mark" }, (id) => countMarked(db, id));

/**
 * Recomputes the sums of failure groups whose failures were counted again. Reopens issues about failures that happened
 * after the issue was completed. Safe in any number of concurrent processes.
 */
const sumGroups = (runtime: Runtime): Promise<number> =>
  eachOrganization(runtime.db, { table: "recorded_failure_group", only: "stale" }, async (id) => {
    const summed = await sumStale(runtime.db, id);
    await mutate(systemScope(runtime, id), model, async (write) => ({ ids: await reopenRecurring(write) }));
    return summed;
  });
