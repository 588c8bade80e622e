import { z } from "zod";
import { ISSUE_FIELDS, issueInput } from "../arguments/issue-input.ts";
import { ISSUE } from "../documents/issue.ts";
import { ToolError } from "../errors.ts";
import { ANNOTATIONS, defineTool } from "../registry/define-tool.ts";
import { type IssueNode, issueRow, toIssueRow } from "../results/issue.ts";

/** Changes an issue. */
export const updateIssue = defineTool({
  name: "update_issue",
  title: "Update issue",
  description: "Change an issue: what is given changes, the rest stays. team moves it.",
  toolset: "core",
  annotations: ANNOTATIONS.changes,
  inputSchema: z.strictObject({
    issue: z.string().describe("identifier (ENG-12) or id"),
    title: z.string().min(1).max(512).optional(),
    team: z.string().optional(),
    ...ISSUE_FIELDS,
    labels: ISSUE_FIELDS.labels.describe("replaces all"),
    add_labels: z.array(z.string()).max(50).optional(),
    remove_labels: z.array(z.string()).max(50).optional(),
  }),
  outputSchema: z.object({ issue: issueRow }),
  async handler(args, { graphql }) {
    const input = await issueInput(graphql, args);
    if (Object.keys(input).length === 0) throw new ToolError("Nothing to change was given. Call again with a field.");
    const variables = { id: args.issue, input };
    const { issueUpdate } = await graphql<{ issueUpdate: { issue: IssueNode } }>(ISSUE.update, variables);
    return { issue: toIssueRow(issueUpdate.issue) };
  },
});
