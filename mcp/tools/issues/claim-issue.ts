import { z } from "zod";
import { WORK } from "../../documents/work.ts";
import { ANNOTATIONS, defineTool } from "../../registry/define-tool.ts";
import { type Taken, takenIssue, toTaken } from "../../work/taken.ts";

/** Takes one issue by name. */
export const claimIssue = defineTool({
  name: "claim_issue",
  title: "Claim issue",
  description: "Take this issue to work on. Pass the fence it answers to finish or release.",
  toolset: "work",
  annotations: { ...ANNOTATIONS.adds, idempotentHint: true },
  inputSchema: z.strictObject({ issue: z.string(), session_id: z.string().optional() }),
  outputSchema: z.object({ issue: takenIssue }),
  async handler({ issue, session_id: sessionId }, { graphql }) {
    const input = { id: issue, sessionId };
    const { issueClaim } = await graphql<{ issueClaim: Taken }>(WORK.claim, { input });
    return { issue: toTaken(issueClaim) };
  },
});
