import { sumSteps } from "../../db/errors/parts.ts";
import type { Database } from "../../db/open.ts";
import { model } from "../resources/index.ts";
import { countMarked, sumStale } from "../resources/recorded/analytics/index.ts";
import { reopenRecurring } from "../resources/recorded/failures/reopen.ts";
import type { Runtime } from "../runtime.ts";
import { systemScope } from "../scope.ts";
import { mutate } from "../write/mutate.ts";
import { eachOrganization } from "./organizations.ts";

/** Counts the marked hours of every organization, and sums the failure groups. Resolves with the number of days and groups. */
export const countRecorded = (runtime: Runtime): Promise<number> =>
  sumSteps(
    () => countHours(runtime.db),
    () => sumGroups(runtime),
  );

/** Counts the marked hours alone. */
export const countHours = (db: Database): Promise<number> =>
  eachOrganization(db, { table: "recorded_mark" }, (id) => countMarked(db, id));

/**
 * Makes the sums of failure groups anew whose failures were counted again, and opens the issues again about those that
 * happened after they were completed. Safe on any number of processes.
 */
const sumGroups = (runtime: Runtime): Promise<number> =>
  eachOrganization(runtime.db, { table: "recorded_failure_group", only: "stale" }, async (id) => {
    const summed = await sumStale(runtime.db, id);
    await mutate(systemScope(runtime, id), model, async (write) => ({ ids: await reopenRecurring(write) }));
    return summed;
  });
