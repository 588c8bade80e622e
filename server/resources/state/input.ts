import { z } from "zod";
import { colorSchema, idSchema, longTextSchema, nameSchema, positionSchema, referenceSchema } from "../fields.ts";

export const WORKFLOW_STATE_TYPES = [
  "triage",
  "backlog",
  "unstarted",
  "started",
  "completed",
  "canceled",
  "duplicate",
] as const;

export const WorkflowStateCreateInput = z.strictObject({
  id: idSchema.nullish(),
  teamId: referenceSchema,
  name: nameSchema,
  type: z.enum(WORKFLOW_STATE_TYPES, `must be one of ${WORKFLOW_STATE_TYPES.join(", ")}`),
  color: colorSchema,
  description: longTextSchema.nullish(),
  position: positionSchema.nullish(),
});
export type WorkflowStateCreate = z.infer<typeof WorkflowStateCreateInput>;

/** Input of a workflow state update. The type of a state cannot change. */
export const WorkflowStateUpdateInput = z.strictObject({
  name: nameSchema.nullish(),
  color: colorSchema.nullish(),
  description: longTextSchema.nullish(),
  position: positionSchema.nullish(),
});
export type WorkflowStateUpdate = z.infer<typeof WorkflowStateUpdateInput>;
