import { column } from "../../read/row.ts";
import { BASE, base, organizationLink } from "../fields.ts";
import { action, mutation, type Resource } from "../resource.ts";
import {
  WorkflowStateCreateInput,
  WorkflowStateUpdateInput,
  workflowStateArchive,
  workflowStateCreate,
  workflowStateUpdate,
} from "./write.ts";

export const workflowState: Resource = {
  entity: {
    name: "WorkflowState",
    small: true,
    table: "workflowState",
    event: "workflowState",
    columns: {
      ...BASE,
      teamId: "uuid",
      name: "text",
      type: "text",
      color: "text",
      description: "text",
      position: "float",
    },
    computed: { url: { type: "text", sql: (row) => `${base(row)} || '/settings/states/' || ${column(row, "id")}` } },
    published: ["url"],
    refused: ({ archivedAt }) => (archivedAt ? "is archived" : undefined),
    one: { organization: organizationLink, team: { entity: "Team", by: "teamId" } },
    many: { issues: { entity: "Issue", by: "stateId" } },
  },
  one: { workflowState: { entity: "WorkflowState" } },
  many: { workflowStates: { entity: "WorkflowState" } },
  mutations: {
    workflowStateCreate: mutation(WorkflowStateCreateInput, workflowStateCreate),
    workflowStateUpdate: mutation(WorkflowStateUpdateInput, workflowStateUpdate),
    workflowStateArchive: action(workflowStateArchive),
  },
};
