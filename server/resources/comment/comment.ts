import { conflict, forbidden, inputError } from "../../errors.ts";
import { newId } from "../../id.ts";
import { nullable, type SqlRow } from "../../read/entity.ts";
import { columnSql, joinLink } from "../../read/row.ts";
import { createRow, updateRow } from "../../write/change.ts";
import { deleteRowPermanently } from "../../write/deletion/remove-for-good.ts";
import { findReferencedRows, findRowOrThrow } from "../../write/find.ts";
import { idempotentById } from "../../write/idempotency.ts";
import type { RowIdOrName } from "../../write/load.ts";
import type { ColumnValues, LoadedRow } from "../../write/rows.ts";
import type { WriteContext } from "../../write/write.ts";
import { BASE_COLUMNS, externalIdsSql, isOfTrashedTeamSql, MAX_LONG_TEXT_BYTES, organizationLink } from "../fields.ts";
import { notifyOfMention } from "../inbox/notice.ts";
import { checkFence } from "../lease/fence.ts";
import { defineIdMutation, defineInputMutation, type Resource } from "../resource.ts";
import { createSearchTextDerivation } from "../texts.ts";
import { type CommentCreate, CommentCreateInput, type CommentUpdate, CommentUpdateInput } from "./input.ts";

/**
 * Creates a comment on an issue or a project, or a reply to a comment. Threads have a single level: a reply to a reply
 * joins the same thread.
 */
const commentCreate = idempotentById("Comment", async (write: WriteContext, input: CommentCreate) => {
  const found = await findReferencedRows(write, {
    issueId: ["Issue", input.issueId],
    projectId: ["Project", input.projectId],
    parentId: ["Comment", input.parentId],
  });
  const { issueId: issue, projectId: project, parentId: parent } = found;
  if (!issue && !project && !parent) throw inputError("give issueId, projectId or parentId", "issueId");
  if (issue && project) throw inputError("give issueId or projectId, not both", "projectId");
  if (parent) checkSubject(parent, found);
  await checkCommentFence(write, issue?.id ?? parent?.issueId, input.fence);
  const id = input.id ?? newId();
  createRow(write, "Comment", {
    id,
    body: input.body,
    issueId: issue?.id ?? parent?.issueId ?? null,
    projectId: project?.id ?? parent?.projectId ?? null,
    parentId: parent ? (parent.parentId ?? parent.id) : null,
    userId: write.scope.userId,
    createdAt: input.createdAt ?? write.at,
  });
  const issueId = issue?.id ?? parent?.issueId;
  if (issueId) notifyOfMention(write, { issueId, commentId: id }, input.body);
  return { id };
});

async function checkCommentFence(
  write: WriteContext,
  issueId: RowIdOrName,
  fence: number | null | undefined,
): Promise<void> {
  if (fence === null || fence === undefined) return;
  if (!issueId) throw conflict(`fence ${fence} is not valid: projects cannot be claimed`);
  await checkFence(write, await findRowOrThrow(write, "Issue", issueId), fence);
}

interface Subject {
  issueId?: LoadedRow<"Issue"> | undefined;
  projectId?: LoadedRow<"Project"> | undefined;
}

/** @throws inputError if a reply names an issue or project other than the parent comment's. */
function checkSubject(parent: LoadedRow<"Comment">, { issueId, projectId }: Subject): void {
  if ((issueId && issueId.id !== parent.issueId) || (projectId && projectId.id !== parent.projectId)) {
    throw inputError("parentId: that comment is about something else", "parentId");
  }
}

/** Changes the caller's own comment. @throws forbidden for a comment of another user. */
async function commentUpdate(
  write: WriteContext,
  { body }: CommentUpdate,
  { id, skipEditedAt }: { id: string; skipEditedAt?: boolean | null },
) {
  const before = await own(write, id);
  if (typeof body === "string" && body !== before.body) {
    updateRow(write, "Comment", before, { body, ...(!skipEditedAt && { editedAt: write.at }) });
    if (before.issueId) notifyOfMention(write, { issueId: before.issueId, commentId: before.id }, body, before.body);
  }
  return { id: before.id };
}

/**
 * Deletes the caller's own comment with all replies. A thread that the comment resolved stays resolved.
 * @throws forbidden for a comment of another user.
 */
async function commentDelete(write: WriteContext, { id }: { id: string }) {
  const before = await own(write, id);
  await deleteRowPermanently(write, "Comment", before);
  return { id: before.id };
}

async function own(write: WriteContext, id: string): Promise<LoadedRow<"Comment">> {
  const comment = await findRowOrThrow(write, "Comment", id);
  if (comment.userId !== write.scope.userId) throw forbidden("only who wrote a comment may change or delete it");
  return comment;
}

/** Marks a thread as resolved, optionally by a comment of the thread. `id` may be any comment of the thread. */
async function commentResolve(
  write: WriteContext,
  { id, resolvingCommentId }: { id: string; resolvingCommentId?: string | null },
) {
  const thread = await threadOf(write, id);
  const { resolvingCommentId: by } = await findReferencedRows(write, {
    resolvingCommentId: ["Comment", resolvingCommentId],
  });
  if (by && by.parentId !== thread.id && by.id !== thread.id) {
    throw inputError("resolvingCommentId must be a comment of the thread", "resolvingCommentId");
  }
  if (!thread.resolvedAt) {
    updateRow(write, "Comment", thread, {
      resolvedAt: write.at,
      resolvingUserId: write.scope.userId,
      resolvingCommentId: by?.id ?? null,
    });
  }
  return { id: thread.id };
}

/** Reopens a resolved thread. */
async function commentUnresolve(write: WriteContext, { id }: { id: string }) {
  const thread = await threadOf(write, id);
  updateRow(write, "Comment", thread, { resolvedAt: null, resolvingUserId: null, resolvingCommentId: null });
  return { id: thread.id };
}

async function threadOf(write: WriteContext, id: string): Promise<LoadedRow<"Comment">> {
  const comment = await findRowOrThrow(write, "Comment", id);
  return comment.parentId ? findRowOrThrow(write, "Comment", comment.parentId) : comment;
}

const anchor = (row: SqlRow) => `'#comment-' || left(${columnSql(row, "id")}::text, 8)`;

const columns = {
  ...BASE_COLUMNS,
  body: "text",
  issueId: nullable("uuid"),
  projectId: nullable("uuid"),
  userId: nullable("uuid"),
  externalUserId: nullable("uuid"),
  parentId: nullable("uuid"),
  editedAt: nullable("timestamp"),
  resolvedAt: nullable("timestamp"),
  resolvingUserId: nullable("uuid"),
  resolvingCommentId: nullable("uuid"),
} as const;

declare module "../../write/rows.ts" {
  interface Rows {
    Comment: { stored: ColumnValues<typeof columns> };
  }
}

export const commentResource: Resource = {
  entity: {
    name: "Comment",
    table: "comment",
    event: "comment",
    columns,
    dependentTables: { commentText: "id", externalId: "entityId", inboxNotice: "commentId" },
    tuning: {
      derives: [createSearchTextDerivation("comment", ["body"])],
      long: { body: MAX_LONG_TEXT_BYTES },
      separate: {},
    },
    computed: {
      url: { type: "text", published: true, sql: commentUrl },
      teamId: { type: "uuid", sql: (row) => columnSql(joinLink(row, "issue"), "teamId") },
      externalIds: { type: "text[]", sql: externalIdsSql },
    },
    hidden: (row) => `(${columnSql(row, "archivedAt")} is not null or ${isOfTrashedTeamSql(row)})`,
    one: {
      organization: organizationLink,
      issue: { entity: "Issue", by: "issueId", onDelete: "cascade-silently" },
      project: { entity: "Project", by: "projectId", onDelete: "cascade-silently" },
      user: { entity: "User", by: "userId", onDelete: "detach" },
      externalUser: { entity: "ExternalUser", by: "externalUserId", onDelete: "detach" },
      parent: { entity: "Comment", by: "parentId", onDelete: "cascade" },
      resolvingUser: { entity: "User", by: "resolvingUserId", onDelete: "detach" },
      resolvingComment: { entity: "Comment", by: "resolvingCommentId", onDelete: "detach" },
    },
    many: { children: { entity: "Comment", by: "parentId" } },
  },
  one: { comment: { entity: "Comment" } },
  many: { comments: { entity: "Comment" } },
  mutations: {
    commentCreate: defineInputMutation("member", CommentCreateInput, commentCreate),
    commentUpdate: defineInputMutation("member", CommentUpdateInput, commentUpdate),
    commentDelete: defineIdMutation("member", commentDelete),
    commentResolve: defineIdMutation("member", commentResolve),
    commentUnresolve: defineIdMutation("member", commentUnresolve),
  },
};

/** URL of the comment on the page of its issue or project. */
function commentUrl(row: SqlRow): string {
  const page = (link: "issue" | "project") => {
    const target = joinLink(row, link);
    return target.entity.computed?.url?.sql(target);
  };
  return `coalesce(${page("issue")}, ${page("project")}) || ${anchor(row)}`;
}
