import { z } from "zod";
import { checkEntityLimit } from "../../accounts/bound.ts";
import { newId } from "../../id.ts";
import { nullable } from "../../read/entity.ts";
import { bindOrganization, columnSql } from "../../read/row.ts";
import { createRow, updateRow } from "../../write/change.ts";
import { detachReferences } from "../../write/deletion/remove-for-good.ts";
import { findReferencedRows, findRowOrThrow } from "../../write/find.ts";
import { idempotentById } from "../../write/idempotency.ts";
import type { ColumnValues } from "../../write/rows.ts";
import type { WriteContext } from "../../write/write.ts";
import { removeMutation } from "../archive.ts";
import {
  BASE_COLUMNS,
  dateSchema,
  idSchema,
  nameSchema,
  nullToUndefined,
  organizationLink,
  referenceSchema,
} from "../fields.ts";
import { defineInputMutation, type Resource } from "../resource.ts";

const columns = { ...BASE_COLUMNS, projectId: "uuid", name: "text", targetDate: nullable("date") } as const;

declare module "../../write/rows.ts" {
  interface Rows {
    ProjectMilestone: { stored: ColumnValues<typeof columns> };
  }
}

const fields = { targetDate: dateSchema.nullish() };
const CreateInput = z.strictObject({ ...fields, id: idSchema.nullish(), name: nameSchema, projectId: referenceSchema });
const UpdateInput = z.strictObject({ ...fields, name: nameSchema.nullish(), projectId: referenceSchema.nullish() });

/** Creates a milestone of a project. */
export async function createMilestone(write: WriteContext, input: z.infer<typeof CreateInput>) {
  const { projectId: project } = await findReferencedRows(write, { projectId: ["Project", input.projectId] });
  await checkEntityLimit(write, "ProjectMilestone", 5_000);
  const { name, targetDate } = input;
  return createRow(write, "ProjectMilestone", { id: input.id ?? newId(), projectId: project.id, name, targetDate });
}

/** A stage of a project, with a target date. */
export const projectMilestoneResource: Resource = {
  entity: {
    name: "ProjectMilestone",
    table: "projectMilestone",
    event: "projectMilestone",
    columns,
    one: {
      organization: organizationLink,
      project: { entity: "Project", by: "projectId", onDelete: "cascade", inverse: "projectMilestones" },
    },
    many: { issues: { entity: "Issue", by: "projectMilestoneId" } },
    hidden: (row) => `(${columnSql(row, "archivedAt")} is not null or (select p.trashed is true from project p
      where p."organizationId" = ${bindOrganization(row.build)} and p.id = ${columnSql(row, "projectId")}))`,
  },
  one: { projectMilestone: { entity: "ProjectMilestone" } },
  many: { projectMilestones: { entity: "ProjectMilestone" } },
  mutations: {
    projectMilestoneCreate: defineInputMutation(
      "member",
      CreateInput,
      idempotentById("ProjectMilestone", createMilestone),
    ),
    projectMilestoneUpdate: defineInputMutation("member", UpdateInput, async (write, input, args: { id: string }) => {
      const before = await findRowOrThrow(write, "ProjectMilestone", args.id);
      const { projectId: project } = await findReferencedRows(write, { projectId: ["Project", input.projectId] });
      // Issues of the milestone stay in the old project.
      if (project && project.id !== before.projectId) await detachReferences(write, "ProjectMilestone", before);
      updateRow(write, "ProjectMilestone", before, {
        ...input,
        name: nullToUndefined(input.name),
        projectId: project?.id,
      });
      return { id: before.id };
    }),
    projectMilestoneDelete: removeMutation("ProjectMilestone"),
  },
};
