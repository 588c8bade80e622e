import { z } from "zod";
import { create } from "../core/change.ts";
import { references } from "../core/find.ts";
import { newId } from "../core/id.ts";
import { mutation, type Resource } from "../core/resource.ts";
import { column, joined, type Row } from "../core/row.ts";
import type { Write } from "../core/write.ts";
import { inputError } from "../errors.ts";
import { BASE, id, longText, organizationLink, reference } from "./fields.ts";

const CommentCreateInput = z.strictObject({
  id: id.nullish(),
  body: longText.min(1, "must not be empty"),
  issueId: reference.nullish(),
  projectId: reference.nullish(),
  parentId: reference.nullish(),
  createdAt: z.iso.datetime().nullish(),
});

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
    },
    computed: { url: { type: "text", sql: commentUrl } },
    published: ["url"],
    one: {
      organization: organizationLink,
      issue: { entity: "Issue", by: "issueId" },
      project: { entity: "Project", by: "projectId" },
      user: { entity: "User", by: "userId" },
      parent: { entity: "Comment", by: "parentId" },
      resolvingUser: { entity: "User", by: "resolvingUserId" },
    },
    many: { children: { entity: "Comment", by: "parentId" } },
    teamOf: (row) => column(joined(row, "issue"), "teamId"),
  },
  one: { comment: { entity: "Comment" } },
  many: { comments: { entity: "Comment" } },
  mutations: { commentCreate: mutation(CommentCreateInput, (write, { input }) => commentCreate(write, input)) },
};

/** The page of the issue or project, at the comment. */
function commentUrl(row: Row): string {
  const page = (link: "issue" | "project") => {
    const target = joined(row, link);
    return target.entity.computed?.url?.sql(target);
  };
  return `coalesce(${page("issue")}, ${page("project")}) || ${anchor(row)}`;
}

async function commentCreate(write: Write, input: z.infer<typeof CommentCreateInput>) {
  const found = await references(write, {
    issueId: ["Issue", input.issueId],
    projectId: ["Project", input.projectId],
    parentId: ["Comment", input.parentId],
  });
  const { issueId: issue, projectId: project, parentId: parent } = found;
  if (!issue && !project && !parent)
    throw inputError("say what the comment is about: issueId, projectId or parentId", "issueId");
  const commentId = input.id ?? newId();
  create(write, "Comment", {
    id: commentId,
    body: input.body,
    issueId: issue?.id ?? parent?.issueId ?? null,
    projectId: project?.id ?? parent?.projectId ?? null,
    // A thread is one level deep: an answer to an answer joins the thread.
    parentId: parent ? (parent.parentId ?? parent.id) : null,
    userId: write.scope.userId,
    ...(input.createdAt && { createdAt: input.createdAt }),
  });
  return { id: commentId };
}
