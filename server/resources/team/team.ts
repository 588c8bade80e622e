import { nullable } from "../../read/entity.ts";
import { column, organization } from "../../read/row.ts";
import type { RowOf } from "../../write/rows.ts";
import { restoring } from "../archive.ts";
import { BASE, organizationLink, pageAt } from "../fields.ts";
import { issueCount } from "../issue/counts.ts";
import { type Arguments, action, mutation, type Resource } from "../resource.ts";
import { OWNERS, TeamCreateInput, TeamUpdateInput, teamCreate, teamDelete, teamRestored, teamUpdate } from "./write.ts";

const columns = {
  ...BASE,
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
      stored: RowOf<typeof columns & typeof internal>;
      loaded: { defaultIssueState: Rows["WorkflowState"]["stored"] };
    };
  }
}

/** Owners decide what has to be proven, and at which limits claims are stopped. */
const rightToUpdate = ({ input }: Arguments) =>
  OWNERS.some((name) => Reflect.get(Object(input), name) !== undefined) ? "owner" : "member";

export const team: Resource = {
  entity: {
    name: "Team",
    table: "team",
    event: "team",
    columns,
    internal,
    tuning: { few: "cached", scanned: { description: 1 } },
    computed: {
      displayName: { type: "text", sql: (row) => column(row, "name") },
      issueCount: { type: "integer", sql: (row) => issueCount(row, "teamId") },
      url: pageAt((row) => `'/team/' || ${column(row, "key")}`),
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
    // Once purged its keys stay known, so that identifiers of issues that moved away resolve until another takes the key.
    teamDelete: action("member", teamDelete),
    teamUnarchive: restoring("Team", teamRestored),
  },
};
