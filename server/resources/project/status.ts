import { nullable } from "../../read/entity.ts";
import type { RowOf } from "../../write/rows.ts";
import { BASE } from "../fields.ts";
import { action, mutation, type Resource } from "../resource.ts";
import { ProjectStatusCreateInput, ProjectStatusUpdateInput } from "./status-input.ts";
import {
  projectStatusArchive,
  projectStatusCreate,
  projectStatusUnarchive,
  projectStatusUpdate,
} from "./status-write.ts";

const columns = {
  ...BASE,
  name: "text",
  type: "text",
  color: "text",
  description: nullable("text"),
  position: "float",
  indefinite: "boolean",
} as const;

declare module "../../write/rows.ts" {
  interface Rows {
    ProjectStatus: { stored: RowOf<typeof columns> };
  }
}

export const projectStatus: Resource = {
  entity: {
    name: "ProjectStatus",
    table: "projectStatus",
    columns,
    tuning: { scanned: { description: 1 } },
    refused: ({ archivedAt }) => (archivedAt ? "is archived" : undefined),
    many: { projects: { entity: "Project", by: "statusId" } },
  },
  one: { projectStatus: { entity: "ProjectStatus" } },
  many: { projectStatuses: { entity: "ProjectStatus" } },
  mutations: {
    projectStatusCreate: mutation("member", ProjectStatusCreateInput, projectStatusCreate),
    projectStatusUpdate: mutation("member", ProjectStatusUpdateInput, projectStatusUpdate),
    projectStatusArchive: action("member", projectStatusArchive),
    projectStatusUnarchive: action("member", projectStatusUnarchive),
  },
};
