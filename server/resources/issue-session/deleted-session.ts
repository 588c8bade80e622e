import { nullable } from "../../read/entity.ts";
import { column, joined } from "../../read/row.ts";
import type { RowOf } from "../../write/rows.ts";
import { BASE, ofTrashedTeam, organizationLink } from "../fields.ts";
import { action, type Resource } from "../resource.ts";
import { issueDeletedSessionBlank } from "./blank.ts";

const columns = {
  ...BASE,
  issueId: "uuid",
  deletedById: nullable("uuid"),
  blankedAt: nullable("timestamp"),
} as const;

declare module "../../write/rows.ts" {
  interface Rows {
    IssueDeletedSession: { stored: RowOf<typeof columns> };
  }
}

/** A deleted session that an issue still quotes. */
export const issueDeletedSession: Resource = {
  entity: {
    name: "IssueDeletedSession",
    table: "issueDeletedSession",
    columns,
    computed: { teamId: { type: "uuid", sql: (row) => column(joined(row, "issue"), "teamId") } },
    hidden: ofTrashedTeam,
    one: {
      organization: organizationLink,
      issue: { entity: "Issue", by: "issueId", onDelete: "cascade-silently", inverse: "deletedSessions" },
      deletedBy: { entity: "User", by: "deletedById", onDelete: "detach" },
    },
  },
  one: { issueDeletedSession: { entity: "IssueDeletedSession" } },
  many: { issueDeletedSessions: { entity: "IssueDeletedSession" } },
  mutations: { issueDeletedSessionBlank: action("member", issueDeletedSessionBlank) },
};
