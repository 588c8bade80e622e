import { z } from "zod";
import { checkEntityLimit } from "../../accounts/bound.ts";
import { newId } from "../../id.ts";
import { nullable } from "../../read/entity.ts";
import { column, organization } from "../../read/row.ts";
import { create, update } from "../../write/change.ts";
import { detachReferences } from "../../write/deletion/remove-for-good.ts";
import { findReferences, findTarget } from "../../write/find.ts";
import { idempotentById } from "../../write/idempotency.ts";
import type { ColumnValues } from "../../write/rows.ts";
import type { Write } from "../../write/write.ts";
import { removeMutation } from "../archive.ts";
import { BASE_COLUMNS, day, id, name, nullToUndefined, organizationLink, reference } from "../fields.ts";
import { mutation, type Resource } from "../resource.ts";

const columns = { ...BASE_COLUMNS, projectId: "uuid", name: "text", targetDate: nullable("date") } as const;

declare module "../../write/rows.ts" {
  interface Rows {
    ProjectMilestone: { stored: ColumnValues<typeof columns> };
  }
}

const fields = { targetDate: day.nullish() };
const CreateInput = z.strictObject({ ...fields, id: id.nullish(), name, projectId: reference });
const UpdateInput = z.strictObject({ ...fields, name: name.nullish(), projectId: reference.nullish() });

/** Creates a milestone of a project. */
export async function createMilestone(write: Write, input: z.infer<typeof CreateInput>) {
  const { projectId: project } = await findReferences(write, { projectId: ["Project", input.projectId] });
  await checkEntityLimit(write, "ProjectMilestone", 5_000);
  const { name, targetDate } = input;
  return create(write, "ProjectMilestone", { id: input.id ?? newId(), projectId: project.id, name, targetDate });
}

/** A stage of a project, with a target date. */
export const projectMilestone: Resource = {
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
    hidden: (row) => `(${column(row, "archivedAt")} is not null or (select p.trashed is true from project p
      where p."organizationId" = ${organization(row.build)} and p.id = ${column(row, "projectId")}))`,
  },
  one: { projectMilestone: { entity: "ProjectMilestone" } },
  many: { projectMilestones: { entity: "ProjectMilestone" } },
  mutations: {
    projectMilestoneCreate: mutation("member", CreateInput, idempotentById("ProjectMilestone", createMilestone)),
    projectMilestoneUpdate: mutation("member", UpdateInput, async (write, input, args: { id: string }) => {
      const before = await findTarget(write, "ProjectMilestone", args.id);
      const { projectId: project } = await findReferences(write, { projectId: ["Project", input.projectId] });
      // Issues of the milestone stay in the old project.
      if (project && project.id !== before.projectId) await detachReferences(write, "ProjectMilestone", before);
      update(write, "ProjectMilestone", before, {
        ...input,
        name: nullToUndefined(input.name),
        projectId: project?.id,
      });
      return { id: before.id };
    }),
    projectMilestoneDelete: removeMutation("ProjectMilestone"),
  },
};
