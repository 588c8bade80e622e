import { nullable } from "../../read/entity.ts";
import { column } from "../../read/row.ts";
import type { RowOf } from "../../write/rows.ts";
import { BASE, base, hiddenWithTeam, organizationLink } from "../fields.ts";
import { action, mutation, type Resource } from "../resource.ts";
import { WorkflowStateCreateInput, WorkflowStateUpdateInput } from "./input.ts";
import { workflowStateArchive, workflowStateCreate, workflowStateUpdate } from "./write.ts";

const columns = {
  ...BASE,
  teamId: "uuid",
  name: "text",
  type: "text",
  color: "text",
  description: nullable("text"),
  position: "float",
} as const;

declare module "../../write/rows.ts" {
  interface Rows {
    WorkflowState: { stored: RowOf<typeof columns> };
  }
}

export const workflowState: Resource = {
  entity: {
    name: "WorkflowState",
    table: "workflowState",
    event: "workflowState",
    columns,
    tuning: { few: "cached", scanned: { description: 1 } },
    computed: {
      url: {
        type: "text",
        published: true,
        sql: (row) => `${base(row)} || '/settings/states/' || ${column(row, "id")}`,
      },
    },
    hidden: hiddenWithTeam,
    refused: ({ archivedAt }) => (archivedAt ? "is archived" : undefined),
    one: { organization: organizationLink, team: { entity: "Team", by: "teamId", onDelete: "cascade-silently" } },
    many: { issues: { entity: "Issue", by: "stateId" } },
  },
  one: { workflowState: { entity: "WorkflowState" } },
  many: { workflowStates: { entity: "WorkflowState" } },
  mutations: {
    workflowStateCreate: mutation("member", WorkflowStateCreateInput, workflowStateCreate),
    workflowStateUpdate: mutation("member", WorkflowStateUpdateInput, workflowStateUpdate),
    workflowStateArchive: action("member", workflowStateArchive),
  },
};
