import { nullable } from "../../read/entity.ts";
import { bindOrganization, columnSql, joinLink } from "../../read/row.ts";
import type { ColumnValues } from "../../write/rows.ts";
import { BASE_COLUMNS, organizationLink } from "../fields.ts";
import type { Resource } from "../resource.ts";
import { MAX_VERDICT_EVENTS } from "./proof.ts";

const columns = { ...BASE_COLUMNS, verdict: "text", reason: "text", overriddenById: nullable("uuid") } as const;
const internal = { eventIds: "text[]" } as const;

declare module "../../write/rows.ts" {
  interface Rows {
    IssueProof: { stored: ColumnValues<typeof columns & typeof internal> };
  }
}

/**
 * Verdict on the recorded sessions of an issue at its last completion. The id is the issue's id. Raw SQL: a fragment
 * for the read planner.
 */
export const issueProofResource: Resource = {
  entity: {
    name: "IssueProof",
    table: "issueProof",
    event: "issueProof",
    columns,
    internal,
    computed: { teamId: { type: "uuid", sql: (row) => columnSql(joinLink(row, "issue"), "teamId") } },
    one: {
      organization: organizationLink,
      issue: { entity: "Issue", by: "id", onDelete: "cascade-silently" },
      overriddenBy: { entity: "User", by: "overriddenById", onDelete: "detach" },
    },
    many: {
      events: {
        entity: "RecordedEvent",
        rows: (row) => `select e.* from recorded_event e where e.organization_id = ${bindOrganization(row.build)}
          and e.event_id = any(${columnSql(row, "eventIds")}::uuid[]) order by e.timestamp, e.event_id`,
        most: MAX_VERDICT_EVENTS,
        oldestFirst: true,
      },
    },
  },
};
