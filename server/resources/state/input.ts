import { z } from "zod";
import { color, id, longText, name, position, reference } from "../fields.ts";

/** What a workflow state can mean. */
export const STATE_TYPES = ["triage", "backlog", "unstarted", "started", "completed", "canceled", "duplicate"] as const;

/** What a new workflow state takes. */
export const WorkflowStateCreateInput = z.strictObject({
  id: id.nullish(),
  teamId: reference,
  name,
  type: z.enum(STATE_TYPES, `must be one of ${STATE_TYPES.join(", ")}`),
  color,
  description: longText.nullish(),
  position: position.nullish(),
});
export type WorkflowStateCreate = z.infer<typeof WorkflowStateCreateInput>;

/** What of a workflow state can change; its type cannot. */
export const WorkflowStateUpdateInput = z.strictObject({
  name: name.nullish(),
  color: color.nullish(),
  description: longText.nullish(),
  position: position.nullish(),
});
export type WorkflowStateUpdate = z.infer<typeof WorkflowStateUpdateInput>;
