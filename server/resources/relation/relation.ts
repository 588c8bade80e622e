import { column, joined } from "../../read/row.ts";
import type { RowOf } from "../../write/rows.ts";
import { BASE, organizationLink } from "../fields.ts";
import { action, mutation, type Resource } from "../resource.ts";
import { IssueRelationCreateInput, IssueRelationUpdateInput } from "./input.ts";
import { issueRelationCreate, issueRelationDelete, issueRelationUpdate } from "./write.ts";

const columns = { ...BASE, type: "text", issueId: "uuid", relatedIssueId: "uuid" } as const;

declare module "../../write/rows.ts" {
  interface Rows {
    IssueRelation: { stored: RowOf<typeof columns> };
  }
}

/** A relation of one issue to another. */
export const issueRelation: Resource = {
  entity: {
    name: "IssueRelation",
    table: "issueRelation",
    event: "issueRelation",
    columns,
    one: {
      organization: organizationLink,
      issue: { entity: "Issue", by: "issueId", onDelete: "cascade" },
      relatedIssue: { entity: "Issue", by: "relatedIssueId", onDelete: "cascade" },
    },
    computed: { teamId: { type: "uuid", sql: (row) => column(joined(row, "issue"), "teamId") } },
  },
  one: { issueRelation: { entity: "IssueRelation" } },
  many: { issueRelations: { entity: "IssueRelation" } },
  mutations: {
    issueRelationCreate: mutation("member", IssueRelationCreateInput, issueRelationCreate),
    issueRelationUpdate: mutation("member", IssueRelationUpdateInput, issueRelationUpdate),
    issueRelationDelete: action("member", issueRelationDelete),
  },
};
