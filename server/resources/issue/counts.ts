import type { Statement } from "../../../db/open.ts";
import { NO_ID } from "../../id.ts";
import type { Derivation, RowChange, SqlRow } from "../../read/entity.ts";
import { bindOrganization, columnSql, readTableSql } from "../../read/row.ts";
import { trashedTeamIdsSql } from "../fields.ts";

/**
 * Ways to count issues. Each entry contains a kind, the issue's column by whose value issues are counted, and the table
 * to which the column refers. With `teams`, each team has a separate count.
 */
export const ISSUE_COUNT_KEYS = [
  { kind: "team", by: "teamId", table: "team", teams: true },
  { kind: "project", by: "projectId", table: "project", teams: true },
  { kind: "cycle", by: "cycleId", table: "cycle", teams: true },
  { kind: "creator", by: "creatorId", table: "user", teams: false },
] as const;

type By = (typeof ISSUE_COUNT_KEYS)[number]["by"];

/** SQL for the number of a row's issues, including archived and trashed issues. */
export const issueCountSql = (row: SqlRow, by: By): string => `coalesce((select sum(k.issues) ${kept(row, by)}), 0)`;

/** SQL for the share of completed issues of a row. Canceled issues do not count. */
export const progressSql = (row: SqlRow, by: By): string =>
  `coalesce((select round(sum(k.completed)::numeric / nullif(sum(k.shown), 0), 4) ${kept(row, by)}
    and ${ofTeamsInUse(row)}), 0)`;

/** SQL for the number of open issues of an organization, without archived and trashed issues. */
export const openIssueCountSql = (row: SqlRow): string =>
  `(select coalesce(sum(k.shown - k.completed), 0) ${keptOfAll(row, "teamId")} and ${ofTeamsInUse(row)})`;

/** SQL for the stored counts of one kind: `kept` for a single row, `keptOfAll` for all rows of the organization. */
const kept = (row: SqlRow, by: By): string => `${keptOfAll(row, by)} and k.id = ${columnSql(row, "id")}`;
const keptOfAll = (row: SqlRow, by: By): string =>
  `from ${readTableSql(row.build, "issueCount")} k where k."organizationId" = ${bindOrganization(row.build)}
    and k.kind = '${ISSUE_COUNT_KEYS.find((counted) => counted.by === by)?.kind}'`;

/** SQL condition: the count belongs to a team that is not in the trash. */
const ofTeamsInUse = (row: SqlRow): string => `k."teamId" <> all(${trashedTeamIdsSql(row)})`;

/**
 * SQL conditions on an issue `i` that decide which stored sums count the issue: all issues, issues that count for the
 * progress, and completed issues.
 */
const shown = `i."archivedAt" is null and i.trashed is not true and i."stateType" not in ('canceled', 'duplicate')`;
const SUMS = { issues: "true", shown, completed: `${shown} and i."stateType" = 'completed'` };

/** Columns of the sums. */
export const ISSUE_COUNT_COLUMNS = Object.keys(SUMS);

/** Select list for counting issues `i` by a column: the value of the column, the team, and the sums. */
export const issueCountsByKeySql = ({ by, teams }: (typeof ISSUE_COUNT_KEYS)[number]): string =>
  `i."${by}" as id, ${teams ? `i."teamId"` : `'${NO_ID}'::uuid`} as team, ${Object.entries(SUMS)
    .map(([name, holds]) => `count(*) filter (where ${holds}) as ${name}`)
    .join(", ")}`;

/**
 * Raw SQL, also in the statements below. Adds changes to the counts of organization $1. The organization comes from a
 * row of `sync`, and `offset 0` is present, so that on Citus the organization's node runs the whole statement.
 */
const ADD_CHANGES = `insert into "issueCount" as c ("organizationId", kind, id, "teamId", ${ISSUE_COUNT_COLUMNS.join(", ")})
  select s."organizationId", d.kind, d.id, d.team, ${ISSUE_COUNT_COLUMNS.map((name) => `d.${name}`).join(", ")}
    from sync s cross join unnest($2::text[], $3::uuid[], $4::uuid[], ${ISSUE_COUNT_COLUMNS.map((_, at) => `$${at + 5}::integer[]`).join(", ")})
      d (kind, id, team, ${ISSUE_COUNT_COLUMNS.join(", ")})
   where s."organizationId" = $1 offset 0
  on conflict ("organizationId", kind, id, "teamId") do update set
    ${ISSUE_COUNT_COLUMNS.map((name) => `${name} = c.${name} + excluded.${name}`).join(", ")}`;

/** Deletes counts of organization $1 that reached zero. The team, project or cycle of a count may no longer exist. */
const DROP_EMPTY = `delete from "issueCount" c using unnest($2::text[], $3::uuid[], $4::uuid[]) d (kind, id, team)
  where c."organizationId" = $1 and c.kind = d.kind and c.id = d.id and c."teamId" = d.team and c.issues = 0`;

type Row = NonNullable<RowChange["after"]>;

/** Change of a count. `key` contains the kind, the id and the team. */
interface CountChange {
  key: readonly [kind: string, id: string, team: string];
  sums: [issues: number, shown: number, completed: number];
}

/** Counts as a derivation of issues. */
export const countsOfIssues: Derivation = {
  table: "issueCount",
  from: [...ISSUE_COUNT_KEYS.map(({ by }) => by), "archivedAt", "trashed", "stateType"],
  statements: (organizationId, rows) => countStatements(organizationId, changesOf(rows)),
};

function countStatements(organization: string, changes: readonly CountChange[]): Statement[] {
  if (changes.length === 0) return [];
  const column = (at: 0 | 1 | 2) => changes.map(({ key }) => key[at]);
  const sum = (at: 0 | 1 | 2) => changes.map(({ sums }) => sums[at]);
  const keys = [column(0), column(1), column(2)];
  const add = { name: "count-issues", text: ADD_CHANGES, values: [organization, ...keys, sum(0), sum(1), sum(2)] };
  const drop = { name: "drop-counts", text: DROP_EMPTY, values: [organization, ...keys] };
  return changes.some(({ sums }) => sums[0] < 0) ? [add, drop] : [add];
}

/**
 * Returns how the changed issues change the stored counts: minus the issues before the change, plus the issues after
 * the change. Each count appears once.
 */
function changesOf(rows: readonly RowChange[]): CountChange[] {
  const changes = new Map<string, CountChange>();
  const add = (row: Row, sign: 1 | -1) => {
    const sums = partOf(row);
    for (const key of keysOf(row)) {
      const change = changes.get(key.join()) ?? { key, sums: [0, 0, 0] };
      changes.set(key.join(), change);
      sums.forEach((is, at) => {
        change.sums[at] = (change.sums[at] ?? 0) + (is ? sign : 0);
      });
    }
  };
  for (const { before, after } of rows) {
    if (before) add(before, -1);
    if (after) add(after, 1);
  }
  return [...changes.values()].filter(({ sums }) => sums.some((each) => each !== 0));
}

const keysOf = (row: Row): CountChange["key"][] =>
  ISSUE_COUNT_KEYS.flatMap(({ kind, by, teams }) => {
    const id = row[by];
    return id ? [[kind, String(id), teams ? String(row["teamId"]) : NO_ID] as const] : [];
  });

/** Returns, for each sum in `SUMS`, whether the sum counts the issue. The conditions are the same as in the SQL. */
function partOf({ archivedAt, trashed, stateType }: Row): boolean[] {
  const shown = !archivedAt && trashed !== true && stateType !== "canceled" && stateType !== "duplicate";
  return [true, shown, shown && stateType === "completed"];
}
