import { PartRunner } from "../../../db/errors/parts.ts";
import { getOwnProperty } from "../../../formats/own.ts";
import { incrementCounter } from "../../counters.ts";
import { NO_ID } from "../../id.ts";
import { ISSUE_COUNT_COLUMNS, ISSUE_COUNT_KEYS, issueCountsByKeySql } from "../../resources/issue/counts.ts";
import { READINESS_DIFFERENCES_SQL, updateReadiness } from "../../resources/issue/readiness.ts";
import { issueLabelSetSql } from "../../resources/label/label-set.ts";
import { LEASE_DIFFERENCES_SQL, repairLeases } from "../../resources/lease/expire.ts";
import {
  GROUP_SUM_DIFFERENCES_SQL,
  hourCountsComparison,
  recomputeFailureGroupSums,
} from "../../resources/recorded/analytics/index.ts";
import { SEARCH_TEXT_TABLES, searchTextDiffersSql, upsertSearchTextsSql } from "../../resources/texts.ts";
import type { Runtime } from "../../runtime.ts";
import type { WriteContext } from "../../write/write.ts";
import { eachOrganization, readScanPositions, SCAN_START, storeScanPosition } from "../organizations.ts";
import { sessionTotalsComparison } from "../totals.ts";
import {
  createDifferenceQuery,
  createKeyReader,
  createTrackerComparison,
  type DerivedValueComparison,
} from "./comparison.ts";

/** Number of rows that one statement compares. The number is small, because each row may count any number of issues. */
const COMPARED = 10;

const NAMES = ISSUE_COUNT_COLUMNS.join(", ");

type Counted = (typeof ISSUE_COUNT_KEYS)[number];

/** Comparisons of the issue counts of teams, projects, cycles and creators. */
const issueCounts: DerivedValueComparison[] = ISSUE_COUNT_KEYS.map((counted) =>
  createTrackerComparison(
    {
      value: `issues of a ${counted.kind}`,
      next: createKeyReader(counted.table, COMPARED),
      differing: createDifferenceQuery(differing(counted)),
    },
    ({ trx, scope }, ids) => recount(trx.query, counted, [scope.organizationId, ids]),
  ),
);

async function recount(query: WriteContext["trx"]["query"], counted: Counted, values: unknown[]): Promise<void> {
  await query({
    text: `delete from "issueCount" where "organizationId" = $1 and kind = '${counted.kind}' and id = any($2::uuid[])`,
    values,
  });
  await query({
    text: `insert into "issueCount" ("organizationId", kind, id, "teamId", ${NAMES}) select $1, '${counted.kind}', n.* from (${recounted(counted)}) n`,
    values,
  });
}

/** Raw SQL here and below: computes the issue counts of the ids $2. */
function recounted(counted: Counted): string {
  return `
  select ${issueCountsByKeySql(counted)} from issue i
   where i."organizationId" = $1 and i."${counted.by}" = any($2::uuid[]) group by 1, 2`;
}

/** SQL for the ids among $2 whose stored counts are wrong. */
function differing(counted: Counted): string {
  return `
  with made as (${recounted(counted)}),
  kept as (select id, "teamId" as team, ${NAMES} from "issueCount" where "organizationId" = $1 and kind = '${counted.kind}'
    and id = any($2::uuid[]) and (issues <> 0 or shown <> 0 or completed <> 0))
  select distinct id from ((select * from made except all select * from kept) union all (select * from kept except all select * from made)) d`;
}

/**
 * Number of issues per slice, and number of texts per slice. The second number is smaller, because texts may be long.
 */
const ISSUES = 500;
const TEXTS = 50;

/** Raw SQL here and below: compares the values that mutations derive in SQL. */
const TYPE_DIFFERS = `select i.id from issue i join "workflowState" s on s."organizationId" = i."organizationId" and s.id = i."stateId"
  where i."organizationId" = $1 and i.id = any($2::uuid[]) and i."stateType" <> s.type`;
const SET_TYPE = `update issue i set "stateType" = s.type from "workflowState" s
  where i."organizationId" = $1 and i.id = any($2::uuid[]) and s."organizationId" = $1 and s.id = i."stateId"`;

const SET = issueLabelSetSql("$1", "i.id");
const LABELS_DIFFER = `select i.id from issue i
  where i."organizationId" = $1 and i.id = any($2::uuid[]) and i."labelSet" <> ${SET}`;
const SET_LABELS = `update issue i set "labelSet" = ${SET} where i."organizationId" = $1 and i.id = any($2::uuid[])`;

const nextIssues = createKeyReader("issue", ISSUES);

/**
 * Derived values of the tracker, in order of dependency. Mutations log changes only of leases, not of the other derived
 * values, and repairs do the same.
 */
const tracker: readonly DerivedValueComparison[] = [
  createTrackerComparison(
    { value: "type of an issue's state", next: nextIssues, differing: createDifferenceQuery(TYPE_DIFFERS) },
    (write, ids) => write.trx.query({ text: SET_TYPE, values: [write.scope.organizationId, ids] }),
  ),
  createTrackerComparison(
    { value: "labels of an issue", next: nextIssues, differing: createDifferenceQuery(LABELS_DIFFER) },
    (write, ids) => write.trx.query({ text: SET_LABELS, values: [write.scope.organizationId, ids] }),
  ),
  createTrackerComparison(
    { value: "lease of an issue", next: nextIssues, differing: createDifferenceQuery(LEASE_DIFFERENCES_SQL) },
    repairLeases,
  ),
  createTrackerComparison(
    { value: "blockers of an issue", next: nextIssues, differing: createDifferenceQuery(READINESS_DIFFERENCES_SQL) },
    async (write, ids) => updateReadiness(write, ids),
  ),
  ...issueCounts,
  ...SEARCH_TEXT_TABLES.map((texts) => {
    const { table, of } = texts;
    const isIt = `r."organizationId" = $1 and r.id = any($2::uuid[])`;
    const differing =
      createDifferenceQuery(`select r.id from "${of}" r left join "${table}" x on x."organizationId" = r."organizationId"
      and x.id = r.id where ${isIt} and ${searchTextDiffersSql(texts)}`);
    return createTrackerComparison(
      { value: `text of ${of === "issue" ? "an issue" : "a comment"}`, next: createKeyReader(of, TEXTS), differing },
      (write, ids) =>
        write.trx.query({ text: upsertSearchTextsSql(texts, isIt), values: [write.scope.organizationId, ids] }),
    );
  }),
];

/** Failure groups that one statement compares. Each group may contain many failures. */
const GROUPS = 10;

const failureGroups: DerivedValueComparison = {
  value: "sums of a failure group",
  next: createKeyReader("recorded_failure_group", GROUPS, { tenant: "organization_id", key: "group_id" }),
  differing: createDifferenceQuery(GROUP_SUM_DIFFERENCES_SQL),
  repair: ({ db }, organizationId, keys) => recomputeFailureGroupSums(db, organizationId, keys),
};

/** All derived values. A value that depends on another comes after it. */
export const DERIVED_VALUE_COMPARISONS: readonly DerivedValueComparison[] = [
  ...tracker,
  sessionTotalsComparison,
  hourCountsComparison,
  failureGroups,
];

/** Maximum slices that one pass compares per value and organization. The next pass continues from there. */
const SLICES = 400;

/** Number of repairs by value. */
export type RepairCounts = Record<string, number>;

/**
 * Compares derived values with their sources, slice by slice, and derives differing values again. Differences exist
 * only after writes of a server of another release, a restored copy or a bug. Safe in any number of concurrent
 * processes.
 */
export function compareAndRepairDerivedValues(runtime: Runtime): Promise<number> {
  // Initializes the counters with 0. Monitoring cannot detect the first increase of a counter that did not exist
  // before.
  for (const { value } of DERIVED_VALUE_COMPARISONS) incrementCounter("derived_values_repaired_total", value, 0);
  return eachOrganization(runtime.db, { table: "organization", tenant: "id" }, async (id) =>
    Object.values(await repairOrganizationValues(runtime, id)).reduce((sum, times) => sum + times, 0),
  );
}

export async function repairOrganizationValues(
  runtime: Runtime,
  organizationId: string,
  slices = SLICES,
): Promise<RepairCounts> {
  const repaired: RepairCounts = {};
  const places = await readScanPositions(runtime.db, organizationId);
  const attempts = new PartRunner();
  for (const comparison of DERIVED_VALUE_COMPARISONS) {
    const { value } = comparison;
    const from = getOwnProperty(places, value)?.id ?? NO_ID;
    const part = { organizationId, comparison, from, slices };
    const times = await attempts.run({ value }, () => repairOne(runtime, part));
    if (times > 0) repaired[value] = times;
  }
  attempts.end();
  return repaired;
}

/** Rows that a single pass compares for a derived value. */
interface Part {
  organizationId: string;
  comparison: DerivedValueComparison;
  from: string;
  slices: number;
}

/** Compares the next slices of one value. */
async function repairOne(runtime: Runtime, { organizationId, comparison, from, slices }: Part): Promise<number> {
  const { db } = runtime;
  let [repaired, place] = [0, from];
  const attempts = new PartRunner();
  for (let slice = 0; slice < slices; slice += 1) {
    const keys = await comparison.next(db.query, organizationId, place);
    const [first] = keys;
    place = keys.at(-1) ?? NO_ID;
    if (first === undefined) break;
    repaired += await attempts.run({ from: first }, () => repairSlice(runtime, organizationId, comparison, keys));
  }
  if (place !== from) await storeScanPosition(db, organizationId, comparison.value, { ...SCAN_START, id: place });
  attempts.end();
  return repaired;
}

async function repairSlice(
  runtime: Runtime,
  organizationId: string,
  comparison: DerivedValueComparison,
  keys: string[],
) {
  const { value } = comparison;
  const wrong = await comparison.differing(runtime.db.query, organizationId, keys);
  if (wrong.length === 0) return 0;
  const times = await comparison.repair(runtime, organizationId, wrong);
  if (times === 0) return 0;
  incrementCounter("derived_values_repaired_total", value, times);
  runtime.log.warn(
    { organizationId, value, times, keys: wrong.slice(0, 10) },
    "a derived value was wrong and was computed again",
  );
  return times;
}
