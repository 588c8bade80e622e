import type { Statement } from "../../../db/open.ts";
import { NO_ID } from "../../id.ts";
import type { Derivation, RowChange, SqlRow } from "../../read/entity.ts";
import { column, organization, tableOf } from "../../read/row.ts";
import { trashedTeams } from "../fields.ts";

/** The keys that issues are counted by: a kind, the column that holds its id, and its table. `teams` counts each team by itself. */
export const COUNTED_BY = [
  { kind: "team", by: "teamId", table: "team", teams: true },
  { kind: "project", by: "projectId", table: "project", teams: true },
  { kind: "cycle", by: "cycleId", table: "cycle", teams: true },
  { kind: "creator", by: "creatorId", table: "user", teams: false },
] as const;

type By = (typeof COUNTED_BY)[number]["by"];

/** SQL of how many issues a row has, those in the archive and the trash too. */
export const issueCount = (row: SqlRow, by: By): string => `coalesce((select sum(k.issues) ${kept(row, by)}), 0)`;

/** SQL of the share of a parent's issues that are completed; canceled ones do not count. */
export const progress = (row: SqlRow, by: By): string =>
  `coalesce((select round(sum(k.completed)::numeric / nullif(sum(k.shown), 0), 4) ${kept(row, by)}
    and ${ofTeamsInUse(row)}), 0)`;

/** SQL of how many issues of an organization are open, without those in the archive and the trash. */
export const openIssueCount = (row: SqlRow): string =>
  `(select coalesce(sum(k.shown - k.completed), 0) ${keptOfAll(row, "teamId")} and ${ofTeamsInUse(row)})`;

/** SQL of the counts by one key: of the row alone, and of every row of the organization. */
const kept = (row: SqlRow, by: By): string => `${keptOfAll(row, by)} and k.id = ${column(row, "id")}`;
const keptOfAll = (row: SqlRow, by: By): string =>
  `from ${tableOf(row.build, "issueCount")} k where k."organizationId" = ${organization(row.build)}
    and k.kind = '${COUNTED_BY.find((counted) => counted.by === by)?.kind}'`;

/** SQL of whether a count is of issues whose team is not in the trash. */
const ofTeamsInUse = (row: SqlRow): string => `k."teamId" <> all(${trashedTeams(row)})`;

/** The sums that are kept, with SQL of whether an issue `i` is part of each: all, those that progress is made of, and those done. */
const shown = `i."archivedAt" is null and i.trashed is not true and i."stateType" not in ('canceled', 'duplicate')`;
const SUMS = { issues: "true", shown, completed: `${shown} and i."stateType" = 'completed'` };

/** The columns of the sums. */
export const SUM_NAMES = Object.keys(SUMS);

/** SQL of the counts of issues `i`, by one key: its id, the team, and the sums. */
export const countedSql = ({ by, teams }: (typeof COUNTED_BY)[number]): string =>
  `i."${by}" as id, ${teams ? `i."teamId"` : `'${NO_ID}'::uuid`} as team, ${Object.entries(SUMS)
    .map(([name, holds]) => `count(*) filter (where ${holds}) as ${name}`)
    .join(", ")}`;

/**
 * Raw SQL here and below. Adds to the counts of an organization, $1, what changes of issues come to. `offset 0` and an
 * organization that is taken from a row: where tables lie on several nodes, the organization's then runs all of it.
 */
const ADD_CHANGES = `insert into "issueCount" as c ("organizationId", kind, id, "teamId", ${SUM_NAMES.join(", ")})
  select s."organizationId", d.kind, d.id, d.team, ${SUM_NAMES.map((name) => `d.${name}`).join(", ")}
    from sync s cross join unnest($2::text[], $3::uuid[], $4::uuid[], ${SUM_NAMES.map((_, at) => `$${at + 5}::integer[]`).join(", ")})
      d (kind, id, team, ${SUM_NAMES.join(", ")})
   where s."organizationId" = $1 offset 0
  on conflict ("organizationId", kind, id, "teamId") do update set
    ${SUM_NAMES.map((name) => `${name} = c.${name} + excluded.${name}`).join(", ")}`;

/** Deletes counts of an organization, $1, that came to zero: their team, project or cycle may be deleted. */
const DROP_EMPTY = `delete from "issueCount" c using unnest($2::text[], $3::uuid[], $4::uuid[]) d (kind, id, team)
  where c."organizationId" = $1 and c.kind = d.kind and c.id = d.id and c."teamId" = d.team and c.issues = 0`;

type Row = NonNullable<RowChange["after"]>;

/** By how much a count changes; `key` is its kind, id and team. */
interface CountChange {
  key: readonly [kind: string, id: string, team: string];
  sums: [issues: number, shown: number, completed: number];
}

/** The counts as what follows from issues. */
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

/** The changes of the counts that issues were part of, and of those that they are part of now; each count once. */
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

/** The sums that an issue is a part of, as `SUMS` asks in SQL. */
function partOf({ archivedAt, trashed, stateType }: Row): boolean[] {
  const shown = !archivedAt && trashed !== true && stateType !== "canceled" && stateType !== "duplicate";
  return [true, shown, shown && stateType === "completed"];
}
