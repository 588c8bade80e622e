import type { Resource } from "../core/resource.ts";
import { BASE } from "./fields.ts";

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
    many: { projects: { entity: "Project", by: "statusId" } },
  },
  one: { projectStatus: { entity: "ProjectStatus" } },
  many: { projectStatuses: { entity: "ProjectStatus" } },
};
