import { z } from "zod";
import {
  colorSchema,
  dateSchema,
  idSchema,
  longTextSchema,
  nameSchema,
  positionSchema,
  prioritySchema,
  referenceSchema,
  referencesSchema,
  timestampSchema,
} from "../fields.ts";

const teamIds = referencesSchema.min(1, "must name at least one team");
const fields = {
  description: longTextSchema.nullish(),
  content: longTextSchema.nullish(),
  icon: nameSchema.nullish(),
  color: colorSchema.nullish(),
  statusId: referenceSchema.nullish(),
  leadId: referenceSchema.nullish(),
  memberIds: referencesSchema.nullish(),
  priority: prioritySchema.nullish(),
  startDate: dateSchema.nullish(),
  targetDate: dateSchema.nullish(),
  sortOrder: positionSchema.nullish(),
};

export const ProjectCreateInput = z.strictObject({ ...fields, id: idSchema.nullish(), name: nameSchema, teamIds });
export type ProjectCreate = z.infer<typeof ProjectCreateInput>;

export const ProjectUpdateInput = z.strictObject({
  ...fields,
  name: nameSchema.nullish(),
  teamIds: teamIds.nullish(),
  completedAt: timestampSchema.nullish(),
  canceledAt: timestampSchema.nullish(),
  trashed: z.boolean().nullish(),
});
export type ProjectUpdate = z.infer<typeof ProjectUpdateInput>;
