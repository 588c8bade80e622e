import { getOwnProperty } from "../../../formats/own.ts";
import { DAY_MS } from "../../../formats/time.ts";
import type { SqlRow, StatementBuild } from "../../read/entity.ts";
import {
  bindCaller,
  bindOrganization,
  bindParameter,
  columnSql,
  findEntity,
  newRow,
  readTableSql,
} from "../../read/row.ts";
import { isOpenSql } from "../issue/readiness.ts";
import { failureStateSql, mayBeInStatesSql } from "../recorded/failures/state.ts";
import {
  isSessionInStateSql,
  STUCK_AFTER_MS,
  sessionStateAtSql,
  stateEnteredAtSql,
  stateEventIdSql,
} from "../recorded/sessions/state.ts";

/**
 * Maximum number of entries from each query of a source, such as the sessions in one state. People read the inbox, so
 * more entries would have no use.
 */
const MOST = 500;
/** Maximum number of candidate failure groups that are read. Groups that users filed or ignored are then omitted. */
const GROUPS = 1_000;
/**
 * A session without reports for SILENT_DAYS no longer appears as waiting. Only sessions that began within BEGUN_DAYS
 * are read.
 */
const SILENT_DAYS = 7;
const BEGUN_DAYS = 37;
/** Number of days for which a notice is shown. */
export const NOTICE_DAYS = 30;

/** SQL for the time that is `ms` milliseconds before the request. */
const ago = (build: StatementBuild, name: string, ms: number): string =>
  bindParameter(build, name, "timestamptz", ({ scope }) => new Date(scope.at.getTime() - ms).toISOString());
const daysAgo = (build: StatementBuild, days: number): string => ago(build, `days.${days}`, days * DAY_MS);

/** Columns of an entry. Columns that a source does not have are null. */
const COLUMNS = {
  type: "text",
  createdAt: "timestamptz",
  sessionId: "uuid",
  eventId: "uuid",
  issueId: "uuid",
  failureGroupId: "uuid",
  commentId: "uuid",
  holderId: "uuid",
} as const;

/**
 * SQL for the columns of an entry. The id of an entry is the id of its subject, such as a session. Computing other ids
 * by a hash would take a quarter of the time of reading a full inbox.
 */
const entry = (id: string, values: { [Name in keyof typeof COLUMNS]?: string }): string =>
  [
    `${id} as id`,
    ...Object.entries(COLUMNS).map(
      ([name, type]) => `(${getOwnProperty(values, name) ?? "null"})::${type} as "${name}"`,
    ),
  ].join(", ");

/**
 * SQL for the sessions that wait for a user, are stuck, or are looping. The sessions in each state are one range of an
 * index.
 */
function sessions(build: StatementBuild): string {
  build.reads.add("recorded_session");
  const before = ago(build, "stuck.before", STUCK_AFTER_MS);
  const some = ["waitingForPermission", "waitingForAnswer", "stuck", "looping"].map(
    (state) => `(select * from recorded_session s where s.organization_id = ${bindOrganization(build)}
      and ${isSessionInStateSql(state, "s", () => before)} and s."timestamp" > ${daysAgo(build, BEGUN_DAYS)}
      and s.last_received_at > ${daysAgo(build, SILENT_DAYS)} order by s."timestamp" desc limit ${MOST})`,
  );
  return `select ${entry("s.session_id", {
    type: sessionStateAtSql("s", before),
    createdAt: stateEnteredAtSql("s", before),
    sessionId: "s.session_id",
    eventId: stateEventIdSql("s", before),
  })} from (${some.join(" union all ")}) s`;
}

/**
 * SQL for failure groups in the state new or back (returned). Groups that users ignored, or for which an issue exists
 * without a return, are in other states. Only the latest candidates are read.
 */
function failures(build: StatementBuild): string {
  for (const table of ["failureIssue", "failureIgnore", "issue"]) build.reads.add(table);
  const group = newRow(build, findEntity(build, "RecordedFailureGroup"));
  const g = group.alias;
  const reopened = `(select f."reopenedAt" from "failureIssue" f
    where f."organizationId" = ${bindOrganization(build)} and f."groupId" = ${columnSql(group, "id")})`;
  return `select ${entry("g.group_id", {
    type: "case g.state when 'new' then 'failureNew' else 'failureBack' end",
    createdAt: "case g.state when 'new' then g.first_at else coalesce(greatest(g.back_at, g.reopened), g.first_at) end",
    sessionId: "g.session_id",
    eventId: "g.event_id",
    failureGroupId: "g.group_id",
  })} from (select ${g}.*, ${failureStateSql(group)} as state, ${reopened} as reopened from recorded_failure_group ${g}
      where ${g}.organization_id = ${bindOrganization(build)} and ${g}.failures > 0 and ${mayBeInStatesSql(group, ["new", "back"])}
      order by ${g}.last_at desc limit ${GROUPS}) g where g.state in ('new', 'back') limit ${MOST}`;
}

/**
 * SQL for the notices about open issues. Every user sees notices of expired leases. Any other notice is visible only
 * to the user whom the notice addresses.
 */
function notices(build: StatementBuild): string {
  const [own, me] = [bindOrganization(build), bindCaller(build)];
  const some = [`n."userId" is null`, `n."userId" = ${me}`].map(
    (whose) => `(select n.* from ${readTableSql(build, "inboxNotice")} n where n."organizationId" = ${own} and ${whose}
      and n."createdAt" > ${daysAgo(build, NOTICE_DAYS)} order by n."createdAt" desc limit ${MOST})`,
  );
  return `select ${entry("n.id", {
    type: "n.type",
    createdAt: `n."createdAt"`,
    issueId: `n."issueId"`,
    commentId: `n."commentId"`,
    holderId: `n."holderId"`,
  })} from (${some.join(" union all ")}) n
    cross join lateral (select * from ${readTableSql(build, "issue")} i where i."organizationId" = ${own} and i.id = n."issueId" limit 1) i
    where ${isOpenSql("i")} and i."archivedAt" is null and i.trashed is not true and case n.type
      when 'leaseExpired' then not i.leased when 'issueAssigned' then ${me} in (i."assigneeId", i."delegateId")
      else true end`;
}

/** Claims that exceeded a limit. The issue of each claim waits until a user releases or takes over the issue. */
function limits(build: StatementBuild): string {
  return `select ${entry("l.id", {
    type: "'limitReached'",
    createdAt: `l."trippedAt"`,
    issueId: "l.id",
    holderId: `l."holderId"`,
  })} from (select * from ${readTableSql(build, "issueLease")} where "organizationId" = ${bindOrganization(build)} and "trippedAt" is not null
      order by "trippedAt" desc limit ${MOST}) l`;
}

/**
 * SQL for all inbox entries of an organization, as the caller sees the entries. Each source has a limit and uses an
 * index. Without OFFSET 0, PostgreSQL would compare the entries of each source with the user's marks separately, and
 * would read the marks seven times. Raw SQL: a fragment for the read planner.
 */
export const entriesSql = (build: StatementBuild): string =>
  `select e.*, e."createdAt" as "updatedAt" from (
    ${[sessions, failures, notices, limits].map((source) => `(${source(build)})`).join(" union all ")}) e offset 0`;

const marks = ({ build }: SqlRow): string =>
  `"inboxState" m where m."organizationId" = ${bindOrganization(build)} and m."userId" = ${bindCaller(build)}`;

/** SQL for the caller's mark on an entry. */
export const markSql = (row: SqlRow, name: string): string => {
  row.build.reads.add("inboxState");
  return `(select m."${name}" from ${marks(row)} and m.id = ${columnSql(row, "id")} and m.since = ${columnSql(row, "createdAt")})`;
};

/**
 * SQL condition: the caller marked an entry as done, or snoozed the entry. The subquery reads the marks once into a
 * hash table. PostgreSQL would plan a join by its statistics; with outdated statistics, the join would compare each
 * entry with each mark.
 */
export const isDoneOrSnoozedSql = (row: SqlRow): string => {
  row.build.reads.add("inboxState");
  const now = ago(row.build, "inbox.now", 0);
  return `(${columnSql(row, "id")}, ${columnSql(row, "createdAt")}) in (select m.id, m.since from ${marks(row)}
    and (m."doneAt" is not null or m."snoozedUntilAt" > ${now}))`;
};
