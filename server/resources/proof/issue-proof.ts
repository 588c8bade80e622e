import { nullable } from "../../read/entity.ts";
import { column, joinLink, organization } from "../../read/row.ts";
import type { ColumnValues } from "../../write/rows.ts";
import { BASE_COLUMNS, organizationLink } from "../fields.ts";
import type { Resource } from "../resource.ts";
import { MOST_EVENTS } from "./proof.ts";

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
export const issueProof: Resource = {
  entity: {
    name: "IssueProof",
    table: "issueProof",
    event: "issueProof",
    columns,
    internal,
    computed: { teamId: { type: "uuid", sql: (row) => column(joinLink(row, "issue"), "teamId") } },
    one: {
      organization: organizationLink,
      issue: { entity: "Issue", by: "id", onDelete: "cascade-silently" },
      overriddenBy: { entity: "User", by: "overriddenById", onDelete: "detach" },
    },
    many: {
      events: {
        entity: "RecordedEvent",
        rows: (row) => `select e.* from recorded_event e where e.organization_id = ${organization(row.build)}
          and e.event_id = any(${column(row, "eventIds")}::uuid[]) order by e.timestamp, e.event_id`,
        most: MOST_EVENTS,
        oldestFirst: true,
      },
    },
  },
};
