import { Attempts } from "../../../db/errors/parts.ts";
import { readOwn } from "../../../formats/own.ts";
import { count } from "../../counters.ts";
import { NO_ID } from "../../id.ts";
import { COUNTED_BY, countedSql, SUM_NAMES } from "../../resources/issue/counts.ts";
import { keepReadiness, READINESS_DIFFERS } from "../../resources/issue/readiness.ts";
import { labelSetOf } from "../../resources/label/label-set.ts";
import { LEASES_DIFFER, repairLeases } from "../../resources/lease/expire.ts";
import { GROUPS_DIFFER, hourCounts, repairGroups } from "../../resources/recorded/analytics/index.ts";
import { TEXT_TABLES, textDiffers, writeTexts } from "../../resources/texts.ts";
import type { Runtime } from "../../runtime.ts";
import type { Write } from "../../write/write.ts";
import { eachOrganization, keepPlace, placesOf, START } from "../organizations.ts";
import { sessionTotals } from "../totals.ts";
import { byKey, bySql, type Comparison, ofTracker } from "./comparison.ts";

/** Rows whose counts one statement compares: each may be of any number of issues. */
const COMPARED = 10;

const NAMES = SUM_NAMES.join(", ");

type Counted = (typeof COUNTED_BY)[number];

/** The counts that are kept by teams, projects, cycles and creators, compared with the issues. */
const issueCounts: Comparison[] = COUNTED_BY.map((counted) =>
  ofTracker(
    {
      value: `issues of a ${counted.kind}`,
      next: byKey(counted.table, COMPARED),
      differing: bySql(differing(counted)),
    },
    ({ trx, scope }, ids) => recount(trx.query, counted, [scope.organizationId, ids]),
  ),
);

async function recount(query: Write["trx"]["query"], counted: Counted, values: unknown[]): Promise<void> {
  await query({
    text: `delete from "issueCount" where "organizationId" = $1 and kind = '${counted.kind}' and id = any($2::uuid[])`,
    values,
  });
  await query({
    text: `insert into "issueCount" ("organizationId", kind, id, "teamId", ${NAMES}) select $1, '${counted.kind}', n.* from (${recounted(counted)}) n`,
    values,
  });
}

/** Raw SQL here and below: counts of issues made anew, of the ids $2. */
function recounted(counted: Counted): string {
  return `
  select ${countedSql(counted)} from issue i
   where i."organizationId" = $1 and i."${counted.by}" = any($2::uuid[]) group by 1, 2`;
}

/** SQL of which of the ids $2 have other counts than were kept. */
function differing(counted: Counted): string {
  return `
  with made as (${recounted(counted)}),
  kept as (select id, "teamId" as team, ${NAMES} from "issueCount" where "organizationId" = $1 and kind = '${counted.kind}'
    and id = any($2::uuid[]) and (issues <> 0 or shown <> 0 or completed <> 0))
  select distinct id from ((select * from made except all select * from kept) union all (select * from kept except all select * from made)) d`;
}

/** Issues of a slice, and texts, which may be long. */
const ISSUES = 500;
const TEXTS = 50;

/** Raw SQL here and below: comparisons of what mutations derive in SQL. */
const TYPE_DIFFERS = `select i.id from issue i join "workflowState" s on s."organizationId" = i."organizationId" and s.id = i."stateId"
  where i."organizationId" = $1 and i.id = any($2::uuid[]) and i."stateType" <> s.type`;
const SET_TYPE = `update issue i set "stateType" = s.type from "workflowState" s
  where i."organizationId" = $1 and i.id = any($2::uuid[]) and s."organizationId" = $1 and s.id = i."stateId"`;

const SET = labelSetOf("$1", "i.id");
const LABELS_DIFFER = `select i.id from issue i
  where i."organizationId" = $1 and i.id = any($2::uuid[]) and i."labelSet" <> ${SET}`;
const SET_LABELS = `update issue i set "labelSet" = ${SET} where i."organizationId" = $1 and i.id = any($2::uuid[])`;

const nextIssues = byKey("issue", ISSUES);

/**
 * Derived values of the tracker, in the order in which one follows from another. A mutation logs none of them but leases, so
 * a repair logs none but leases.
 */
const tracker: readonly Comparison[] = [
  ofTracker({ value: "type of an issue's state", next: nextIssues, differing: bySql(TYPE_DIFFERS) }, (write, ids) =>
    write.trx.query({ text: SET_TYPE, values: [write.scope.organizationId, ids] }),
  ),
  ofTracker({ value: "labels of an issue", next: nextIssues, differing: bySql(LABELS_DIFFER) }, (write, ids) =>
    write.trx.query({ text: SET_LABELS, values: [write.scope.organizationId, ids] }),
  ),
  ofTracker({ value: "lease of an issue", next: nextIssues, differing: bySql(LEASES_DIFFER) }, repairLeases),
  ofTracker(
    { value: "blockers of an issue", next: nextIssues, differing: bySql(READINESS_DIFFERS) },
    async (write, ids) => keepReadiness(write, ids),
  ),
  ...issueCounts,
  ...TEXT_TABLES.map((texts) => {
    const { table, of } = texts;
    const isIt = `r."organizationId" = $1 and r.id = any($2::uuid[])`;
    const differing =
      bySql(`select r.id from "${of}" r left join "${table}" x on x."organizationId" = r."organizationId"
      and x.id = r.id where ${isIt} and ${textDiffers(texts)}`);
    return ofTracker(
      { value: `text of ${of === "issue" ? "an issue" : "a comment"}`, next: byKey(of, TEXTS), differing },
      (write, ids) => write.trx.query({ text: writeTexts(texts, isIt), values: [write.scope.organizationId, ids] }),
    );
  }),
];

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
  const attempts = new Attempts();
  for (const comparison of COMPARISONS) {
    const { value } = comparison;
    const from = readOwn(places, value)?.id ?? NO_ID;
    const part = { organizationId, comparison, from, slices };
    const times = await attempts.run({ value }, () => repairOne(runtime, part));
    if (times > 0) repaired[value] = times;
  }
  attempts.end();
  return repaired;
}

/** The part of one value that a pass compares. */
interface Part {
  organizationId: string;
  comparison: Comparison;
  from: string;
  slices: number;
}

/** Compares the next slices of one value. */
async function repairOne(runtime: Runtime, { organizationId, comparison, from, slices }: Part): Promise<number> {
  const { db } = runtime;
  let [repaired, place] = [0, from];
  const attempts = new Attempts();
  for (let slice = 0; slice < slices; slice += 1) {
    const keys = await comparison.next(db.query, organizationId, place);
    const [first] = keys;
    place = keys.at(-1) ?? NO_ID;
    if (first === undefined) break;
    repaired += await attempts.run({ from: first }, () => repairSlice(runtime, organizationId, comparison, keys));
  }
  if (place !== from) await keepPlace(db, organizationId, comparison.value, { ...START, id: place });
  attempts.end();
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
