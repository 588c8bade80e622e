import { z } from "zod";
import type { GraphqlClient } from "../../api/graphql.ts";
import { lookUpNames } from "../../arguments/look-up-names.ts";
import { nameResolver } from "../../arguments/resolve-names.ts";
import { WORK } from "../../documents/work.ts";
import { NotFound, ToolError } from "../../errors.ts";
import { ANNOTATIONS, defineTool } from "../../registry/define-tool.ts";
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
    const { readyIssues } = await graphql<{ readyIssues: { nodes: Taken["issue"][] } }>(WORK.next, { filter });
    const [issue] = readyIssues.nodes;
    if (!issue) throw nothingReady(args);
    return { issue: toTaken({ issue }) };
  },
});

/** The team and labels to take an issue of, as the call names them. */
interface Place {
  team?: string | undefined;
  labels?: string[] | undefined;
}

/** The filter that a team and labels mean, by their ids, which the index of ready issues knows. @throws ToolError */
async function workFilter(graphql: GraphqlClient, args: Place) {
  const named = { team: args.team, labels: args.labels };
  const found = await lookUpNames(graphql, named);
  const resolve = nameResolver(graphql, named, found);
  const team = args.team === undefined ? undefined : (await resolve.team()).id;
  const labels = await resolve.labels(team, args.labels ?? []);
  return {
    ...(team && { team: { id: { eq: team } } }),
    ...(labels.length > 0 && { and: labels.map(({ id }) => ({ labels: { some: { id: { eq: id } } } })) }),
  };
}

/** Says so in the words of the call. */
function nothingReady({ team, labels = [] }: Place): ToolError {
  const where = team === undefined ? "" : ` in team "${team}"`;
  const which = labels.length === 0 ? "" : ` with ${labels.map((label) => `"${label}"`).join(" and ")}`;
  return new ToolError(
    `Nothing is ready${where}${which}. See list_issues with state: open for what is blocked or held.`,
  );
}
