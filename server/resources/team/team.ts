import { nullable } from "../../read/entity.ts";
import { bindOrganization, columnSql } from "../../read/row.ts";
import type { ColumnValues } from "../../write/rows.ts";
import { restoreMutation } from "../archive.ts";
import { BASE_COLUMNS, organizationLink, pageUrl } from "../fields.ts";
import { issueCountSql } from "../issue/counts.ts";
import { type CoercedArguments, defineIdMutation, defineInputMutation, type Resource } from "../resource.ts";
import {
  OWNER_ONLY_FIELD_NAMES,
  restoreTeam,
  TeamCreateInput,
  TeamUpdateInput,
  teamCreate,
  teamDelete,
  teamUpdate,
} from "./write.ts";

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
const rightToUpdate = ({ input }: CoercedArguments) =>
  OWNER_ONLY_FIELD_NAMES.some((name) => Reflect.get(Object(input), name) !== undefined) ? "owner" : "member";

export const teamResource: Resource = {
  entity: {
    name: "Team",
    table: "team",
    exact: ["key"],
    event: "team",
    columns,
    internal,
    tuning: { few: "cached", scanned: { description: 1 } },
    computed: {
      displayName: { type: "text", sql: (row) => columnSql(row, "name") },
      issueCount: { type: "integer", sql: (row) => issueCountSql(row, "teamId") },
      url: pageUrl((row) => `'/team/' || ${columnSql(row, "key")}`),
      defaultIssueStateId: { type: "uuid", published: true, sql: (row) => columnSql(row, "defaultStateId") },
      teamId: { type: "uuid", sql: (row) => columnSql(row, "id") },
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
        where: (cycle, source) => `${columnSql(cycle, "teamId")} = ${source && columnSql(source, "id")}
          and ${columnSql(cycle, "startsAt")} <= now() and ${columnSql(cycle, "endsAt")} > now() and ${columnSql(cycle, "archivedAt")} is null`,
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
    reference: (row, value) => `${columnSql(row, "id")} = (select k."teamId" from "teamKey" k
      where k."organizationId" = ${bindOrganization(row.build)} and k.key = upper(${value}))`,
  },
  one: { team: { entity: "Team" } },
  many: { teams: { entity: "Team" } },
  mutations: {
    teamCreate: defineInputMutation("member", TeamCreateInput, teamCreate),
    teamUpdate: defineInputMutation(rightToUpdate, TeamUpdateInput, teamUpdate),
    // The keys of a purged team stay stored. Old identifiers of issues that moved to other teams therefore still
    // resolve, until another team takes the key.
    teamDelete: defineIdMutation("member", teamDelete),
    teamUnarchive: restoreMutation("Team", restoreTeam),
  },
};
