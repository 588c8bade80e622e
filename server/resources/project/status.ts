import { BASE } from "../fields.ts";
import { action, mutation, type Resource } from "../resource.ts";
import {
  ProjectStatusCreateInput,
  ProjectStatusUpdateInput,
  projectStatusArchive,
  projectStatusCreate,
  projectStatusUnarchive,
  projectStatusUpdate,
} from "./status-write.ts";

export const projectStatus: Resource = {
  entity: {
    name: "ProjectStatus",
    table: "projectStatus",
    columns: {
      ...BASE,
      name: "text",
      type: "text",
      color: "text",
      description: "text",
      position: "float",
      indefinite: "boolean",
    },
    refused: ({ archivedAt }) => (archivedAt ? "is archived" : undefined),
    many: { projects: { entity: "Project", by: "statusId" } },
  },
  one: { projectStatus: { entity: "ProjectStatus" } },
  many: { projectStatuses: { entity: "ProjectStatus" } },
  mutations: {
    projectStatusCreate: mutation(ProjectStatusCreateInput, projectStatusCreate),
    projectStatusUpdate: mutation(ProjectStatusUpdateInput, projectStatusUpdate),
    projectStatusArchive: action(projectStatusArchive),
    projectStatusUnarchive: action(projectStatusUnarchive),
  },
};
