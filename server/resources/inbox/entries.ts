import { readOwn } from "../../../formats/own.ts";
import { DAY_MS } from "../../../formats/time.ts";
import type { Build, SqlRow } from "../../read/entity.ts";
import { bind, caller, column, entityOf, newRow, organization, tableOf } from "../../read/row.ts";
import { isOpenSql } from "../issue/readiness.ts";
import { mayBe, stateOf } from "../recorded/failures/state.ts";
import { eventOf, isInState, STUCK_MS, sinceAt, stateAt } from "../recorded/sessions/state.ts";

/** The newest entries that one source gives: an inbox is read by a person. */
const MOST = 500;
/** Groups of failures of which those are taken that nobody filed or ignored. */
const GROUPS = 1_000;
/** A session of which nothing came for so many days waits for nobody any more; and so many days ago it may have begun. */
const SILENT_DAYS = 7;
const BEGUN_DAYS = 37;
/** A notice is shown for so many days. */
export const NOTICE_DAYS = 30;

/** SQL of a moment, so long before the request. */
const ago = (build: Build, name: string, ms: number): string =>
  bind(build, name, "timestamptz", ({ scope }) => new Date(scope.at.getTime() - ms).toISOString());
const daysAgo = (build: Build, days: number): string => ago(build, `days.${days}`, days * DAY_MS);

/** The columns of an entry. Those that a source has not are null. */
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

/** SQL of an entry: its id is that of what it is about. A hash of thousands would take a quarter of the time of a full inbox. */
const entry = (id: string, values: { [Name in keyof typeof COLUMNS]?: string }): string =>
  [
    `${id} as id`,
    ...Object.entries(COLUMNS).map(([name, type]) => `(${readOwn(values, name) ?? "null"})::${type} as "${name}"`),
  ].join(", ");

/** Sessions whose agents wait for a person, that are stuck, or that repeat themselves. Each state is one range of an index. */
function sessions(build: Build): string {
  build.reads.add("recorded_session");
  const before = ago(build, "stuck.before", STUCK_MS);
  const some = ["waitingForPermission", "waitingForAnswer", "stuck", "looping"].map(
    (state) => `(select * from recorded_session s where s.organization_id = ${organization(build)}
      and ${isInState(state, "s", () => before)} and s."timestamp" > ${daysAgo(build, BEGUN_DAYS)}
      and s.last_received_at > ${daysAgo(build, SILENT_DAYS)} order by s."timestamp" desc limit ${MOST})`,
  );
  return `select ${entry("s.session_id", {
    type: stateAt("s", before),
    createdAt: sinceAt("s", before),
    sessionId: "s.session_id",
    eventId: eventOf("s", before),
  })} from (${some.join(" union all ")}) s`;
}

/** Groups of failures that are new or back, and that nobody filed or ignored, among the latest that may be. */
function failures(build: Build): string {
  for (const table of ["failureIssue", "failureIgnore", "issue"]) build.reads.add(table);
  const group = newRow(build, entityOf(build, "RecordedFailureGroup"));
  const g = group.alias;
  const reopened = `(select f."reopenedAt" from "failureIssue" f
    where f."organizationId" = ${organization(build)} and f."groupId" = ${column(group, "id")})`;
  return `select ${entry("g.group_id", {
    type: "case g.state when 'new' then 'failureNew' else 'failureBack' end",
    createdAt: "case g.state when 'new' then g.first_at else coalesce(greatest(g.back_at, g.reopened), g.first_at) end",
    sessionId: "g.session_id",
    eventId: "g.event_id",
    failureGroupId: "g.group_id",
  })} from (select ${g}.*, ${stateOf(group)} as state, ${reopened} as reopened from recorded_failure_group ${g}
      where ${g}.organization_id = ${organization(build)} and ${g}.failures > 0 and ${mayBe(group, ["new", "back"])}
      order by ${g}.last_at desc limit ${GROUPS}) g where g.state in ('new', 'back') limit ${MOST}`;
}

/** Notices of open issues: to everybody, of leases that ran out, and to the caller. */
function notices(build: Build): string {
  const [own, me] = [organization(build), caller(build)];
  const some = [`n."userId" is null`, `n."userId" = ${me}`].map(
    (whose) => `(select n.* from ${tableOf(build, "inboxNotice")} n where n."organizationId" = ${own} and ${whose}
      and n."createdAt" > ${daysAgo(build, NOTICE_DAYS)} order by n."createdAt" desc limit ${MOST})`,
  );
  return `select ${entry("n.id", {
    type: "n.type",
    createdAt: `n."createdAt"`,
    issueId: `n."issueId"`,
    commentId: `n."commentId"`,
    holderId: `n."holderId"`,
  })} from (${some.join(" union all ")}) n
    cross join lateral (select * from ${tableOf(build, "issue")} i where i."organizationId" = ${own} and i.id = n."issueId" limit 1) i
    where ${isOpenSql("i")} and i."archivedAt" is null and i.trashed is not true and case n.type
      when 'leaseExpired' then not i.leased when 'issueAssigned' then ${me} in (i."assigneeId", i."delegateId")
      else true end`;
}

/** Claims that reached a limit: their issues wait for a person who gives them back or takes them over. */
function limits(build: Build): string {
  return `select ${entry("l.id", {
    type: "'limitReached'",
    createdAt: `l."trippedAt"`,
    issueId: "l.id",
    holderId: `l."holderId"`,
  })} from (select * from ${tableOf(build, "issueLease")} where "organizationId" = ${organization(build)} and "trippedAt" is not null
      order by "trippedAt" desc limit ${MOST}) l`;
}

/**
 * SQL of every entry of an organization, as one of its users sees it. Each source is bounded and has an index. OFFSET 0: else
 * each source compares its entries with the marks of the user by itself, and the marks are read seven times. Raw SQL: a part
 * of what the read planner writes.
 */
export const entriesSql = (build: Build): string =>
  `select e.*, e."createdAt" as "updatedAt" from (
    ${[sessions, failures, notices, limits].map((source) => `(${source(build)})`).join(" union all ")}) e offset 0`;

const marks = ({ build }: SqlRow): string =>
  `"inboxState" m where m."organizationId" = ${organization(build)} and m."userId" = ${caller(build)}`;

/** SQL of what the caller did about an entry. */
export const markOf = (row: SqlRow, name: string): string => {
  row.build.reads.add("inboxState");
  return `(select m."${name}" from ${marks(row)} and m.id = ${column(row, "id")} and m.since = ${column(row, "createdAt")})`;
};

/**
 * SQL of the condition that the caller is done with an entry, or has snoozed it. The marks are read once, into a hash table.
 * A join would be planned by how many the statistics know of, and compare each entry with each mark where they lag behind.
 */
export const isPutAway = (row: SqlRow): string => {
  row.build.reads.add("inboxState");
  const now = ago(row.build, "inbox.now", 0);
  return `(${column(row, "id")}, ${column(row, "createdAt")}) in (select m.id, m.since from ${marks(row)}
    and (m."doneAt" is not null or m."snoozedUntilAt" > ${now}))`;
};
