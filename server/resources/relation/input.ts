import { z } from "zod";
import { id, reference } from "../fields.ts";

/** What one issue is to another: `discovered` is Trackway's own, for what was found while working on the other. */
export const RELATION_TYPES = ["blocks", "duplicate", "related", "similar", "discovered"] as const;
const type = z.enum(RELATION_TYPES, `must be one of ${RELATION_TYPES.join(", ")}`);
export type RelationType = z.infer<typeof type>;

/** What a new relation takes. */
export const IssueRelationCreateInput = z.strictObject({
  id: id.nullish(),
  type,
  issueId: reference,
  relatedIssueId: reference,
});
export type IssueRelationCreate = z.infer<typeof IssueRelationCreateInput>;

/** What of a relation can change. */
export const IssueRelationUpdateInput = z.strictObject({
  type: type.nullish(),
  issueId: reference.nullish(),
  relatedIssueId: reference.nullish(),
});
export type IssueRelationUpdate = z.infer<typeof IssueRelationUpdateInput>;
