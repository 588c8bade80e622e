import { z } from "zod";
import { id, reference } from "../fields.ts";

/** Kinds of relations. `discovered` is Trackway's own: the issue was found while working on the other. */
export const RELATION_TYPES = ["blocks", "duplicate", "related", "similar", "discovered"] as const;
const type = z.enum(RELATION_TYPES, `must be one of ${RELATION_TYPES.join(", ")}`);
export type RelationType = z.infer<typeof type>;

/** The input of a new relation. */
export const IssueRelationCreateInput = z.strictObject({
  id: id.nullish(),
  type,
  issueId: reference,
  relatedIssueId: reference,
});
export type IssueRelationCreate = z.infer<typeof IssueRelationCreateInput>;

/** The input of a change of a relation. */
export const IssueRelationUpdateInput = z.strictObject({
  type: type.nullish(),
  issueId: reference.nullish(),
  relatedIssueId: reference.nullish(),
});
export type IssueRelationUpdate = z.infer<typeof IssueRelationUpdateInput>;
