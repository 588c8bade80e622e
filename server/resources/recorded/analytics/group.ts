import type { StatementBuild, ToOne } from "../../../read/entity.ts";
import { bindOrganization, columnSql } from "../../../read/row.ts";
import type { ColumnValues } from "../../../write/rows.ts";
import { defineInputMutation, type Resource } from "../../resource.ts";
import { agentCountsSql, MAX_FAILURE_AGENTS } from "../failures/agents.ts";
import { IssueCreateFromFailureInput, issueCreateFromFailure, onFailureReplay } from "../failures/create-issue.ts";
import { failureExamplesSql } from "../failures/examples.ts";
import { ignoreFailureMutations } from "../failures/ignore.ts";
import { failureStateSql, hasFailureStateSql, ignoreValueSql } from "../failures/state.ts";

/** Link from a failure group to its issue. */
export const failureIssue: ToOne = {
  entity: "Issue",
  where: (target, source) => `${columnSql(target, "id")} = (select f."issueId" from "failureIssue" f
    where f."organizationId" = ${bindOrganization(target.build)} and f."groupId" = ${source ? columnSql(source, "id") : "null"})`,
};

/** Maximum number of hours of a group in a response. */
const HOURS = 72;
/** Maximum numbers of a group's days and examples. */
const DAYS = 31;
const EXAMPLES = 3;

/** Columns of a failure group in every list. */
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

/**
 * SQL condition: some failures are not grouped yet, for example after a restore. Reads only one entry of each index.
 */
function isIncomplete(build: StatementBuild): string {
  const own = bindOrganization(build);
  return `(exists (select from recorded_failure_group g where g.organization_id = ${own} and g.stale and g.failures = 0)
    or exists (select from recorded_mark m where m.organization_id = ${own})
      and not exists (select from recorded_rollup p where p.organization_id = ${own} and p.counted))`;
}

declare module "../../../write/rows.ts" {
  interface Rows {
    RecordedFailureGroup: { stored: ColumnValues<typeof columns> };
  }
}

/**
 * Raw SQL: a fragment for the read planner. A group of equal recorded failures. A job counts the failures so
 * frequently that the change log omits the counts.
 */
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
    // A group without failures is hidden. The group's events may all be deleted while the issue about the group still
    // exists.
    hidden: (row) => `${columnSql(row, "count")} = 0`,
    incomplete: isIncomplete,
    computed: {
      state: { type: "text", sql: failureStateSql },
      agents: { type: "text[]", sql: ({ alias }) => `array(select jsonb_array_elements_text(${alias}.agents))` },
      ignoredAt: { type: "timestamp", sql: (row) => ignoreValueSql(row, "ignoredAt") },
      ignoredUntil: { type: "timestamp", sql: (row) => ignoreValueSql(row, "until") },
      ignoredUntilCount: { type: "integer", sql: (row) => ignoreValueSql(row, "untilCount") },
    },
    filters: { state: hasFailureStateSql },
    one: { issue: failureIssue },
    many: {
      agentCounts: { entity: "RecordedFailureAgent", most: MAX_FAILURE_AGENTS, rows: agentCountsSql },
      days: {
        entity: "RecordedFailureDay",
        most: DAYS,
        rows: (
          row,
        ) => `select (d.value ->> 0)::date as day, (d.value ->> 1)::integer as count, d.value ->> 0 as id, d.position
          from jsonb_array_elements(${row.alias}.days) with ordinality d (value, position)`,
      },
      examples: { entity: "RecordedFailureExample", most: EXAMPLES, rows: failureExamplesSql },
      hours: {
        entity: "RecordedFailureHour",
        most: HOURS,
        rows: (row) => `select f.hour as at, sum(f.failures) as count, f.hour::text as id,
            row_number() over (order by f.hour desc) as position
          from recorded_failure f where f.organization_id = ${bindOrganization(row.build)} and f.group_id = ${columnSql(row, "id")}
          group by f.hour order by f.hour desc limit ${HOURS}`,
      },
    },
  },
  one: { recordedFailureGroup: { entity: "RecordedFailureGroup" } },
  many: { recordedFailureGroups: { entity: "RecordedFailureGroup" } },
  mutations: {
    issueCreateFromFailure: {
      ...defineInputMutation("member", IssueCreateFromFailureInput, issueCreateFromFailure),
      reads: ["recorded_event"],
      onReplay: onFailureReplay,
    },
    ...ignoreFailureMutations,
  },
};

/** Failures of a group in an hour. */
export const recordedFailureHour: Resource = {
  entity: {
    name: "RecordedFailureHour",
    table: "",
    columns: { at: "timestamp", count: "integer", position: "integer" },
  },
};

/** Failures of a group on a day. */
export const recordedFailureDay: Resource = {
  entity: {
    name: "RecordedFailureDay",
    table: "",
    columns: { day: "date", count: "integer", position: "integer" },
  },
};
