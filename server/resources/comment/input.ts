import { z } from "zod";
import { fence, id, longText, past, reference } from "../fields.ts";

const body = longText.refine((text) => text.trim().length > 0, "must not be empty");

/** The input of a new comment. */
export const CommentCreateInput = z.strictObject({
  id: id.nullish(),
  body,
  issueId: reference.nullish(),
  projectId: reference.nullish(),
  parentId: reference.nullish(),
  createdAt: past.nullish(),
  fence,
});
export type CommentCreate = z.infer<typeof CommentCreateInput>;

/** The input of a change of a comment. */
export const CommentUpdateInput = z.strictObject({ body: body.nullish() });
export type CommentUpdate = z.infer<typeof CommentUpdateInput>;
