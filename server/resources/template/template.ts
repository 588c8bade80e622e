import { z } from "zod";
import { checkEntityLimit } from "../../accounts/bound.ts";
import { newId } from "../../id.ts";
import { nullable } from "../../read/entity.ts";
import { createRow, updateRow } from "../../write/change.ts";
import { findReferencedRows, findRowOrThrow } from "../../write/find.ts";
import { idempotentById } from "../../write/idempotency.ts";
import type { ColumnValues } from "../../write/rows.ts";
import type { WriteContext } from "../../write/write.ts";
import { removeMutation } from "../archive.ts";
import {
  BASE_COLUMNS,
  colorSchema,
  idSchema,
  isHiddenWithTeamSql,
  longTextSchema,
  MAX_LONG_TEXT_BYTES,
  nameSchema,
  nullToUndefined,
  organizationLink,
  positionSchema,
  referenceSchema,
} from "../fields.ts";
import { IssueTemplateInput } from "../issue/input.ts";
import { defineInputMutation, type Resource } from "../resource.ts";

const columns = {
  ...BASE_COLUMNS,
  name: "text",
  description: nullable("text"),
  icon: nullable("text"),
  color: nullable("text"),
  type: "text",
  templateData: "json",
  sortOrder: "float",
  teamId: nullable("uuid"),
  creatorId: nullable("uuid"),
} as const;

declare module "../../write/rows.ts" {
  interface Rows {
    Template: { stored: ColumnValues<typeof columns> };
  }
}

const templateData = IssueTemplateInput.refine(
  ({ projectId, projectMilestoneId }) => !projectMilestoneId || Boolean(projectId),
  { path: ["projectMilestoneId"], message: "is of one project; set projectId to that project too" },
);
const UpdateInput = z.strictObject({
  name: nameSchema.nullish(),
  description: longTextSchema.nullish(),
  icon: nameSchema.nullish(),
  color: colorSchema.nullish(),
  templateData: templateData.nullish(),
  sortOrder: positionSchema.nullish(),
  teamId: referenceSchema.nullish(),
});
const CreateInput = UpdateInput.extend({
  id: idSchema.nullish(),
  name: nameSchema,
  type: z.literal("issue", "must be issue"),
  templateData,
});

/** Maximum number of templates, equal to the maximum length of a plain list. */
const MOST = 250;

/** Creates a template of a team or of the organization. */
export async function createTemplate(write: WriteContext, input: z.infer<typeof CreateInput>) {
  const { teamId: team } = await findReferencedRows(write, { teamId: ["Team", input.teamId] });
  await checkEntityLimit(write, "Template", MOST);
  const links = { teamId: team?.id, creatorId: write.scope.userId };
  return createRow(write, "Template", { ...input, ...links, id: input.id ?? newId(), sortOrder: input.sortOrder ?? 0 });
}

/** Values that new issues start with. */
export const templateResource: Resource = {
  entity: {
    name: "Template",
    table: "template",
    event: "template",
    columns,
    tuning: { long: { description: MAX_LONG_TEXT_BYTES, templateData: 2 * MAX_LONG_TEXT_BYTES } },
    hidden: isHiddenWithTeamSql,
    one: {
      organization: organizationLink,
      team: { entity: "Team", by: "teamId", onDelete: "cascade-silently", inverse: "templates" },
      creator: { entity: "User", by: "creatorId", onDelete: "detach" },
    },
  },
  one: { template: { entity: "Template" } },
  many: { templates: { entity: "Template", most: MOST } },
  mutations: {
    templateCreate: defineInputMutation("member", CreateInput, idempotentById("Template", createTemplate)),
    templateUpdate: defineInputMutation("member", UpdateInput, async (write, input, args: { id: string }) => {
      const before = await findRowOrThrow(write, "Template", args.id);
      const { teamId: team } = await findReferencedRows(write, { teamId: ["Team", input.teamId] });
      const { name, templateData, sortOrder } = input;
      const always = {
        name: nullToUndefined(name),
        templateData: nullToUndefined(templateData),
        sortOrder: nullToUndefined(sortOrder),
      };
      updateRow(write, "Template", before, { ...input, ...always, teamId: input.teamId && team?.id });
      return { id: before.id };
    }),
    templateDelete: removeMutation("Template"),
  },
};
