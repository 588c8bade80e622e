import { Unavailable } from "../../../db/errors/unavailable.ts";
import { count } from "../../counters.ts";
import { NO_ID } from "../../id.ts";
import { GROUPS_DIFFER, hourCounts, repairGroups } from "../../resources/recorded/analytics/index.ts";
import type { Runtime } from "../../runtime.ts";
import { eachOrganization } from "../organizations.ts";
import { keepPlace, placesOf, START } from "../positions.ts";
import { sessionTotals } from "../totals/recount.ts";
import { byKey, bySql, type Comparison } from "./comparison.ts";
import { tracker } from "./tracker.ts";

/** Failure groups that one statement compares: each may be of many failures. */
const GROUPS = 10;

const failureGroups: Comparison = {
  value: "sums of a failure group",
  next: byKey("recorded_failure_group", GROUPS, { tenant: "organization_id", key: "group_id" }),
  differing: bySql(GROUPS_DIFFER),
  repair: ({ db }, organizationId, keys) => repairGroups(db, organizationId, keys),
};

/** Every value that is kept beside what it is derived from. One that follows from another comes after it. */
export const COMPARISONS: readonly Comparison[] = [...tracker, sessionTotals, hourCounts, failureGroups];

/** Slices that one pass compares of a value of an organization; the next pass goes on behind them. */
const SLICES = 400;

/** The number of repairs of each value. */
export type Repaired = Record<string, number>;

/**
 * Compares derived values with what they are derived from, slice by slice, and derives those anew that differ: none does
 * unless a server of another release, a restored copy or a fault of ours wrote. Safe on any number of processes.
 */
export function repairDerived(runtime: Runtime): Promise<number> {
  // A counter that is not there yet cannot be seen to rise.
  for (const { value } of COMPARISONS) count("derived_values_repaired_total", value, 0);
  return eachOrganization(runtime.db, { table: "organization", tenant: "id" }, async (id) =>
    Object.values(await repairOrganization(runtime, id)).reduce((sum, times) => sum + times, 0),
  );
}

/** Does so for one organization. */
export async function repairOrganization(runtime: Runtime, organizationId: string, slices = SLICES): Promise<Repaired> {
  const repaired: Repaired = {};
  const places = await placesOf(runtime.db, organizationId);
  for (const comparison of COMPARISONS) {
    const from = places[comparison.value]?.id ?? NO_ID;
    const times = await repairOne(runtime, { organizationId, comparison, from, slices });
    if (times > 0) repaired[comparison.value] = times;
  }
  return repaired;
}

/** The part of one value that a pass compares. */
interface Part {
  organizationId: string;
  comparison: Comparison;
  from: string;
  slices: number;
}

/** Compares the next slices of one value. When it fails, the others still have their turn. */
async function repairOne(runtime: Runtime, { organizationId, comparison, from, slices }: Part): Promise<number> {
  const { db, log } = runtime;
  const { value } = comparison;
  let [repaired, place] = [0, from];
  try {
    for (let slice = 0; slice < slices; slice += 1) {
      const keys = await comparison.next(db.query, organizationId, place);
      place = keys.at(-1) ?? NO_ID;
      if (keys.length === 0) break;
      repaired += await repairSlice(runtime, organizationId, comparison, keys);
    }
    if (place !== from) await keepPlace(db, organizationId, value, { ...START, id: place });
  } catch (error) {
    if (error instanceof Unavailable) throw error;
    log.warn({ err: error, organizationId, value }, "a derived value was not compared; tried again later");
  }
  return repaired;
}

async function repairSlice(runtime: Runtime, organizationId: string, comparison: Comparison, keys: string[]) {
  const { value } = comparison;
  const wrong = await comparison.differing(runtime.db.query, organizationId, keys);
  if (wrong.length === 0) return 0;
  const times = await comparison.repair(runtime, organizationId, wrong);
  if (times === 0) return 0;
  count("derived_values_repaired_total", value, times);
  runtime.log.warn(
    { organizationId, value, times, keys: wrong.slice(0, 10) },
    "a derived value was wrong and is derived anew",
  );
  return times;
}
