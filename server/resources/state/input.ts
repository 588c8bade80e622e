import { z } from "zod";
import { color, id, longText, name, position, reference } from "../fields.ts";

export const STATE_TYPES = ["triage", "backlog", "unstarted", "started", "completed", "canceled", "duplicate"] as const;

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

/** Input of a workflow state update. The type of a state cannot change. */
export const WorkflowStateUpdateInput = z.strictObject({
  name: name.nullish(),
  color: color.nullish(),
  description: longText.nullish(),
  position: position.nullish(),
});
export type WorkflowStateUpdate = z.infer<typeof WorkflowStateUpdateInput>;
