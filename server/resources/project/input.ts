import { z } from "zod";
import { color, day, id, longText, moment, name, position, priority, reference, references } from "../fields.ts";

const teamIds = references.min(1, "must name at least one team");
const fields = {
  description: longText.nullish(),
  content: longText.nullish(),
  icon: name.nullish(),
  color: color.nullish(),
  statusId: reference.nullish(),
  leadId: reference.nullish(),
  memberIds: references.nullish(),
  priority: priority.nullish(),
  startDate: day.nullish(),
  targetDate: day.nullish(),
  sortOrder: position.nullish(),
};

export const ProjectCreateInput = z.strictObject({ ...fields, id: id.nullish(), name, teamIds });
export type ProjectCreate = z.infer<typeof ProjectCreateInput>;

export const ProjectUpdateInput = z.strictObject({
  ...fields,
  name: name.nullish(),
  teamIds: teamIds.nullish(),
  completedAt: moment.nullish(),
  canceledAt: moment.nullish(),
  trashed: z.boolean().nullish(),
});
export type ProjectUpdate = z.infer<typeof ProjectUpdateInput>;
