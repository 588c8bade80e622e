import type { SqlRow } from "../../read/entity.ts";
import { comparisonSql } from "../../read/filter/compare.ts";
import { bindOrganization, columnSql } from "../../read/row.ts";
import type { ArgumentPath } from "../../read/selection.ts";
import type { LoadedRow } from "../../write/rows.ts";
import type { WriteContext } from "../../write/write.ts";

/** Types of states in which an issue no longer needs work. */
export const CLOSED_STATE_TYPES = ["completed", "canceled", "duplicate"];

/** Returns true if an issue still needs work. Only open issues block other issues or are blocked. */
export const isOpen = ({
  stateType,
  archivedAt,
  trashed,
}: Pick<LoadedRow<"Issue">, "stateType" | "archivedAt" | "trashed">) =>
  !CLOSED_STATE_TYPES.includes(stateType) && !archivedAt && !trashed;

/** SQL condition: an issue is open. `alias` is the alias of the issue. */
export const isOpenSql = (alias: string): string =>
  `${alias}."stateType" not in ('${CLOSED_STATE_TYPES.join("', '")}') and ${alias}."archivedAt" is null and ${alias}.trashed is not true`;

/** SQL condition: an issue is open, and the team is not in the trash. $1 is the organization. */
export const isOpenInActiveTeamSql = (alias: string): string =>
  `${isOpenSql(alias)}
    and not exists (select from team a where a."organizationId" = $1 and a.id = ${alias}."teamId" and a."archivedAt" is not null)`;

/** Types of states in which an issue can be ready, unless the team excludes a type. */
export const READY_STATE_TYPES = ["triage", "backlog", "unstarted"] as const;

/**
 * SQL condition: an issue is ready. PostgreSQL uses the index of ready issues only if the condition has the same text
 * as the index.
 */
export const readySql = (row: SqlRow): string =>
  `(${columnSql(row, "stateType")} in ('backlog', 'unstarted', 'triage') and ${columnSql(row, "archivedAt")} is null
    and ${columnSql(row, "trashed")} is not true and ${columnSql(row, "openBlockers")} = 0 and not ${columnSql(row, "leased")}
    and ${isCounted(row)})`;

/**
 * SQL condition: the team counts the type of the state as ready. The excluded types are read once per
 * statement.
 */
const isCounted = (row: SqlRow): string => `(${columnSql(row, "teamId")}, ${columnSql(row, "stateType")}) not in (
    select k.id, x from team k cross join unnest(array['${READY_STATE_TYPES.join("', '")}']) x
    where k."organizationId" = ${bindOrganization(row.build)} and x <> all(k."readyStateTypes"))`;

/**
 * SQL for the filter `ready`. For `eq`, the SQL is the condition itself or its negation, because PostgreSQL cannot use
 * the index for a comparison with true or false.
 */
export function readyFilterSql(row: SqlRow, argument: ArgumentPath): string {
  const { eq, ...rest } = argument.value as Readonly<Record<string, unknown>>;
  const others = comparisonSql(row.build, { sql: readySql(row), type: "boolean" }, { ...argument, value: rest });
  if (typeof eq !== "boolean") return others;
  return `(${eq ? "" : "not "}${readySql(row)} and ${others})`;
}

/** Order of ready issues: by urgency, then by the number of unblocked issues, then from oldest to newest. */
export const READY_ORDER = [
  { type: "integer", sql: (row: SqlRow) => `coalesce(nullif(${columnSql(row, "priority")}, 0), 5)` },
  { type: "integer", descending: true, sql: (row: SqlRow) => columnSql(row, "unblocks") },
  { type: "timestamp", sql: (row: SqlRow) => columnSql(row, "createdAt") },
] as const;

/**
 * Schedules a new count for the given issues and their neighbors, to run after all other writes of the mutation: how
 * many open issues block each issue, and how many open issues each issue blocks. Call this function when an issue is
 * opened or closed, or when a `blocks` relation is added or removed. Raw SQL: an update from counts.
 */
export function updateReadiness(write: WriteContext, ids: readonly string[]): void {
  if (ids.length === 0) return;
  const waiting = write.followUps.findIndex(({ name }) => name === KEEP_READINESS);
  const [earlier] = waiting < 0 ? [] : write.followUps.splice(waiting, 1);
  const all = [...new Set([...((earlier?.values?.[1] ?? []) as readonly string[]), ...ids])];
  write.followUps.push({ name: KEEP_READINESS, text: KEEP, values: [write.scope.organizationId, all], ...COUNTS });
}

const KEEP_READINESS = "keep-readiness";

/**
 * Schedules a new count of blocking and blocked issues for the neighbors of a team's issues. Call this function when a
 * team is moved to the trash or restored.
 */
export function updateReadinessOfTeam(write: WriteContext, teamId: string): void {
  write.followUps.push({ text: KEEP_TEAM, values: [write.scope.organizationId, teamId], ...COUNTS });
}

const COUNTS = { reads: ["issue", "issueRelation", "team"], writes: ["issue"] };

const counted = (from: string, to: string): string => `(select count(*) from "issueRelation" r
    join issue o on o."organizationId" = r."organizationId" and o.id = r."${to}" and ${isOpenInActiveTeamSql("o")}
   where r."organizationId" = $1 and r."${from}" = n.id and r.type = 'blocks')`;

/** SQL for the number of open issues that block each issue `n`, and of open issues that the issue blocks. */
const counts = `c as (select n.id, ${counted("relatedIssueId", "issueId")} as blockers, ${counted("issueId", "relatedIssueId")} as blocked
    from n)`;
const differ = `(i."openBlockers", i.unblocks) is distinct from (c.blockers, c.blocked)`;

/**
 * SQL that updates the stored counts of the issues `n`. The condition on a list of ids lets PostgreSQL find each issue
 * by its key. With a join alone, PostgreSQL would not know the number of ids and would read all issues, for example ten
 * thousand.
 */
const keep = (n: string) => `
  with n as (${n}),
  ${counts}
  update issue i set "openBlockers" = c.blockers, unblocks = c.blocked from c
   where i."organizationId" = $1 and i.id = c.id and i.id = any(array(select id from n)) and ${differ}`;

/** SQL for the issues among $2 whose stored counts are wrong. */
export const READINESS_DIFFERENCES_SQL = `
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
