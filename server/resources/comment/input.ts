import { z } from "zod";
import { fence, id, longText, pastMoment, reference } from "../fields.ts";

const body = longText.refine((text) => text.trim().length > 0, "must not be empty");

export const CommentCreateInput = z.strictObject({
  id: id.nullish(),
  body,
  issueId: reference.nullish(),
  projectId: reference.nullish(),
  parentId: reference.nullish(),
  createdAt: pastMoment.nullish(),
  fence,
});
export type CommentCreate = z.infer<typeof CommentCreateInput>;

export const CommentUpdateInput = z.strictObject({ body: body.nullish() });
export type CommentUpdate = z.infer<typeof CommentUpdateInput>;
