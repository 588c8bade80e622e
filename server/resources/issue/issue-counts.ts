import type { Statement } from "../../../db/open.ts";
import { EVERY_ID, NO_ID } from "../../id.ts";
import type { Derivation, RowChange } from "../../read/entity.ts";

/** The keys that issues are counted by: a kind, the column that holds its id, and its table. `teams` counts each team by itself. */
export const COUNTED_BY = [
  { kind: "team", by: "teamId", table: "team", teams: true },
  { kind: "project", by: "projectId", table: "project", teams: true },
  { kind: "cycle", by: "cycleId", table: "cycle", teams: true },
  { kind: "creator", by: "creatorId", table: "user", teams: false },
] as const;

/** The sums that are kept, with SQL of whether an issue `i` is part of each: all, those that progress is made of, and those done. */
const shown = `i."archivedAt" is null and i.trashed is not true and i."stateType" not in ('canceled', 'duplicate')`;
export const SUMS = { issues: "true", shown, completed: `${shown} and i."stateType" = 'completed'` };

const names = Object.keys(SUMS);
/** SQL of the sums over issues `i`. */
export const sumsOfIssues = Object.entries(SUMS)
  .map(([name, holds]) => `count(*) filter (where ${holds}) as ${name}`)
  .join(", ");
/** Raw SQL here and below. Adds what an insert would put in to what is there. Its table is `c`. */
const ADD = `on conflict ("organizationId", kind, id, "teamId") do update set
  ${names.map((name) => `${name} = c.${name} + excluded.${name}`).join(", ")}`;
const INTO = `insert into "issueCount" as c ("organizationId", kind, id, "teamId", ${names.join(", ")})`;

/**
 * Adds to the counts of an organization, $1, what changes of issues come to: those of issues that are not counted yet
 * will be, as they are then. `offset 0` and an organization that is taken from a row: where tables lie on several nodes, the
 * organization's then runs all of it.
 */
const ADD_CHANGES = `${INTO}
  select k."organizationId", d.kind, d.id, d.team, ${names.map((name) => `sum(d.${name})`).join(", ")}
    from "issueCounted" k join unnest($2::uuid[], $3::text[], $4::uuid[], $5::uuid[], ${names.map((_, at) => `$${at + 6}::integer[]`).join(", ")})
      d (issue, kind, id, team, ${names.join(", ")}) on d.issue <= k."upTo"
   where k."organizationId" = $1
   group by k."organizationId", d.kind, d.id, d.team offset 0 ${ADD}`;

/** Deletes counts of an organization, $1, that came to zero: their team, project or cycle may be deleted. */
const DROP_EMPTY = `delete from "issueCount" c using unnest($2::text[], $3::uuid[], $4::uuid[]) d (kind, id, team)
  where c."organizationId" = $1 and c.kind = d.kind and c.id = d.id and c."teamId" = d.team and c.issues = 0`;

const kinds = COUNTED_BY.map(
  ({ kind, by, teams }) => `('${kind}', i."${by}", ${teams ? `i."teamId"` : `'${NO_ID}'::uuid`})`,
).join(", ");

/** SQL that counts the next issues of an organization, $1, by id; it notes how far it came. Its writers have to wait. */
export const countNext = (issues: number): string => `
  with part as materialized (select i.* from issue i where i."organizationId" = $1
      and i.id > (select "upTo" from "issueCounted" where "organizationId" = $1) order by i.id limit ${issues}),
  counted as (update "issueCounted" set "upTo" = case when (select count(*) from part) < ${issues} then '${EVERY_ID}'
      else (select id from part order by id desc limit 1) end where "organizationId" = $1)
  ${INTO} select $1, k.kind, k.id, k.team, ${sumsOfIssues}
    from part i cross join lateral (values ${kinds}) k (kind, id, team) where k.id is not null group by k.kind, k.id, k.team ${ADD}`;

type Row = NonNullable<RowChange["after"]>;

/** By how much a count changes; `key` is its kind, id and team. */
interface CountChange {
  issue: string;
  key: readonly [kind: string, id: string, team: string];
  sums: [issues: number, shown: number, completed: number];
}

/** The counts as what follows from issues. */
export const countsOfIssues: Derivation = {
  table: "issueCount",
  from: [...COUNTED_BY.map(({ by }) => by), "archivedAt", "trashed", "stateType"],
  statements: (organizationId, rows) => countStatements(organizationId, rows.flatMap(changesOf)),
};

function countStatements(organization: string, changes: readonly CountChange[]): Statement[] {
  if (changes.length === 0) return [];
  const column = (at: 0 | 1 | 2) => changes.map(({ key }) => key[at]);
  const sum = (at: 0 | 1 | 2) => changes.map(({ sums }) => sums[at]);
  const ids = changes.map(({ issue }) => issue);
  const keys = [column(0), column(1), column(2)];
  const add = { name: "count-issues", text: ADD_CHANGES, values: [organization, ids, ...keys, sum(0), sum(1), sum(2)] };
  const drop = { name: "drop-counts", text: DROP_EMPTY, values: [organization, ...keys] };
  return changes.some(({ sums }) => sums[0] < 0) ? [add, drop] : [add];
}

/** The changes of the counts that an issue was part of, and of those that it is part of now. */
function changesOf({ id: issue, before, after }: RowChange): CountChange[] {
  const changes = new Map<string, CountChange>();
  for (const [row, sign] of [
    [before, -1],
    [after, 1],
  ] as const) {
    if (!row) continue;
    const sums = partOf(row);
    for (const key of keysOf(row)) {
      const change = changes.get(key.join()) ?? { issue, key, sums: [0, 0, 0] };
      changes.set(key.join(), change);
      sums.forEach((is, at) => {
        change.sums[at] = (change.sums[at] ?? 0) + (is ? sign : 0);
      });
    }
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
