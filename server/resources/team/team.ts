import { nullable } from "../../read/entity.ts";
import { column, organization } from "../../read/row.ts";
import type { ColumnValues } from "../../write/rows.ts";
import { restoreMutation } from "../archive.ts";
import { BASE_COLUMNS, organizationLink, pageUrl } from "../fields.ts";
import { issueCount } from "../issue/counts.ts";
import { type Arguments, action, mutation, type Resource } from "../resource.ts";
import { OWNERS, restoreTeam, TeamCreateInput, TeamUpdateInput, teamCreate, teamDelete, teamUpdate } from "./write.ts";

const columns = {
  ...BASE_COLUMNS,
  key: "text",
  name: "text",
  description: nullable("text"),
  color: nullable("text"),
  icon: nullable("text"),
  private: "boolean",
  readyStateTypes: "text[]",
  proof: nullable("json"),
  leaseCostLimit: nullable("float"),
  leaseTokenLimit: nullable("integer"),
  leaseMinuteLimit: nullable("integer"),
  leaseEqualCallLimit: nullable("integer"),
} as const;
const internal = { issueCounter: "integer", cycleCounter: "integer", defaultStateId: "uuid" } as const;

declare module "../../write/rows.ts" {
  interface Rows {
    Team: {
      stored: ColumnValues<typeof columns & typeof internal>;
      loaded: { defaultIssueState: Rows["WorkflowState"]["stored"] };
    };
  }
}

/** Only owners change the requirements for proof and the limits of claims. */
const rightToUpdate = ({ input }: Arguments) =>
  OWNERS.some((name) => Reflect.get(Object(input), name) !== undefined) ? "owner" : "member";

export const team: Resource = {
  entity: {
    name: "Team",
    table: "team",
    exact: ["key"],
    event: "team",
    columns,
    internal,
    tuning: { few: "cached", scanned: { description: 1 } },
    computed: {
      displayName: { type: "text", sql: (row) => column(row, "name") },
      issueCount: { type: "integer", sql: (row) => issueCount(row, "teamId") },
      url: pageUrl((row) => `'/team/' || ${column(row, "key")}`),
      defaultIssueStateId: { type: "uuid", published: true, sql: (row) => column(row, "defaultStateId") },
      teamId: { type: "uuid", sql: (row) => column(row, "id") },
    },
    archiveIsTrash: true,
    refused: ({ archivedAt }) => (archivedAt ? "is in the trash; bring it back with teamUnarchive" : undefined),
    one: {
      organization: organizationLink,
      defaultIssueState: {
        entity: "WorkflowState",
        by: "defaultStateId",
        loaded: true,
        onDelete: { refuse: "it is where new issues of the team start; choose another first" },
      },
      activeCycle: {
        entity: "Cycle",
        where: (cycle, source) => `${column(cycle, "teamId")} = ${source && column(source, "id")}
          and ${column(cycle, "startsAt")} <= now() and ${column(cycle, "endsAt")} > now() and ${column(cycle, "archivedAt")} is null`,
      },
    },
    many: {
      states: { entity: "WorkflowState", by: "teamId", preload: true },
      issues: { entity: "Issue", by: "teamId" },
      labels: { entity: "IssueLabel", by: "teamId" },
      cycles: { entity: "Cycle", by: "teamId" },
      webhooks: { entity: "Webhook", by: "teamId" },
      members: { entity: "User" },
      projects: { entity: "Project", through: { table: "projectTeam", from: "teamId", to: "projectId" } },
    },
    reference: (row, value) => `${column(row, "id")} = (select k."teamId" from "teamKey" k
      where k."organizationId" = ${organization(row.build)} and k.key = upper(${value}))`,
  },
  one: { team: { entity: "Team" } },
  many: { teams: { entity: "Team" } },
  mutations: {
    teamCreate: mutation("member", TeamCreateInput, teamCreate),
    teamUpdate: mutation(rightToUpdate, TeamUpdateInput, teamUpdate),
    // A purged team's keys stay stored, so that identifiers of issues that moved to other teams resolve until another
    // team takes the key.
    teamDelete: action("member", teamDelete),
    teamUnarchive: restoreMutation("Team", restoreTeam),
  },
};
