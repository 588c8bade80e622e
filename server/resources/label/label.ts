import { nullable } from "../../read/entity.ts";
import { column } from "../../read/row.ts";
import type { RowOf } from "../../write/rows.ts";
import { removing } from "../archive.ts";
import { BASE, hiddenWithTeam, organizationLink, pageAt } from "../fields.ts";
import { mutation, type Resource } from "../resource.ts";
import { IssueLabelCreateInput, IssueLabelUpdateInput, issueLabelCreate, issueLabelUpdate } from "./write.ts";

const columns = {
  ...BASE,
  teamId: nullable("uuid"),
  parentId: nullable("uuid"),
  creatorId: nullable("uuid"),
  name: "text",
  description: nullable("text"),
  color: "text",
  isGroup: "boolean",
} as const;

declare module "../../write/rows.ts" {
  interface Rows {
    IssueLabel: { stored: RowOf<typeof columns> };
  }
}

export const issueLabel: Resource = {
  entity: {
    name: "IssueLabel",
    table: "issueLabel",
    event: "label",
    columns,
    tuning: { few: "cached", scanned: { description: 1 } },
    computed: {
      url: pageAt((row) => `'/settings/labels/' || ${column(row, "id")}`),
    },
    hidden: hiddenWithTeam,
    one: {
      organization: organizationLink,
      team: { entity: "Team", by: "teamId", onDelete: "cascade-silently" },
      creator: { entity: "User", by: "creatorId", onDelete: "detach" },
      parent: { entity: "IssueLabel", by: "parentId", onDelete: "detach" },
    },
    many: {
      children: { entity: "IssueLabel", by: "parentId" },
      issues: { entity: "Issue", through: { table: "issueLabelLink", from: "labelId", to: "issueId" } },
    },
  },
  one: { issueLabel: { entity: "IssueLabel" } },
  many: { issueLabels: { entity: "IssueLabel" } },
  mutations: {
    issueLabelCreate: mutation("member", IssueLabelCreateInput, issueLabelCreate),
    issueLabelUpdate: mutation("member", IssueLabelUpdateInput, issueLabelUpdate),
    // Issues lose it, each with a change of its own; labels of a group stay, without one.
    issueLabelDelete: removing("IssueLabel"),
  },
};
