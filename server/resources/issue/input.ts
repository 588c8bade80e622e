import { z } from "zod";
import {
  day,
  fence,
  id,
  longText,
  moment,
  past,
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

/** The values that a template gives new issues. */
export const IssueTemplateInput = z.strictObject({ ...fields, title: title.nullish() });

/** The input of a new issue. A template may give it what it leaves out. */
export const IssueCreateInput = IssueTemplateInput.extend({
  id: id.nullish(),
  teamId: reference,
  templateId: reference.nullish(),
  createdAt: past.nullish(),
  completedAt: past.nullish(),
  sessionId: sessionReference.nullish(),
});
export type IssueCreate = z.infer<typeof IssueCreateInput>;

/** The input of a change of an issue; absent stays as it is, null clears. */
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

/** The input of a change of several issues: each has a fence and an `updatedAt` of its own, so none goes for all of them. */
export const IssueBatchUpdateInput = IssueUpdateInput.extend({
  fence: z.null("is of one issue alone; change issues that you hold by issueUpdate").optional(),
  updatedAt: z.null("is of one issue alone; change it by issueUpdate").optional(),
});

/** Most issues of one batch. */
export const MAX_BATCH = 50;

/** Most labels of one issue. */
export const MAX_LABELS = 100;

/** Most relations that a batch makes with its issues. */
const MAX_RELATIONS = 100;

/** Several new issues, and relations of theirs. */
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
