import { organization as tenant } from "../../read/row.ts";
import type { RowOf } from "../../write/rows.ts";
import { mutation, type Resource } from "../resource.ts";
import { OrganizationUpdateInput, organizationUpdate } from "./update.ts";

const columns = {
  id: "uuid",
  createdAt: "timestamp",
  updatedAt: "timestamp",
  name: "text",
  urlKey: "text",
  previousUrlKeys: "text[]",
} as const;

declare module "../../write/rows.ts" {
  interface Rows {
    Organization: { stored: RowOf<typeof columns> };
  }
}

export const organization: Resource = {
  entity: {
    name: "Organization",
    table: "organization",
    names: { organizationId: "id" },
    columns,
    computed: {
      archivedAt: { type: "timestamp", sql: () => "null::timestamptz" },
      userCount: {
        type: "integer",
        sql: (row) => `(select count(*) from "user" u where u."organizationId" = ${tenant(row.build)} and u.active)`,
      },
      createdIssueCount: {
        type: "integer",
        sql: (row) =>
          `(select coalesce(sum(t."issueCounter"), 0) from team t where t."organizationId" = ${tenant(row.build)})`,
      },
    },
    many: {
      teams: { entity: "Team" },
      users: { entity: "User" },
      labels: { entity: "IssueLabel" },
      projectStatuses: { entity: "ProjectStatus" },
    },
  },
  one: { organization: { entity: "Organization", where: () => "true" } },
  mutations: { organizationUpdate: mutation("owner", OrganizationUpdateInput, organizationUpdate) },
};
