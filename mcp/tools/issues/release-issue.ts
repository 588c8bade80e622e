import { z } from "zod";
import { WORK } from "../../documents/work.ts";
import { ANNOTATIONS, defineTool } from "../../registry/define-tool.ts";
import { type IssueNode, issueRow, toIssueRow } from "../../results/issue.ts";
import { fenceOf } from "../../work/fence.ts";

/** Gives an issue back unfinished. */
export const releaseIssue = defineTool({
  name: "release_issue",
  title: "Release issue",
  description: "Give an issue back unfinished.",
  toolset: "work",
  annotations: ANNOTATIONS.changes,
  inputSchema: z.strictObject({ issue: z.string(), comment: z.string().optional(), fence: z.int().optional() }),
  outputSchema: z.object({ issue: issueRow }),
  async handler({ issue: id, comment, fence }, { graphql }) {
    const variables = { id, comment, fence: await fenceOf(graphql, id, fence) };
    const { issueRelease } = await graphql<{ issueRelease: { issue: IssueNode } }>(WORK.release, variables);
    return { issue: toIssueRow(issueRelease.issue) };
  },
});
