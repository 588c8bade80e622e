import { z } from "zod";
import {
  dateSchema,
  fenceSchema,
  idSchema,
  longTextSchema,
  pastTimestampSchema,
  positionSchema,
  prioritySchema,
  referenceSchema,
  referencesSchema,
  sessionReferenceSchema,
  timestampSchema,
  titleSchema,
} from "../fields.ts";
import { IssueRelationCreateInput } from "../relation/input.ts";

const fields = {
  description: longTextSchema.nullish(),
  priority: prioritySchema.nullish(),
  estimate: z.number().int().min(0, "must be 0 or more").max(1_000, "must be at most 1000").nullish(),
  stateId: referenceSchema.nullish(),
  assigneeId: referenceSchema.nullish(),
  delegateId: referenceSchema.nullish(),
  parentId: referenceSchema.nullish(),
  projectId: referenceSchema.nullish(),
  projectMilestoneId: referenceSchema.nullish(),
  cycleId: referenceSchema.nullish(),
  labelIds: referencesSchema.nullish(),
  dueDate: dateSchema.nullish(),
  sortOrder: positionSchema.nullish(),
};

/** Values that a template gives to new issues. */
export const IssueTemplateInput = z.strictObject({ ...fields, title: titleSchema.nullish() });

/** Input of a new issue. A template may provide absent values. */
export const IssueCreateInput = IssueTemplateInput.extend({
  id: idSchema.nullish(),
  teamId: referenceSchema,
  templateId: referenceSchema.nullish(),
  createdAt: pastTimestampSchema.nullish(),
  completedAt: pastTimestampSchema.nullish(),
  sessionId: sessionReferenceSchema.nullish(),
});
export type IssueCreate = z.infer<typeof IssueCreateInput>;

/** Input of an issue update. Absent fields stay unchanged; null clears a field. */
export const IssueUpdateInput = z.strictObject({
  ...fields,
  teamId: referenceSchema.nullish(),
  title: titleSchema.nullish(),
  addedLabelIds: referencesSchema.nullish(),
  removedLabelIds: referencesSchema.nullish(),
  trashed: z.boolean().nullish(),
  overrideProof: z.boolean().nullish(),
  fence: fenceSchema,
  updatedAt: timestampSchema.nullish(),
});
export type IssueUpdate = z.infer<typeof IssueUpdateInput>;

/** Input of a change to several issues. `fence` and `updatedAt` belong to a single issue, so neither is allowed. */
export const IssueBatchUpdateInput = IssueUpdateInput.extend({
  fence: z.null("is of one issue alone; change issues that you hold by issueUpdate").optional(),
  updatedAt: z.null("is of one issue alone; change it by issueUpdate").optional(),
});

/** Maximum number of issues per batch. */
export const MAX_BATCH = 50;

/** Maximum number of labels per issue. */
export const MAX_LABELS = 100;

/** Maximum number of relations per batch. */
const MAX_RELATIONS = 100;

/** Several new issues and their relations. */
export const IssueBatchCreateInput = z.strictObject({
  issues: z
    .array(IssueCreateInput)
    .min(1, "must hold an issue")
    .max(MAX_BATCH, `must hold at most ${MAX_BATCH} issues`),
  relations: z
    .array(IssueRelationCreateInput)
    .max(MAX_RELATIONS, `must hold at most ${MAX_RELATIONS} relations`)
    .nullish(),
});
export type IssueBatchCreate = z.infer<typeof IssueBatchCreateInput>;
