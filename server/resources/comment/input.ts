import { z } from "zod";
import { fenceSchema, idSchema, longTextSchema, pastTimestampSchema, referenceSchema } from "../fields.ts";

const body = longTextSchema.refine((text) => text.trim().length > 0, "must not be empty");

export const CommentCreateInput = z.strictObject({
  id: idSchema.nullish(),
  body,
  issueId: referenceSchema.nullish(),
  projectId: referenceSchema.nullish(),
  parentId: referenceSchema.nullish(),
  createdAt: pastTimestampSchema.nullish(),
  fence: fenceSchema,
});
export type CommentCreate = z.infer<typeof CommentCreateInput>;

export const CommentUpdateInput = z.strictObject({ body: body.nullish() });
export type CommentUpdate = z.infer<typeof CommentUpdateInput>;
