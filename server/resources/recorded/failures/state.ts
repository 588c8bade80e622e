import { DAY_MS } from "../../../../formats/time.ts";
import type { Build, SqlRow } from "../../../read/entity.ts";
import { bind, column, organization } from "../../../read/row.ts";
import type { ArgumentPath } from "../../../read/selection.ts";
import { CLOSED, isOpenSql } from "../../issue/readiness.ts";
import { chosen } from "../computed-row.ts";

/** Days without a failure after which a group that fails again is back. */
export const QUIET_DAYS = 7;
/** Days in which a group is new, or back. */
const RECENT_DAYS = 7;

/** The states of a group of failures; the first that is true is its state. */
export const STATES = ["ignored", "back", "filed", "new", "ongoing"] as const;
type State = (typeof STATES)[number];

/** SQL of a moment: a group that began after it is new. */
const sinceOf = (build: Build): string =>
  bind(build, "failures.since", "timestamptz", ({ scope }) =>
    new Date(scope.at.getTime() - RECENT_DAYS * DAY_MS).toISOString(),
  );

/** SQL of the groups that are ignored, if no count ends that. There are at most so many as one organization may ignore. */
const ignored = (row: SqlRow, of: string): string => {
  const now = bind(row.build, "failures.now", "timestamptz", ({ scope }) => scope.at.toISOString());
  return `select ${of} from "failureIgnore" n where n."organizationId" = ${organization(row.build)}
    and (n.until is null or n.until > ${now})`;
};
const isCountBelow = (row: SqlRow) =>
  `n."groupId" = ${column(row, "id")} and (n."untilCount" is null or n."untilCount" > ${row.alias}.failures)`;

/** SQL of how a group is ignored, null when it is not. */
export const ignoreOf = (row: SqlRow, name: "ignoredAt" | "until" | "untilCount"): string =>
  `(${ignored(row, `n."${name}"`)} and ${isCountBelow(row)})`;

/** SQL of the groups with an issue that nobody gave up: one that was canceled, archived or trashed may be filed anew. */
const filed = (row: SqlRow, condition: string): string => `select f."groupId" from "failureIssue" f
  join issue i on i."organizationId" = f."organizationId" and i.id = f."issueId"
  where f."organizationId" = ${organization(row.build)} and ${condition}`;

const isKept = `i."archivedAt" is null and i.trashed is not true
  and i."stateType" not in ('${CLOSED.filter((type) => type !== "completed").join("', '")}')`;
const isReopened = `f."reopenedAt" is not null and ${isOpenSql("i")}`;

/** Raw SQL, as all of this: a part of what the read planner writes. The state of a group of failures. */
export function stateOf(row: SqlRow): string {
  const { alias } = row;
  const [id, since] = [column(row, "id"), sinceOf(row.build)];
  const is: Record<State, string> = {
    ignored: `exists (${ignored(row, "")} and ${isCountBelow(row)})`,
    back: `(exists (${filed(row, isReopened)} and f."groupId" = ${id})
      or ${alias}.back_at > ${since} and not exists (${filed(row, isKept)} and f."groupId" = ${id}))`,
    filed: `exists (${filed(row, isKept)} and f."groupId" = ${id})`,
    new: `${alias}.first_at > ${since}`,
    ongoing: "true",
  };
  return `case ${STATES.map((state) => `when ${is[state]} then '${state}'`).join(" ")} end`;
}

/** SQL of a filter by state. */
export function hasState(row: SqlRow, { value }: ArgumentPath): string {
  const wanted = chosen(STATES, value);
  if (wanted.length === STATES.length) return "true";
  if (wanted.length === 0) return "false";
  return `(${mayBe(row, wanted)} and ${stateOf(row)} in ('${wanted.join("', '")}'))`;
}

/** SQL of what has an index, and is true of each group in one of some states: so a few new groups among many are found without all being read. */
export function mayBe(row: SqlRow, states: readonly State[]): string {
  const [id, since] = [column(row, "id"), sinceOf(row.build)];
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
