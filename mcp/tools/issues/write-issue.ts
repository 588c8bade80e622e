import { z } from "zod";
import { ENTITY_FILTER_BUILDERS } from "../../arguments/filters.ts";
import { buildIssueInput, ISSUE_FIELD_SCHEMAS } from "../../arguments/issue-input.ts";
import { ISSUE_DOCUMENTS } from "../../documents/issue.ts";
import { ToolError } from "../../errors.ts";
import { ANNOTATIONS, defineTool } from "../../registry/define-tool.ts";
import { type GraphqlConnection, type IssueNode, issueRowSchema, toIssueRow } from "../../results.ts";

export const createIssue = defineTool({
  name: "create_issue",
  title: "Create issue",
  description: "Create an issue in a team.",
  toolset: "core",
  annotations: ANNOTATIONS.adds,
  inputSchema: z.strictObject({
    team: z.string().describe("key or name"),
    title: z.string().min(1).max(512),
    ...ISSUE_FIELD_SCHEMAS,
  }),
  outputSchema: z.object({ issue: issueRowSchema }),
  async handler(args, { graphql }) {
    const input = await buildIssueInput(graphql, args);
    const { issueCreate } = await graphql<{ issueCreate: { issue: IssueNode } }>(ISSUE_DOCUMENTS.create, { input });
    return { issue: toIssueRow(issueCreate.issue) };
  },
});

export const updateIssue = defineTool({
  name: "update_issue",
  title: "Update issue",
  description: "Change only the given fields of an issue. team moves the issue.",
  toolset: "core",
  annotations: ANNOTATIONS.changes,
  inputSchema: z.strictObject({
    issue: z.string().describe("identifier (ENG-12) or id"),
    title: z.string().min(1).max(512).optional(),
    team: z.string().optional(),
    ...ISSUE_FIELD_SCHEMAS,
    labels: ISSUE_FIELD_SCHEMAS.labels.describe("replaces all"),
    add_labels: z.array(z.string()).max(50).optional(),
    remove_labels: z.array(z.string()).max(50).optional(),
  }),
  outputSchema: z.object({ issue: issueRowSchema }),
  async handler(args, { graphql }) {
    const input = await buildIssueInput(graphql, args);
    if (Object.keys(input).length === 0) throw new ToolError("The call changes nothing. Add a field and call again.");
    const variables = { id: args.issue, input };
    const { issueUpdate } = await graphql<{ issueUpdate: { issue: IssueNode } }>(ISSUE_DOCUMENTS.update, variables);
    return { issue: toIssueRow(issueUpdate.issue) };
  },
});

interface Data {
  commentCreate: { comment: { id: string; body: string; createdAt: string; issue: { identifier: string } } };
}

/** Adds a comment to an issue. */
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
    const { comment } = (await graphql<Data>(ISSUE_DOCUMENTS.comment, { input })).commentCreate;
    return { comment: { id: comment.id, issue: comment.issue.identifier, at: comment.createdAt } };
  },
});

const MOST = 10;

/** Finds existing issues that a planned issue may duplicate. */
export const similarIssues = defineTool({
  name: "similar_issues",
  title: "Find likely duplicates",
  description: "Find a new issue's likely duplicates, best first.",
  toolset: "plan",
  annotations: ANNOTATIONS.reads,
  inputSchema: z.strictObject({
    title: z.string().min(1),
    description: z.string().optional(),
    team: z.string().optional(),
  }),
  outputSchema: z.object({ issues: z.array(issueRowSchema) }),
  async handler({ title, description, team }, { graphql }) {
    const filter = team === undefined ? undefined : { team: ENTITY_FILTER_BUILDERS.team(team) };
    const variables = { title, text: description, filter, first: MOST };
    const { issues } = await graphql<{ issues: GraphqlConnection<IssueNode> }>(ISSUE_DOCUMENTS.similar, variables);
    return { issues: issues.edges.map(({ node }) => toIssueRow(node)) };
  },
});
