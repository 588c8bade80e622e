import { z } from "zod";
import { color, id, longText, name, reference } from "../fields.ts";

/** The input of a new label. */
export const IssueLabelCreateInput = z.strictObject({
  id: id.nullish(),
  name,
  description: longText.nullish(),
  color: color.nullish(),
  teamId: reference.nullish(),
  parentId: reference.nullish(),
  isGroup: z.boolean().nullish(),
});
export type IssueLabelCreate = z.infer<typeof IssueLabelCreateInput>;

/** The input of a change of a label; its team cannot. */
export const IssueLabelUpdateInput = IssueLabelCreateInput.omit({ id: true, teamId: true }).extend({
  name: name.nullish(),
});
export type IssueLabelUpdate = z.infer<typeof IssueLabelUpdateInput>;
