import { columnSql, joinLink } from "../../read/row.ts";
import type { ColumnValues } from "../../write/rows.ts";
import { BASE_COLUMNS, organizationLink } from "../fields.ts";
import { defineIdMutation, defineInputMutation, type Resource } from "../resource.ts";
import { IssueRelationCreateInput, IssueRelationUpdateInput } from "./input.ts";
import { issueRelationCreate, issueRelationDelete, issueRelationUpdate } from "./write.ts";

const columns = { ...BASE_COLUMNS, type: "text", issueId: "uuid", relatedIssueId: "uuid" } as const;

declare module "../../write/rows.ts" {
  interface Rows {
    IssueRelation: { stored: ColumnValues<typeof columns> };
  }
}

/** A relation from one issue to another. */
export const issueRelationResource: Resource = {
  entity: {
    name: "IssueRelation",
    table: "issueRelation",
    exact: ["type"],
    event: "issueRelation",
    columns,
    one: {
      organization: organizationLink,
      issue: { entity: "Issue", by: "issueId", onDelete: "cascade" },
      relatedIssue: { entity: "Issue", by: "relatedIssueId", onDelete: "cascade" },
    },
    computed: { teamId: { type: "uuid", sql: (row) => columnSql(joinLink(row, "issue"), "teamId") } },
  },
  one: { issueRelation: { entity: "IssueRelation" } },
  many: { issueRelations: { entity: "IssueRelation" } },
  mutations: {
    issueRelationCreate: defineInputMutation("member", IssueRelationCreateInput, issueRelationCreate),
    issueRelationUpdate: defineInputMutation("member", IssueRelationUpdateInput, issueRelationUpdate),
    issueRelationDelete: defineIdMutation("member", issueRelationDelete),
  },
};
