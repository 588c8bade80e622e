import { z } from "zod";
import { WORK } from "../../documents/work.ts";
import { NotFound, ToolError } from "../../errors.ts";
import { ANNOTATIONS, defineTool } from "../../registry/define-tool.ts";
import { workFilter } from "../../work/filter.ts";
import { type Taken, takenIssue, toTaken } from "../../work/taken.ts";

/** The best issue that is ready, claimed by default. */
export const nextIssue = defineTool({
  name: "next_issue",
  title: "Next issue",
  description: "Take the best ready issue: unblocked, unheld, urgent first. claim: false only shows it.",
  toolset: "work",
  annotations: ANNOTATIONS.adds,
  inputSchema: z.strictObject({
    team: z.string().optional(),
    labels: z.array(z.string()).max(10).optional(),
    claim: z.boolean().default(true),
    session_id: z.string().optional().describe("of your recorded session: its events keep the lease"),
  }),
  outputSchema: z.object({ issue: takenIssue }),
  async handler({ claim, session_id: sessionId, ...args }, { graphql }) {
    const filter = await workFilter(graphql, args);
    if (claim) {
      const input = { filter, sessionId };
      const taken = graphql<{ issueClaim: Taken }>(WORK.claim, { input });
      const { issueClaim } = await taken.catch((error) => {
        throw error instanceof NotFound ? nothingReady(args) : error;
      });
      return { issue: toTaken(issueClaim) };
    }
    const { issues } = await graphql<{ issues: { nodes: Taken["issue"][] } }>(WORK.next, {
      filter: { ...filter, ready: { eq: true } },
    });
    const [issue] = issues.nodes;
    if (!issue) throw nothingReady(args);
    return { issue: toTaken({ issue }) };
  },
});

/** Says so in the words of the call. */
function nothingReady({ team, labels = [] }: { team?: string | undefined; labels?: string[] | undefined }): ToolError {
  const where = team === undefined ? "" : ` in team "${team}"`;
  const which = labels.length === 0 ? "" : ` with ${labels.map((label) => `"${label}"`).join(" and ")}`;
  return new ToolError(
    `Nothing is ready${where}${which}. See list_issues with state: open for what is blocked or held.`,
  );
}
