import { column, joined, type Row } from "../../read/row.ts";
import { BASE, LONG_TEXT_BYTES, organizationLink } from "../fields.ts";
import { action, mutation, type Resource } from "../resource.ts";
import { CommentCreateInput, CommentUpdateInput } from "./input.ts";
import { commentResolve, commentUnresolve } from "./resolve.ts";
import { commentCreate, commentDelete, commentUpdate } from "./write.ts";

const anchor = (row: Row) => `'#comment-' || left(${column(row, "id")}::text, 8)`;

export const comment: Resource = {
  entity: {
    name: "Comment",
    table: "comment",
    event: "comment",
    columns: {
      ...BASE,
      body: "text",
      issueId: "uuid",
      projectId: "uuid",
      userId: "uuid",
      parentId: "uuid",
      editedAt: "timestamp",
      resolvedAt: "timestamp",
      resolvingUserId: "uuid",
      resolvingCommentId: "uuid",
    },
    long: { body: LONG_TEXT_BYTES },
    computed: { url: { type: "text", sql: commentUrl } },
    published: ["url"],
    one: {
      organization: organizationLink,
      issue: { entity: "Issue", by: "issueId" },
      project: { entity: "Project", by: "projectId" },
      user: { entity: "User", by: "userId" },
      parent: { entity: "Comment", by: "parentId" },
      resolvingUser: { entity: "User", by: "resolvingUserId" },
      resolvingComment: { entity: "Comment", by: "resolvingCommentId" },
    },
    many: { children: { entity: "Comment", by: "parentId" } },
    teamOf: (row) => column(joined(row, "issue"), "teamId"),
  },
  one: { comment: { entity: "Comment" } },
  many: { comments: { entity: "Comment" } },
  mutations: {
    commentCreate: mutation(CommentCreateInput, commentCreate),
    commentUpdate: mutation(CommentUpdateInput, commentUpdate),
    commentDelete: action(commentDelete),
    commentResolve: action(commentResolve),
    commentUnresolve: action(commentUnresolve),
  },
};

/** The page of the issue or project, at the comment. */
function commentUrl(row: Row): string {
  const page = (link: "issue" | "project") => {
    const target = joined(row, link);
    return target.entity.computed?.url?.sql(target);
  };
  return `coalesce(${page("issue")}, ${page("project")}) || ${anchor(row)}`;
}
