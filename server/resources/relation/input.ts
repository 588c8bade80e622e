import { z } from "zod";
import { idSchema, referenceSchema } from "../fields.ts";

/** Types of relations. `discovered` is specific to Trackway: the issue was found while working on the related issue. */
export const RELATION_TYPES = ["blocks", "duplicate", "related", "similar", "discovered"] as const;
const type = z.enum(RELATION_TYPES, `must be one of ${RELATION_TYPES.join(", ")}`);
export type RelationType = z.infer<typeof type>;

export const IssueRelationCreateInput = z.strictObject({
  id: idSchema.nullish(),
  type,
  issueId: referenceSchema,
  relatedIssueId: referenceSchema,
});
export type IssueRelationCreate = z.infer<typeof IssueRelationCreateInput>;

export const IssueRelationUpdateInput = z.strictObject({
  type: type.nullish(),
  issueId: referenceSchema.nullish(),
  relatedIssueId: referenceSchema.nullish(),
});
export type IssueRelationUpdate = z.infer<typeof IssueRelationUpdateInput>;
