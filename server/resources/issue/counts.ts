import type { Statement } from "../../../db/open.ts";
import { NO_ID } from "../../id.ts";
import type { Derivation, RowChange, SqlRow } from "../../read/entity.ts";
import { column, organization, readTable } from "../../read/row.ts";
import { trashedTeams } from "../fields.ts";

/**
 * Keys by which issues are counted: a kind, the column of the issue, and the table of the key. With `teams`, each
 * team has a separate count.
 */
export const COUNTED_BY = [
  { kind: "team", by: "teamId", table: "team", teams: true },
  { kind: "project", by: "projectId", table: "project", teams: true },
  { kind: "cycle", by: "cycleId", table: "cycle", teams: true },
  { kind: "creator", by: "creatorId", table: "user", teams: false },
] as const;

type By = (typeof COUNTED_BY)[number]["by"];

/** SQL for the number of a row's issues, including archived and trashed issues. */
export const issueCount = (row: SqlRow, by: By): string => `coalesce((select sum(k.issues) ${kept(row, by)}), 0)`;

/** SQL for the share of completed issues of a row. Canceled issues do not count. */
export const progress = (row: SqlRow, by: By): string =>
  `coalesce((select round(sum(k.completed)::numeric / nullif(sum(k.shown), 0), 4) ${kept(row, by)}
    and ${ofTeamsInUse(row)}), 0)`;

/** SQL for the number of open issues of an organization, without archived and trashed issues. */
export const openIssueCount = (row: SqlRow): string =>
  `(select coalesce(sum(k.shown - k.completed), 0) ${keptOfAll(row, "teamId")} and ${ofTeamsInUse(row)})`;

/** SQL for the counts by a key: of the row alone, and of every row of the organization. */
const kept = (row: SqlRow, by: By): string => `${keptOfAll(row, by)} and k.id = ${column(row, "id")}`;
const keptOfAll = (row: SqlRow, by: By): string =>
  `from ${readTable(row.build, "issueCount")} k where k."organizationId" = ${organization(row.build)}
    and k.kind = '${COUNTED_BY.find((counted) => counted.by === by)?.kind}'`;

/** SQL condition: the count belongs to a team that is not in the trash. */
const ofTeamsInUse = (row: SqlRow): string => `k."teamId" <> all(${trashedTeams(row)})`;

/**
 * The stored sums, with an SQL condition on an issue `i` for each sum: all issues, issues that count for the
 * progress, and completed issues.
 */
const shown = `i."archivedAt" is null and i.trashed is not true and i."stateType" not in ('canceled', 'duplicate')`;
const SUMS = { issues: "true", shown, completed: `${shown} and i."stateType" = 'completed'` };

/** Columns of the sums. */
export const SUM_NAMES = Object.keys(SUMS);

/** SQL for the counts of issues `i` by a key: the key's id, the team, and the sums. */
export const countedSql = ({ by, teams }: (typeof COUNTED_BY)[number]): string =>
  `i."${by}" as id, ${teams ? `i."teamId"` : `'${NO_ID}'::uuid`} as team, ${Object.entries(SUMS)
    .map(([name, holds]) => `count(*) filter (where ${holds}) as ${name}`)
    .join(", ")}`;

/**
 * Raw SQL, also in the statements below. Adds changes to the counts of organization $1. The organization comes from a
 * row of `sync`, and `offset 0` is present, so that on Citus the organization's node runs the whole statement.
 */
const ADD_CHANGES = `insert into "issueCount" as c ("organizationId", kind, id, "teamId", ${SUM_NAMES.join(", ")})
  select s."organizationId", d.kind, d.id, d.team, ${SUM_NAMES.map((name) => `d.${name}`).join(", ")}
    from sync s cross join unnest($2::text[], $3::uuid[], $4::uuid[], ${SUM_NAMES.map((_, at) => `$${at + 5}::integer[]`).join(", ")})
      d (kind, id, team, ${SUM_NAMES.join(", ")})
   where s."organizationId" = $1 offset 0
  on conflict ("organizationId", kind, id, "teamId") do update set
    ${SUM_NAMES.map((name) => `${name} = c.${name} + excluded.${name}`).join(", ")}`;

/** Deletes counts of organization $1 that reached zero, because the team, project or cycle may be deleted. */
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
  from: [...COUNTED_BY.map(({ by }) => by), "archivedAt", "trashed", "stateType"],
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
 * Returns the changes of the counts that contained the issues before, and that contain the issues now. Each count
 * appears once.
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
  COUNTED_BY.flatMap(({ kind, by, teams }) => {
    const id = row[by];
    return id ? [[kind, String(id), teams ? String(row["teamId"]) : NO_ID] as const] : [];
  });

/** Returns which sums contain an issue, with the same conditions as `SUMS` in SQL. */
function partOf({ archivedAt, trashed, stateType }: Row): boolean[] {
  const shown = !archivedAt && trashed !== true && stateType !== "canceled" && stateType !== "duplicate";
  return [true, shown, shown && stateType === "completed"];
}
