import { z } from "zod";
import { WORK } from "../../documents/work.ts";
import { ToolError } from "../../errors.ts";
import { ANNOTATIONS, defineTool } from "../../registry/define-tool.ts";

interface Data {
  issueRelationCreate: {
    issueRelation: { type: string; issue: { identifier: string }; relatedIssue: { identifier: string } };
  };
}

/** The kinds of relations, and one as it is called from its other end. */
export const LINK_TYPES = ["blocks", "blocked_by", "duplicate", "related", "similar", "discovered"] as const;

/** Says what one issue is to another. */
export const linkIssues = defineTool({
  name: "link_issues",
  title: "Link issues",
  description: "Relate two issues. discovered: issue was found while working on to.",
  toolset: "work",
  annotations: { ...ANNOTATIONS.adds, idempotentHint: true },
  inputSchema: z.strictObject({
    issue: z.string(),
    type: z.enum(LINK_TYPES),
    to: z.string(),
  }),
  outputSchema: z.object({ relation: z.object({ issue: z.string(), type: z.string(), to: z.string() }) }),
  async handler({ issue, type, to }, { graphql }) {
    const input =
      type === "blocked_by"
        ? { type: "blocks", issueId: to, relatedIssueId: issue }
        : { type, issueId: issue, relatedIssueId: to };
    const { issueRelation: made } = (
      await graphql<Data>(WORK.link, { input }).catch((error) => {
        throw type === "blocked_by" ? turned(error) : error;
      })
    ).issueRelationCreate;
    return { relation: { issue: made.issue.identifier, type: made.type, to: made.relatedIssue.identifier } };
  },
});

/** An error about a relation that was sent the other way round than the call has it. */
function turned(error: unknown): unknown {
  if (!(error instanceof ToolError)) return error;
  const other = (name: string) => (name === "issueId" ? "relatedIssueId" : "issueId");
  error.message = error.message.replace(/\b(?:issueId|relatedIssueId)\b/g, other);
  return error;
}
