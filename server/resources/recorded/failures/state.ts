import { DAY_MS } from "../../../../formats/time.ts";
import type { SqlRow, StatementBuild } from "../../../read/entity.ts";
import { bindOrganization, bindParameter, columnSql } from "../../../read/row.ts";
import type { ArgumentPath } from "../../../read/selection.ts";
import { CLOSED_STATE_TYPES, isOpenSql } from "../../issue/readiness.ts";
import { readAllowedValues } from "../computed-row.ts";

/** Number of days without a failure after which the next failure counts as a return of the group. */
export const QUIET_DAYS = 7;
/** Number of days for which a group counts as new or returned. */
const RECENT_DAYS = 7;

/** States of a failure group, by priority. If several states apply, the first of them is used. */
export const FAILURE_STATES = ["ignored", "back", "filed", "new", "ongoing"] as const;
type State = (typeof FAILURE_STATES)[number];

/**
 * SQL for a time. A group whose first failure is later counts as new, and a group whose failures returned later counts
 * as returned.
 */
const sinceOf = (build: StatementBuild): string =>
  bindParameter(build, "failures.since", "timestamptz", ({ scope }) =>
    new Date(scope.at.getTime() - RECENT_DAYS * DAY_MS).toISOString(),
  );

/**
 * SQL for the groups that are ignored at present. Does not compare the number of failures with `untilCount`. The number
 * of groups that an organization can ignore is limited.
 */
const ignored = (row: SqlRow, of: string): string => {
  const now = bindParameter(row.build, "failures.now", "timestamptz", ({ scope }) => scope.at.toISOString());
  return `select ${of} from "failureIgnore" n where n."organizationId" = ${bindOrganization(row.build)}
    and (n.until is null or n.until > ${now})`;
};
const isCountBelow = (row: SqlRow) =>
  `n."groupId" = ${columnSql(row, "id")} and (n."untilCount" is null or n."untilCount" > ${row.alias}.failures)`;

/** SQL for a value of a group's ignore entry; null if the group is not ignored. */
export const ignoreValueSql = (row: SqlRow, name: "ignoredAt" | "until" | "untilCount"): string =>
  `(${ignored(row, `n."${name}"`)} and ${isCountBelow(row)})`;

/**
 * SQL for the groups whose issue satisfies a condition. `isKept` excludes canceled, archived and trashed issues,
 * because a new issue may replace such an issue.
 */
const filed = (row: SqlRow, condition: string): string => `select f."groupId" from "failureIssue" f
  join issue i on i."organizationId" = f."organizationId" and i.id = f."issueId"
  where f."organizationId" = ${bindOrganization(row.build)} and ${condition}`;

const isKept = `i."archivedAt" is null and i.trashed is not true
  and i."stateType" not in ('${CLOSED_STATE_TYPES.filter((type) => type !== "completed").join("', '")}')`;
const isReopened = `f."reopenedAt" is not null and ${isOpenSql("i")}`;

/** Raw SQL, like all fragments here: a fragment for the read planner. SQL for the state of a failure group. */
export function failureStateSql(row: SqlRow): string {
  const { alias } = row;
  const [id, since] = [columnSql(row, "id"), sinceOf(row.build)];
  const is: Record<State, string> = {
    ignored: `exists (${ignored(row, "")} and ${isCountBelow(row)})`,
    back: `(exists (${filed(row, isReopened)} and f."groupId" = ${id})
      or ${alias}.back_at > ${since} and not exists (${filed(row, isKept)} and f."groupId" = ${id}))`,
    filed: `exists (${filed(row, isKept)} and f."groupId" = ${id})`,
    new: `${alias}.first_at > ${since}`,
    ongoing: "true",
  };
  return `case ${FAILURE_STATES.map((state) => `when ${is[state]} then '${state}'`).join(" ")} end`;
}

/** SQL for a filter by state. */
export function hasFailureStateSql(row: SqlRow, { value }: ArgumentPath): string {
  const wanted = readAllowedValues(FAILURE_STATES, value);
  if (wanted.length === FAILURE_STATES.length) return "true";
  if (wanted.length === 0) return "false";
  return `(${mayBeInStatesSql(row, wanted)} and ${failureStateSql(row)} in ('${wanted.join("', '")}'))`;
}

/**
 * SQL for a condition that holds for every group in the given states, and perhaps for other groups. The condition uses
 * indexes, so PostgreSQL finds a few new groups among many without reading all groups.
 */
export function mayBeInStatesSql(row: SqlRow, states: readonly State[]): string {
  const [id, since] = [columnSql(row, "id"), sinceOf(row.build)];
  const among = (groups: string) => `${id} = any(array(${groups}))`;
  const needs: Record<State, string> = {
    ignored: among(ignored(row, 'n."groupId"')),
    back: `(${row.alias}.back_at > ${since} or ${among(filed(row, isReopened))})`,
    filed: among(filed(row, isKept)),
    new: `${row.alias}.first_at > ${since}`,
    ongoing: "true",
  };
  return `(${states.map((state) => needs[state]).join(" or ")})`;
}
