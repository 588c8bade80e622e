import { z } from "zod";
import { ISSUE } from "../documents/issue.ts";
import { ANNOTATIONS, defineTool } from "../registry/define-tool.ts";

interface Data {
  commentCreate: { comment: { id: string; body: string; createdAt: string; issue: { identifier: string } } };
}

/** Comments on an issue. */
export const createComment = defineTool({
  name: "create_comment",
  title: "Create comment",
  description: "Comment on an issue.",
  toolset: "core",
  annotations: ANNOTATIONS.adds,
  inputSchema: z.strictObject({
    issue: z.string().describe("identifier or id"),
    body: z.string().min(1).describe("Markdown"),
    reply_to: z.string().optional().describe("comment id"),
  }),
  outputSchema: z.object({ comment: z.object({ id: z.string(), issue: z.string(), at: z.string() }) }),
  async handler({ issue, body, reply_to }, { graphql }) {
    const input = { issueId: issue, body, ...(reply_to !== undefined && { parentId: reply_to }) };
    const { comment } = (await graphql<Data>(ISSUE.comment, { input })).commentCreate;
    return { comment: { id: comment.id, issue: comment.issue.identifier, at: comment.createdAt } };
  },
});
