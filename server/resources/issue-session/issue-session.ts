import { columnSql } from "../../read/row.ts";
import { isOfTrashedTeamSql } from "../fields.ts";
import { areSessionsIncompleteSql } from "../recorded/totals.ts";
import type { Resource } from "../resource.ts";

/**
 * Kinds of links from a session to an issue: the session claimed the issue, the issue was created from the session,
 * or the session mentions the issue's identifier.
 */
const LINK_KINDS = ["claimed", "filed", "mentioned"] as const;
export type LinkKind = (typeof LINK_KINDS)[number];

/** Link of a recorded session to an issue. */
export const issueSessionResource: Resource = {
  entity: {
    name: "IssueSession",
    table: "issueSession",
    columns: { id: "uuid", createdAt: "timestamp" },
    internal: { issueId: "uuid", sessionId: "uuid" },
    computed: {
      kinds: {
        type: "text[]",
        sql: (row) =>
          `array_remove(array[${LINK_KINDS.map((kind) => `case when ${columnSql(row, kind)} then '${kind}' end`)}], null)`,
      },
    },
    hidden: isOfTrashedTeamSql,
    incomplete: areSessionsIncompleteSql,
    one: {
      issue: { entity: "Issue", by: "issueId", onDelete: "cascade-silently" },
      session: { entity: "RecordedSession", by: "sessionId", onDelete: "cascade-silently" },
    },
  },
};
