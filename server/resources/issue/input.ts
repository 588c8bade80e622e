import { z } from "zod";
import {
  day,
  fence,
  id,
  longText,
  moment,
  pastMoment,
  position,
  priority,
  reference,
  references,
  sessionReference,
  title,
} from "../fields.ts";
import { IssueRelationCreateInput } from "../relation/input.ts";

const fields = {
  description: longText.nullish(),
  priority: priority.nullish(),
  estimate: z.number().int().min(0, "must be 0 or more").max(1_000, "must be at most 1000").nullish(),
  stateId: reference.nullish(),
  assigneeId: reference.nullish(),
  delegateId: reference.nullish(),
  parentId: reference.nullish(),
  projectId: reference.nullish(),
  projectMilestoneId: reference.nullish(),
  cycleId: reference.nullish(),
  labelIds: references.nullish(),
  dueDate: day.nullish(),
  sortOrder: position.nullish(),
};

/** Values that a template gives to new issues. */
export const IssueTemplateInput = z.strictObject({ ...fields, title: title.nullish() });

/** Input of a new issue. A template may provide absent values. */
export const IssueCreateInput = IssueTemplateInput.extend({
  id: id.nullish(),
  teamId: reference,
  templateId: reference.nullish(),
  createdAt: pastMoment.nullish(),
  completedAt: pastMoment.nullish(),
  sessionId: sessionReference.nullish(),
});
export type IssueCreate = z.infer<typeof IssueCreateInput>;

/** Input of an issue update. Absent fields stay unchanged; null clears a field. */
export const IssueUpdateInput = z.strictObject({
  ...fields,
  teamId: reference.nullish(),
  title: title.nullish(),
  addedLabelIds: references.nullish(),
  removedLabelIds: references.nullish(),
  trashed: z.boolean().nullish(),
  overrideProof: z.boolean().nullish(),
  fence,
  updatedAt: moment.nullish(),
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
