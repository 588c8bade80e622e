import { column } from "../../read/row.ts";
import { BASE, base, organizationLink } from "../fields.ts";
import { action, mutation, type Resource } from "../resource.ts";
import {
  IssueLabelCreateInput,
  IssueLabelUpdateInput,
  issueLabelCreate,
  issueLabelDelete,
  issueLabelUpdate,
} from "./write.ts";

export const issueLabel: Resource = {
  entity: {
    name: "IssueLabel",
    small: true,
    table: "issueLabel",
    event: "label",
    columns: {
      ...BASE,
      teamId: "uuid",
      parentId: "uuid",
      creatorId: "uuid",
      name: "text",
      description: "text",
      color: "text",
      isGroup: "boolean",
    },
    computed: { url: { type: "text", sql: (row) => `${base(row)} || '/settings/labels/' || ${column(row, "id")}` } },
    published: ["url"],
    one: {
      organization: organizationLink,
      team: { entity: "Team", by: "teamId" },
      creator: { entity: "User", by: "creatorId" },
      parent: { entity: "IssueLabel", by: "parentId" },
    },
    many: {
      children: { entity: "IssueLabel", by: "parentId" },
      issues: { entity: "Issue", through: { table: "issueLabelLink", from: "labelId", to: "issueId" } },
    },
  },
  one: { issueLabel: { entity: "IssueLabel" } },
  many: { issueLabels: { entity: "IssueLabel" } },
  mutations: {
    issueLabelCreate: mutation(IssueLabelCreateInput, issueLabelCreate),
    issueLabelUpdate: mutation(IssueLabelUpdateInput, issueLabelUpdate),
    issueLabelDelete: action(issueLabelDelete),
  },
};
