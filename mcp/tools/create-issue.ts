import { z } from "zod";
import { ISSUE_FIELDS, issueInput } from "../arguments/issue-input.ts";
import { ISSUE } from "../documents/issue.ts";
import { ANNOTATIONS, defineTool } from "../registry/define-tool.ts";
import { type IssueNode, issueRow, toIssueRow } from "../results/issue.ts";

/** Files an issue. */
export const createIssue = defineTool({
  name: "create_issue",
  title: "Create issue",
  description: "Create an issue in a team.",
  toolset: "core",
  annotations: ANNOTATIONS.adds,
  inputSchema: z.strictObject({
    team: z.string().describe("key or name"),
    title: z.string().min(1).max(512),
    ...ISSUE_FIELDS,
  }),
  outputSchema: z.object({ issue: issueRow }),
  async handler(args, { graphql }) {
    const input = await issueInput(graphql, args);
    const { issueCreate } = await graphql<{ issueCreate: { issue: IssueNode } }>(ISSUE.create, { input });
    return { issue: toIssueRow(issueCreate.issue) };
  },
});
