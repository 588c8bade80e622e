import { z } from "zod";
import { color, id, longText, name, position } from "../fields.ts";

/** What a project status can mean: the values of the enum ProjectStatusType. */
const type = z.enum(["backlog", "planned", "started", "paused", "completed", "canceled"]);

/** What a new project status takes. */
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

/** What of a project status can change. */
export const ProjectStatusUpdateInput = z.strictObject({
  name: name.nullish(),
  type: type.nullish(),
  color: color.nullish(),
  description: longText.nullish(),
  position: position.nullish(),
  indefinite: z.boolean().nullish(),
});
export type ProjectStatusUpdate = z.infer<typeof ProjectStatusUpdateInput>;
