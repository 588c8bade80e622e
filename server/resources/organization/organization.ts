import { column } from "../../read/row.ts";
import { mutation, type Resource } from "../resource.ts";
import { OrganizationUpdateInput, organizationUpdate } from "./update.ts";

export const organization: Resource = {
  entity: {
    name: "Organization",
    table: "organization",
    tenant: "id",
    columns: {
      id: "uuid",
      createdAt: "timestamp",
      updatedAt: "timestamp",
      name: "text",
      urlKey: "text",
      previousUrlKeys: "text[]",
    },
    computed: {
      archivedAt: { type: "timestamp", sql: () => "null::timestamptz" },
      userCount: {
        type: "integer",
        sql: (row) => `(select count(*) from "user" u where u."organizationId" = ${column(row, "id")} and u.active)`,
      },
      createdIssueCount: {
        type: "integer",
        sql: (row) =>
          `(select coalesce(sum(t."issueCounter"), 0) from team t where t."organizationId" = ${column(row, "id")})`,
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
  mutations: { organizationUpdate: mutation(OrganizationUpdateInput, organizationUpdate) },
};
