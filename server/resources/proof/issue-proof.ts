import { nullable } from "../../read/entity.ts";
import { column, joined, organization } from "../../read/row.ts";
import type { RowOf } from "../../write/rows.ts";
import { BASE, organizationLink } from "../fields.ts";
import type { Resource } from "../resource.ts";
import { MOST_EVENTS } from "./proof.ts";

const columns = { ...BASE, verdict: "text", reason: "text", overriddenById: nullable("uuid") } as const;
const internal = { eventIds: "text[]" } as const;

declare module "../../write/rows.ts" {
  interface Rows {
    IssueProof: { stored: RowOf<typeof columns & typeof internal> };
  }
}

/** The verdict on an issue's record when it was completed last. Its id is the issue's. Raw SQL: a part of what the read planner writes. */
export const issueProof: Resource = {
  entity: {
    name: "IssueProof",
    table: "issueProof",
    event: "issueProof",
    columns,
    internal,
    computed: { teamId: { type: "uuid", sql: (row) => column(joined(row, "issue"), "teamId") } },
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
