import { runSteps } from "../../db/errors/parts.ts";
import type { Database } from "../../db/open.ts";
import { entityModel } from "../resources/index.ts";
import { countMarkedHoursOfOrganization, sumStaleGroups } from "../resources/recorded/analytics/index.ts";
import { reopenRecurringFailureIssues } from "../resources/recorded/failures/reopen.ts";
import type { Runtime } from "../runtime.ts";
import { createSystemScope } from "../scope.ts";
import { runMutationTransaction } from "../write/mutate.ts";
import { eachOrganization } from "./organizations.ts";

/**
 * Counts the marked hours of every organization, and sums the failure groups. Resolves with the number of days and
 * groups.
 */
export const updateHourAndGroupCounts = (runtime: Runtime): Promise<number> =>
  runSteps(
    () => countMarkedHours(runtime.db),
    () => sumGroups(runtime),
  );

/** Counts the marked hours only. */
export const countMarkedHours = (db: Database): Promise<number> =>
  eachOrganization(db, { table: "recorded_mark" }, (id) => countMarkedHoursOfOrganization(db, id));

/**
 * Recomputes the sums of failure groups whose failures were counted again. Reopens issues about failures that happened
 * after the issue was completed. Safe in any number of concurrent processes.
 */
const sumGroups = (runtime: Runtime): Promise<number> =>
  eachOrganization(runtime.db, { table: "recorded_failure_group", only: "stale" }, async (id) => {
    const summed = await sumStaleGroups(runtime.db, id);
    await runMutationTransaction(createSystemScope(runtime, id), entityModel, async (write) => ({
      ids: await reopenRecurringFailureIssues(write),
    }));
    return summed;
  });
