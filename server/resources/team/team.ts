import { column, organization } from "../../read/row.ts";
import { BASE, base, organizationLink } from "../fields.ts";
import { action, mutation, type Resource } from "../resource.ts";
import { teamDelete } from "./delete.ts";
import { TeamCreateInput, TeamUpdateInput, teamCreate, teamUpdate } from "./write.ts";

export const team: Resource = {
  entity: {
    name: "Team",
    small: true,
    table: "team",
    event: "team",
    columns: {
      ...BASE,
      key: "text",
      name: "text",
      description: "text",
      color: "text",
      icon: "text",
      private: "boolean",
    },
    internal: { issueCounter: "integer", cycleCounter: "integer", defaultStateId: "uuid" },
    computed: {
      displayName: { type: "text", sql: (row) => column(row, "name") },
      issueCount: {
        type: "integer",
        sql: (row) => `(select count(*) from issue i
        where i."organizationId" = ${organization(row.build)} and i."teamId" = ${column(row, "id")})`,
      },
      defaultIssueStateId: { type: "uuid", sql: (row) => column(row, "defaultStateId") },
      url: { type: "text", sql: (row) => `${base(row)} || '/team/' || ${column(row, "key")}` },
    },
    published: ["url", "defaultIssueStateId"],
    loaded: ["defaultIssueState"],
    one: {
      organization: organizationLink,
      defaultIssueState: { entity: "WorkflowState", by: "defaultStateId" },
      activeCycle: {
        entity: "Cycle",
        where: (cycle, source) => `${column(cycle, "teamId")} = ${source && column(source, "id")}
          and ${column(cycle, "startsAt")} <= now() and ${column(cycle, "endsAt")} > now() and ${column(cycle, "archivedAt")} is null`,
      },
    },
    many: {
      states: { entity: "WorkflowState", by: "teamId", few: true },
      issues: { entity: "Issue", by: "teamId" },
      labels: { entity: "IssueLabel", by: "teamId" },
      cycles: { entity: "Cycle", by: "teamId" },
      webhooks: { entity: "Webhook", by: "teamId" },
      members: { entity: "User" },
      projects: { entity: "Project", through: { table: "projectTeam", from: "teamId", to: "projectId" } },
    },
    reference: (row, value) => `${column(row, "id")} = (select k."teamId" from "teamKey" k
      where k."organizationId" = ${organization(row.build)} and k.key = upper(${value}))`,
    teamOf: (row) => column(row, "id"),
  },
  one: { team: { entity: "Team" } },
  many: { teams: { entity: "Team" } },
  mutations: {
    teamCreate: mutation(TeamCreateInput, teamCreate),
    teamUpdate: mutation(TeamUpdateInput, teamUpdate),
    teamDelete: action(teamDelete),
  },
};
