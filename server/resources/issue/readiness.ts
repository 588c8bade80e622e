import type { SqlRow } from "../../read/entity.ts";
import { comparison } from "../../read/filter/compare.ts";
import { column, organization } from "../../read/row.ts";
import type { ArgumentPath } from "../../read/selection.ts";
import type { Found } from "../../write/rows.ts";
import type { Write } from "../../write/write.ts";

/** Types of states in which an issue need not be done any more. */
export const CLOSED = ["completed", "canceled", "duplicate"];

/** Tells whether an issue still has to be done: it then blocks others, and others block it. */
export const isOpen = ({
  stateType,
  archivedAt,
  trashed,
}: Pick<Found<"Issue">, "stateType" | "archivedAt" | "trashed">) =>
  !CLOSED.includes(stateType) && !archivedAt && !trashed;

/** SQL of the same, of an alias. */
export const isOpenSql = (alias: string): string =>
  `${alias}."stateType" not in ('${CLOSED.join("', '")}') and ${alias}."archivedAt" is null and ${alias}.trashed is not true`;

/** SQL of the same but for what a team in the trash has, which need not be done either. $1 is the organization. */
export const openSql = (alias: string): string =>
  `${isOpenSql(alias)}
    and not exists (select from team a where a."organizationId" = $1 and a.id = ${alias}."teamId" and a."archivedAt" is not null)`;

/** Types of states in which an issue can be ready, unless its team leaves one out. */
export const READY_STATE_TYPES = ["triage", "backlog", "unstarted"] as const;

/** SQL of whether an issue can be begun. The words are those of the index of ready issues, or it would not be used. */
export const readySql = (row: SqlRow): string =>
  `(${column(row, "stateType")} in ('backlog', 'unstarted', 'triage') and ${column(row, "archivedAt")} is null
    and ${column(row, "trashed")} is not true and ${column(row, "openBlockers")} = 0 and not ${column(row, "leased")}
    and ${isCounted(row)})`;

/** SQL of whether the team counts the type of its state. What teams leave out is looked up once a statement. */
const isCounted = (row: SqlRow): string => `(${column(row, "teamId")}, ${column(row, "stateType")}) not in (
    select k.id, x from team k cross join unnest(array['${READY_STATE_TYPES.join("', '")}']) x
    where k."organizationId" = ${organization(row.build)} and x <> all(k."readyStateTypes"))`;

/** SQL of the filter `ready`: without a comparison where it can be, since only then the index is used. */
export function isReady(row: SqlRow, argument: ArgumentPath): string {
  const { eq, ...rest } = argument.value as Readonly<Record<string, unknown>>;
  const others = comparison(row.build, { sql: readySql(row), type: "boolean" }, { ...argument, value: rest });
  if (typeof eq !== "boolean") return others;
  return `(${eq ? "" : "not "}${readySql(row)} and ${others})`;
}

/** Steps of the order in which ready issues are to be done: urgent first, then what unblocks most, then the oldest. */
export const READY_ORDER = [
  { type: "integer", sql: (row: SqlRow) => `coalesce(nullif(${column(row, "priority")}, 0), 5)` },
  { type: "integer", descending: true, sql: (row: SqlRow) => column(row, "unblocks") },
  { type: "timestamp", sql: (row: SqlRow) => column(row, "createdAt") },
] as const;

/**
 * Counts anew how many open issues block each of these and their neighbours, and how many they block, once everything
 * else of the mutation is written. Call it whenever an issue is opened or closed, or a `blocks` relation comes or goes.
 * Raw SQL: an update from counts.
 */
export function keepReadiness(write: Write, ids: readonly string[]): void {
  if (ids.length === 0) return;
  const waiting = write.followUps.findIndex(({ name }) => name === KEEP_READINESS);
  const [earlier] = waiting < 0 ? [] : write.followUps.splice(waiting, 1);
  const all = [...new Set([...((earlier?.values?.[1] ?? []) as readonly string[]), ...ids])];
  write.followUps.push({ name: KEEP_READINESS, text: KEEP, values: [write.scope.organizationId, all], ...COUNTS });
}

const KEEP_READINESS = "keep-readiness";

/** Does the same for the neighbours of a team's issues. Call it whenever a team goes to the trash or comes back. */
export function keepReadinessOfTeam(write: Write, teamId: string): void {
  write.followUps.push({ text: KEEP_TEAM, values: [write.scope.organizationId, teamId], ...COUNTS });
}

const COUNTS = { reads: ["issue", "issueRelation", "team"], writes: ["issue"] };

const counted = (from: string, to: string): string => `(select count(*) from "issueRelation" r
    join issue o on o."organizationId" = r."organizationId" and o.id = r."${to}" and ${openSql("o")}
   where r."organizationId" = $1 and r."${from}" = n.id and r.type = 'blocks')`;

/** Counts of the open issues that block each of the issues `n`, and of those that it blocks. */
const counts = `c as (select n.id, ${counted("relatedIssueId", "issueId")} as blockers, ${counted("issueId", "relatedIssueId")} as blocked
    from n)`;
const differ = `(i."openBlockers", i.unblocks) is distinct from (c.blockers, c.blocked)`;

/**
 * The issues `n` are counted anew. The list has PostgreSQL find each by its key: for a join with ids of which it does not
 * know how many there are, it reads all of ten thousand issues.
 */
const keep = (n: string) => `
  with n as (${n}),
  ${counts}
  update issue i set "openBlockers" = c.blockers, unblocks = c.blocked from c
   where i."organizationId" = $1 and i.id = c.id and i.id = any(array(select id from n)) and ${differ}`;

/** SQL of which of the issues $2 are counted otherwise than they are. */
export const READINESS_DIFFERS = `
  with n as (select unnest($2::uuid[]) as id),
  ${counts}
  select i.id from issue i join c on c.id = i.id where i."organizationId" = $1 and i.id = any($2::uuid[]) and ${differ}`;

const KEEP = keep(`select unnest($2::uuid[]) as id
    union select r."relatedIssueId" from "issueRelation" r
      where r."organizationId" = $1 and r."issueId" = any($2::uuid[]) and r.type = 'blocks'
    union select r."issueId" from "issueRelation" r
      where r."organizationId" = $1 and r."relatedIssueId" = any($2::uuid[]) and r.type = 'blocks'`);

const KEEP_TEAM = keep(
  [
    ["issueId", "relatedIssueId"],
    ["relatedIssueId", "issueId"],
  ]
    .map(
      ([own, other]) => `select r."${other}" as id from "issueRelation" r
      join issue o on o."organizationId" = r."organizationId" and o.id = r."${own}" and o."teamId" = $2
      where r."organizationId" = $1 and r.type = 'blocks'`,
    )
    .join(" union "),
);
