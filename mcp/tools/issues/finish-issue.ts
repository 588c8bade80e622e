import { z } from "zod";
import { WORK } from "../../documents/work.ts";
import { ANNOTATIONS, defineTool } from "../../registry/define-tool.ts";
import { type IssueNode, issueRow, toIssueRow } from "../../results/issue.ts";
import { fenceOf } from "../../work/fence.ts";

/** The verdict of the record, where the team demands a proof. */
const proof = z.object({ verdict: z.string(), reason: z.string() });

interface Completed {
  issue: IssueNode;
  proof: z.infer<typeof proof> | null;
}

/** Completes an issue, saying what was done. */
export const finishIssue = defineTool({
  name: "finish_issue",
  title: "Finish issue",
  description: "Complete an issue, with a comment that says what was done.",
  toolset: "work",
  annotations: ANNOTATIONS.changes,
  inputSchema: z.strictObject({ issue: z.string(), summary: z.string().min(1), fence: z.int().optional() }),
  outputSchema: z.object({ issue: issueRow, proof: proof.optional() }),
  async handler({ issue: id, summary: comment, fence }, { graphql }) {
    const variables = { id, comment, fence: await fenceOf(graphql, id, fence) };
    const { issueComplete } = await graphql<{ issueComplete: Completed }>(WORK.complete, variables);
    return { issue: toIssueRow(issueComplete.issue), proof: issueComplete.proof ?? undefined };
  },
});
