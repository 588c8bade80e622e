import type { SqlRow } from "../../read/entity.ts";
import { comparisonSql } from "../../read/filter/compare.ts";
import { column, organization } from "../../read/row.ts";
import type { Resource } from "../resource.ts";
import { briefSql } from "./brief.ts";
import { deletions } from "./deletion/mutations.ts";
import { sessionCommitsSql } from "./files/commit.ts";
import { sessionFilesSql } from "./files/file.ts";
import { keyCondition } from "./key.ts";
import { isToolCallSql, isTurnSql } from "./kinds.ts";
import { expirySql, holds, isExpiring } from "./retention/due.ts";
import { admitSort, sessionOrders } from "./sessions/session-order.ts";
import { activeSql, isInStates, isStateEvent, sessionState, sessionStateSince } from "./sessions/state.ts";
import { hasText, sessionsWithText, textSearchedSince } from "./sessions/texts.ts";
import { sessionsIncomplete, totalsSql } from "./totals.ts";

/** SQL for the events `e` of a session. */
const events = (row: SqlRow) => `recorded_event e
  where e.organization_id = ${organization(row.build)} and e.session_id = ${column(row, "id")}`;

const NAME_OF_EVENT = { sql: "e.primitive_name", type: "text", canonical: "column" } as const;

/** A conversation, as recorded by ingestion. */
export const recordedSession: Resource = {
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
      state: { type: "text", sql: sessionState },
      stateSince: { type: "timestamp", sql: sessionStateSince },
      waitsFor: { type: "text", sql: ({ alias }) => `${alias}.waits_for` },
      expiresAt: { type: "timestamp", sql: (row) => expirySql("session", row) },
      textsExpireAt: { type: "timestamp", sql: (row) => expirySql("texts", row) },
    },
    // The filters on agents, tools and texts read the events of all sessions; arguments and results are long.
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
      heldBy: { entity: "User", where: (user, session) => `${column(user, "id")} = ${session?.alias}.held_by` },
      stateEvent: { entity: "RecordedEvent", where: isStateEvent },
      totals: { entity: "RecordedTotals", rows: totalsSql },
      brief: { entity: "RecordedBrief", rows: briefSql },
    },
    incomplete: sessionsIncomplete,
    searchedSince: textSearchedSince,
    many: {
      events: { entity: "RecordedEvent", by: "sessionId", oldestFirst: true },
      files: { entity: "RecordedFile", rows: sessionFilesSql },
      commits: { entity: "RecordedCommit", rows: sessionCommitsSql },
      issues: { entity: "Issue", through: { table: "issueSession", from: "sessionId", to: "issueId" } },
      issueLinks: { entity: "IssueSession", by: "sessionId" },
    },
    sorts: sessionOrders,
    filters: {
      metadata: (row, argument) => keyCondition(column(row, "metadata"), row, argument),
      agent: (row, argument) =>
        `exists (select from ${events(row)} and ${isTurnSql("e")}
          and ${comparisonSql(row.build, NAME_OF_EVENT, argument)})`,
      tool: (row, argument) =>
        `exists (select from ${events(row)} and ${isToolCallSql("e")}
          and ${comparisonSql(row.build, NAME_OF_EVENT, argument)})`,
      text: hasText,
      state: isInStates,
      hasFailures: (row, argument) => {
        // With a comparison of EXISTS and a parameter, PostgreSQL would read every failure of the organization.
        const sql = `coalesce((select true from ${events(row)} and not e.success limit 1), false)`;
        return comparisonSql(row.build, { sql, type: "boolean" }, argument);
      },
      active(row, argument) {
        // The SQL is written only when a comparison uses it, because an empty comparator would leave parameters
        // unused.
        const value = {
          get sql() {
            return activeSql(row);
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
    recordedSessionsExpiring: { entity: "RecordedSession", where: isExpiring },
  },
  admits: { recordedSessions: admitSort },
  given: { sessionsWithText },
  mutations: { ...deletions.session, ...holds },
};
