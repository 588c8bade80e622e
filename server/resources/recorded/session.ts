import type { SqlRow } from "../../read/entity.ts";
import { comparisonSql } from "../../read/filter/compare.ts";
import { bindOrganization, columnSql } from "../../read/row.ts";
import type { Resource } from "../resource.ts";
import { briefSql } from "./brief.ts";
import { deletionMutations } from "./deletion/mutations.ts";
import { sessionCommitsSql } from "./files/commit.ts";
import { sessionFilesSql } from "./files/file.ts";
import { jsonKeyConditionSql } from "./key.ts";
import { isToolCallSql, isTurnSql } from "./kinds.ts";
import { isExpiringSql, retentionDeletionTimeSql, sessionHoldMutations } from "./retention/due.ts";
import { rejectExpensiveSessionSort, sessionOrders } from "./sessions/session-order.ts";
import {
  isSessionActiveSql,
  isSessionInStatesSql,
  isStateEventSql,
  sessionStateSinceSql,
  sessionStateSql,
} from "./sessions/state.ts";
import { findSessionsWithText, isInFoundSessionsSql, textSearchedSinceSql } from "./sessions/texts.ts";
import { areSessionsIncompleteSql, sessionTotalsSql } from "./totals.ts";

/** SQL for the events `e` of a session. */
const events = (row: SqlRow) => `recorded_event e
  where e.organization_id = ${bindOrganization(row.build)} and e.session_id = ${columnSql(row, "id")}`;

const NAME_OF_EVENT = { sql: "e.primitive_name", type: "text", canonical: "column" } as const;

/** A conversation, as recorded by ingestion. */
export const recordedSessionResource: Resource = {
  entity: {
    name: "RecordedSession",
    table: "recorded_session",
    exact: ["externalId"],
    columns: {
      id: "uuid",
      metadata: "json",
      clientConfig: "text",
      startedAt: "timestamp",
      registered: "boolean",
      externalId: "text",
      source: "text",
      holdReason: "text",
      heldAt: "timestamp",
      textsRemovedAt: "timestamp",
    },
    computed: {
      state: { type: "text", sql: sessionStateSql },
      stateSince: { type: "timestamp", sql: sessionStateSinceSql },
      waitsFor: { type: "text", sql: ({ alias }) => `${alias}.waits_for` },
      expiresAt: { type: "timestamp", sql: (row) => retentionDeletionTimeSql("session", row) },
      textsExpireAt: { type: "timestamp", sql: (row) => retentionDeletionTimeSql("texts", row) },
    },
    // For `tuning.scanned` below: the filters on agents, tools and texts read the events of all sessions, whose
    // arguments and results are long.
    internal: { userId: "text" },
    names: {
      organizationId: "organization_id",
      id: "session_id",
      userId: "user_id",
      clientConfig: "client_config",
      externalId: "external_id",
      startedAt: "timestamp",
      createdAt: "timestamp",
      holdReason: "hold_reason",
      heldAt: "held_at",
      textsRemovedAt: "texts_removed_at",
    },
    tuning: { long: { metadata: 256 * 1024 }, scanned: { text: 10, agent: 1, tool: 1 } },
    one: {
      user: { entity: "RecordedUser", by: "userId", onDelete: "detach" },
      heldBy: { entity: "User", where: (user, session) => `${columnSql(user, "id")} = ${session?.alias}.held_by` },
      stateEvent: { entity: "RecordedEvent", where: isStateEventSql },
      totals: { entity: "RecordedTotals", rows: sessionTotalsSql },
      brief: { entity: "RecordedBrief", rows: briefSql },
    },
    incomplete: areSessionsIncompleteSql,
    searchedSince: textSearchedSinceSql,
    many: {
      events: { entity: "RecordedEvent", by: "sessionId", oldestFirst: true },
      files: { entity: "RecordedFile", rows: sessionFilesSql },
      commits: { entity: "RecordedCommit", rows: sessionCommitsSql },
      issues: { entity: "Issue", through: { table: "issueSession", from: "sessionId", to: "issueId" } },
      issueLinks: { entity: "IssueSession", by: "sessionId" },
    },
    sorts: sessionOrders,
    filters: {
      metadata: (row, argument) => jsonKeyConditionSql(columnSql(row, "metadata"), row, argument),
      agent: (row, argument) =>
        `exists (select from ${events(row)} and ${isTurnSql("e")}
          and ${comparisonSql(row.build, NAME_OF_EVENT, argument)})`,
      tool: (row, argument) =>
        `exists (select from ${events(row)} and ${isToolCallSql("e")}
          and ${comparisonSql(row.build, NAME_OF_EVENT, argument)})`,
      text: isInFoundSessionsSql,
      state: isSessionInStatesSql,
      hasFailures: (row, argument) => {
        // Uses a subquery with `limit 1` instead of EXISTS. If a parameter were compared with EXISTS, PostgreSQL would
        // read every failure of the organization.
        const sql = `coalesce((select true from ${events(row)} and not e.success limit 1), false)`;
        return comparisonSql(row.build, { sql, type: "boolean" }, argument);
      },
      active(row, argument) {
        // A getter writes the SQL only when a comparison uses the SQL. Otherwise an empty comparator would leave
        // parameters unused.
        const value = {
          get sql() {
            return isSessionActiveSql(row);
          },
          type: "boolean",
        } as const;
        return comparisonSql(row.build, value, argument);
      },
    },
  },
  one: { recordedSession: { entity: "RecordedSession" } },
  many: {
    recordedSessions: { entity: "RecordedSession" },
    recordedSessionsExpiring: { entity: "RecordedSession", where: isExpiringSql },
  },
  admits: { recordedSessions: rejectExpensiveSessionSort },
  given: { sessionsWithText: findSessionsWithText },
  mutations: { ...deletionMutations.session, ...sessionHoldMutations },
};
