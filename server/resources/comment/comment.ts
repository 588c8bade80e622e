import { nullable, type SqlRow } from "../../read/entity.ts";
import { column, joined } from "../../read/row.ts";
import type { RowOf } from "../../write/rows.ts";
import { BASE, externalIds, LONG_TEXT_BYTES, ofTrashedTeam, organizationLink } from "../fields.ts";
import { action, mutation, type Resource } from "../resource.ts";
import { textsOf } from "../texts.ts";
import { CommentCreateInput, CommentUpdateInput } from "./input.ts";
import { commentCreate, commentDelete, commentResolve, commentUnresolve, commentUpdate } from "./write.ts";

const anchor = (row: SqlRow) => `'#comment-' || left(${column(row, "id")}::text, 8)`;

const columns = {
  ...BASE,
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
    Comment: { stored: RowOf<typeof columns> };
  }
}

export const comment: Resource = {
  entity: {
    name: "Comment",
    table: "comment",
    event: "comment",
    columns,
    dependentTables: { commentText: "id", externalId: "entityId", inboxNotice: "commentId" },
    tuning: {
      derives: [textsOf("comment", ["body"])],
      long: { body: LONG_TEXT_BYTES },
      separate: {},
    },
    computed: {
      url: { type: "text", published: true, sql: commentUrl },
      teamId: { type: "uuid", sql: (row) => column(joined(row, "issue"), "teamId") },
      externalIds: { type: "text[]", sql: externalIds },
    },
    hidden: (row) => `(${column(row, "archivedAt")} is not null or ${ofTrashedTeam(row)})`,
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
    commentCreate: mutation("member", CommentCreateInput, commentCreate),
    commentUpdate: mutation("member", CommentUpdateInput, commentUpdate),
    commentDelete: action("member", commentDelete),
    commentResolve: action("member", commentResolve),
    commentUnresolve: action("member", commentUnresolve),
  },
};

/** The page of the issue or project, at the comment. */
function commentUrl(row: SqlRow): string {
  const page = (link: "issue" | "project") => {
    const target = joined(row, link);
    return target.entity.computed?.url?.sql(target);
  };
  return `coalesce(${page("issue")}, ${page("project")}) || ${anchor(row)}`;
}
