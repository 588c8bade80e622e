import { invalidInput } from "../../errors.ts";
import { CommentCreateInput } from "../comment/input.ts";

/** Checks a comment that goes with another mutation; an empty one is none. @throws invalidInput */
export function checkComment(comment: string | null | undefined): string | undefined {
  if (!comment?.trim()) return undefined;
  const result = CommentCreateInput.shape.body.safeParse(comment);
  if (result.success) return result.data;
  throw invalidInput(result.error.issues.map(({ message }) => ({ path: "comment", message })));
}
