import { z } from "zod";
import { color, id, longText, name, position } from "../fields.ts";

/** Meanings of a project status: the values of the enum ProjectStatusType. */
const type = z.enum(["backlog", "planned", "started", "paused", "completed", "canceled"]);

/** The input of a new project status. */
export const ProjectStatusCreateInput = z.strictObject({
  id: id.nullish(),
  name,
  type,
  color,
  description: longText.nullish(),
  position,
  indefinite: z.boolean().nullish(),
});
export type ProjectStatusCreate = z.infer<typeof ProjectStatusCreateInput>;

/** The input of a change of a project status. */
export const ProjectStatusUpdateInput = z.strictObject({
  name: name.nullish(),
  type: type.nullish(),
  color: color.nullish(),
  description: longText.nullish(),
  position: position.nullish(),
  indefinite: z.boolean().nullish(),
});
export type ProjectStatusUpdate = z.infer<typeof ProjectStatusUpdateInput>;
