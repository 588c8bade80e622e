import { inputError } from "../../errors.ts";
import { update } from "../../write/change.ts";
import { target } from "../../write/find.ts";
import { references } from "../../write/references.ts";
import type { Found } from "../../write/rows.ts";
import type { Write } from "../../write/write.ts";

/** Marks a thread as resolved, by one of its comments if one is named. Naming any comment of a thread means the thread. */
export async function commentResolve(
  write: Write,
  { id, resolvingCommentId }: { id: string; resolvingCommentId?: string | null },
) {
  const thread = await threadOf(write, id);
  const { resolvingCommentId: by } = await references(write, { resolvingCommentId: ["Comment", resolvingCommentId] });
  if (by && by.parentId !== thread.id && by.id !== thread.id) {
    throw inputError("resolvingCommentId must be a comment of the thread", "resolvingCommentId");
  }
  if (!thread.resolvedAt) {
    update(write, "Comment", thread, {
      resolvedAt: write.at,
      resolvingUserId: write.scope.userId,
      resolvingCommentId: by?.id ?? null,
    });
  }
  return { id: thread.id };
}

/** Opens a resolved thread again. */
export async function commentUnresolve(write: Write, { id }: { id: string }) {
  const thread = await threadOf(write, id);
  update(write, "Comment", thread, { resolvedAt: null, resolvingUserId: null, resolvingCommentId: null });
  return { id: thread.id };
}

async function threadOf(write: Write, id: string): Promise<Found<"Comment">> {
  const comment = await target(write, "Comment", id);
  return comment.parentId ? target(write, "Comment", comment.parentId) : comment;
}
