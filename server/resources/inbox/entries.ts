import type { Build, SqlRow } from "../../read/entity.ts";
import { bind, caller, column, entityOf, newRow, organization, tableOf } from "../../read/row.ts";
import { isOpenSql } from "../issue/readiness.ts";
import { LIMIT_NAMES } from "../lease/fence.ts";
import { hasState, stateOf } from "../recorded/failures/state.ts";
import { eventOf, isInState, STUCK_MS, sinceAt, stateAt } from "../recorded/sessions/state.ts";

/** The newest entries that one source gives: an inbox is read by a person. */
const MOST = 500;
/** Characters of a question. */
const QUESTION = 2_000;
const DAY_MS = 24 * 60 * 60 * 1000;
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
  question: "text",
  sessionId: "uuid",
  eventId: "uuid",
  issueId: "uuid",
  failureGroupId: "uuid",
  commentId: "uuid",
  holderId: "uuid",
} as const;

/** SQL of an entry: its id is made of the kind of its source and the id there. */
const entry = (kind: string, id: string, values: { [Name in keyof typeof COLUMNS]?: string }): string =>
  [
    `md5('${kind} ' || ${id})::uuid as id`,
    ...Object.entries(COLUMNS).map(
      ([name, type]) => `(${values[name as keyof typeof COLUMNS] ?? "null"})::${type} as "${name}"`,
    ),
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
  return `select ${entry("session", "s.session_id", {
    type: stateAt("s", before),
    createdAt: sinceAt("s", before),
    question: "s.waits_for",
    sessionId: "s.session_id",
    eventId: eventOf("s", before),
  })} from (${some.join(" union all ")}) s`;
}

/** Groups of failures that are new or back, and that nobody ignores. */
function failures(build: Build): string {
  for (const table of ["failureIssue", "failureIgnore", "issue"]) build.reads.add(table);
  const group = newRow(build, entityOf(build, "RecordedFailureGroup"));
  const g = group.alias;
  const value = { in: ["new", "back"] };
  const recent = hasState(group, { argumentIndex: -1, path: [], value });
  const reopened = `(select f."reopenedAt" from "failureIssue" f
    where f."organizationId" = ${organization(build)} and f."groupId" = ${column(group, "id")})`;
  return `select ${entry("failure", "g.group_id", {
    type: "case g.state when 'new' then 'failureNew' else 'failureBack' end",
    createdAt: "case g.state when 'new' then g.first_at else coalesce(greatest(g.back_at, g.reopened), g.first_at) end",
    question: `left(g.tool || ': ' || g.message, ${QUESTION})`,
    sessionId: "g.session_id",
    eventId: "g.event_id",
    failureGroupId: "g.group_id",
  })} from (select ${g}.*, ${stateOf(group)} as state, ${reopened} as reopened from recorded_failure_group ${g}
      where ${g}.organization_id = ${organization(build)} and ${g}.failures > 0 and ${recent}
      order by ${g}.last_at desc limit ${MOST}) g`;
}

/** Notices of open issues: to everybody, of leases that ran out, and to the caller. */
function notices(build: Build): string {
  const [own, me] = [organization(build), caller(build)];
  const some = [`n."userId" is null`, `n."userId" = ${me}`].map(
    (whose) => `(select n.* from ${tableOf(build, "inboxNotice")} n where n."organizationId" = ${own} and ${whose}
      and n."createdAt" > ${daysAgo(build, NOTICE_DAYS)} order by n."createdAt" desc limit ${MOST})`,
  );
  return `select ${entry("notice", "n.id", {
    type: "n.type",
    createdAt: `n."createdAt"`,
    question: `left(case when n.type <> 'issueMentioned' then i.title else coalesce(c.body, i.description) end, ${QUESTION})`,
    issueId: `n."issueId"`,
    commentId: `n."commentId"`,
    holderId: `n."holderId"`,
  })} from (${some.join(" union all ")}) n
    join ${tableOf(build, "issue")} i on i."organizationId" = ${own} and i.id = n."issueId"
    left join ${tableOf(build, "comment")} c on c."organizationId" = ${own} and c.id = n."commentId"
    where ${isOpenSql("i")} and i."archivedAt" is null and i.trashed is not true and case n.type
      when 'leaseExpired' then not i.leased when 'issueAssigned' then ${me} in (i."assigneeId", i."delegateId")
      else true end`;
}

const LIMIT = `case l."trippedBy" ${Object.entries(LIMIT_NAMES)
  .map(([limit, words]) => `when '${limit}' then '${words}'`)
  .join(" ")} end`;

/** Claims that reached a limit: their issues wait for a person who gives them back or takes them over. */
function limits(build: Build): string {
  const own = organization(build);
  return `select ${entry("limit", "l.id", {
    type: "'limitReached'",
    createdAt: `l."trippedAt"`,
    question: `left('Limit of ' || ${LIMIT} || ': ' || i.title, ${QUESTION})`,
    issueId: "l.id",
    holderId: `l."holderId"`,
  })} from (select * from ${tableOf(build, "issueLease")} where "organizationId" = ${own} and "trippedAt" is not null
      order by "trippedAt" desc limit ${MOST}) l
    join ${tableOf(build, "issue")} i on i."organizationId" = ${own} and i.id = l.id`;
}

/**
 * SQL of every entry of an organization, as one of its users sees it: with what that user did about each. Each source is
 * bounded and has an index. Raw SQL: a part of what the read planner writes.
 */
export const entriesSql = (build: Build): string =>
  `select e.*, e."createdAt" as "updatedAt", t."readAt", t."doneAt", t."snoozedUntilAt"
    from (${[sessions, failures, notices, limits].map((source) => source(build)).join(" union all ")}) e
    left join ${tableOf(build, "inboxState")} t on t."organizationId" = ${organization(build)}
      and t."userId" = ${caller(build)} and t.id = e.id and t.since = e."createdAt"`;

/** The same for the caller of a query. */
export const entries = ({ build }: SqlRow): string => entriesSql(build);
