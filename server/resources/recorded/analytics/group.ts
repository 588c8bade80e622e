import type { Build, ToOne } from "../../../read/entity.ts";
import { column, organization } from "../../../read/row.ts";
import type { RowOf } from "../../../write/rows.ts";
import { mutation, type Resource } from "../../resource.ts";
import { agentCounts, MOST_AGENTS } from "../failures/agents.ts";
import { IssueCreateFromFailureInput, issueCreateFromFailure, onFailureReplay } from "../failures/create-issue.ts";
import { examples } from "../failures/examples.ts";
import { ignores } from "../failures/ignore.ts";
import { hasState, ignoreOf, stateOf } from "../failures/state.ts";

/** The link from a group of failures to the issue about it. */
export const failureIssue: ToOne = {
  entity: "Issue",
  where: (target, source) => `${column(target, "id")} = (select f."issueId" from "failureIssue" f
    where f."organizationId" = ${organization(target.build)} and f."groupId" = ${source ? column(source, "id") : "null"})`,
};

/** Hours that one answer shows of a group. */
const HOURS = 72;
/** Days that a group's course has at most, and its examples. */
const DAYS = 31;
const EXAMPLES = 3;

/** The columns of a group of failures, wherever it is listed. */
export const failureColumns = {
  id: "uuid",
  message: "text",
  count: "integer",
  sessions: "integer",
  users: "integer",
  firstAt: "timestamp",
  lastAt: "timestamp",
  eventId: "uuid",
  sessionId: "uuid",
} as const;

const columns = { ...failureColumns, tool: "text" } as const;

/** SQL that is true while failures are still to be grouped, as after a restore. It reads one entry of each index. */
function isIncomplete(build: Build): string {
  const own = organization(build);
  return `(exists (select from recorded_failure_group g where g.organization_id = ${own} and g.stale and g.failures = 0)
    or exists (select from recorded_mark m where m.organization_id = ${own})
      and not exists (select from recorded_rollup p where p.organization_id = ${own} and p.counted))`;
}

declare module "../../../write/rows.ts" {
  interface Rows {
    RecordedFailureGroup: { stored: RowOf<typeof columns> };
  }
}

/** Raw SQL: a part of what the read planner writes. Recorded failures that say the same. They are counted by a job, and so often that the change log leaves them out. */
export const recordedFailureGroup: Resource = {
  entity: {
    name: "RecordedFailureGroup",
    table: "recorded_failure_group",
    columns,
    names: {
      organizationId: "organization_id",
      id: "group_id",
      count: "failures",
      firstAt: "first_at",
      lastAt: "last_at",
      createdAt: "last_at",
      eventId: "event_id",
      sessionId: "session_id",
    },
    // Its events may all be deleted, while the issue about it is still there.
    hidden: (row) => `${column(row, "count")} = 0`,
    incomplete: isIncomplete,
    computed: {
      state: { type: "text", sql: stateOf },
      agents: { type: "text[]", sql: ({ alias }) => `array(select jsonb_array_elements_text(${alias}.agents))` },
      ignoredAt: { type: "timestamp", sql: (row) => ignoreOf(row, "ignoredAt") },
      ignoredUntil: { type: "timestamp", sql: (row) => ignoreOf(row, "until") },
      ignoredUntilCount: { type: "integer", sql: (row) => ignoreOf(row, "untilCount") },
    },
    filters: { state: hasState },
    one: { issue: failureIssue },
    many: {
      agentCounts: { entity: "RecordedFailureAgent", most: MOST_AGENTS, rows: agentCounts },
      days: {
        entity: "RecordedFailureDay",
        most: DAYS,
        rows: (
          row,
        ) => `select (d.value ->> 0)::date as day, (d.value ->> 1)::integer as count, d.value ->> 0 as id, d.position
          from jsonb_array_elements(${row.alias}.days) with ordinality d (value, position)`,
      },
      examples: { entity: "RecordedFailureExample", most: EXAMPLES, rows: examples },
      hours: {
        entity: "RecordedFailureHour",
        most: HOURS,
        rows: (row) => `select f.hour as at, sum(f.failures) as count, f.hour::text as id,
            row_number() over (order by f.hour desc) as position
          from recorded_failure f where f.organization_id = ${organization(row.build)} and f.group_id = ${column(row, "id")}
          group by f.hour order by f.hour desc limit ${HOURS}`,
      },
    },
  },
  one: { recordedFailureGroup: { entity: "RecordedFailureGroup" } },
  many: { recordedFailureGroups: { entity: "RecordedFailureGroup" } },
  mutations: {
    issueCreateFromFailure: {
      ...mutation("member", IssueCreateFromFailureInput, issueCreateFromFailure),
      reads: ["recorded_event"],
      onReplay: onFailureReplay,
    },
    ...ignores,
  },
};

/** The failures of a group in one hour. */
export const recordedFailureHour: Resource = {
  entity: {
    name: "RecordedFailureHour",
    table: "",
    columns: { at: "timestamp", count: "integer", position: "integer" },
  },
};

/** The failures of a group in one day. */
export const recordedFailureDay: Resource = {
  entity: {
    name: "RecordedFailureDay",
    table: "",
    columns: { day: "date", count: "integer", position: "integer" },
  },
};
