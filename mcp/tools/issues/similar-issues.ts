import { z } from "zod";
import { FILTERS } from "../../arguments/filters.ts";
import { ISSUE } from "../../documents/issue.ts";
import { ANNOTATIONS, defineTool } from "../../registry/define-tool.ts";
import { type IssueNode, issueRow, toIssueRow } from "../../results/issue.ts";
import type { Connection } from "../../results/page.ts";

const MOST = 10;

/** Issues that one that is to be created may repeat. */
export const similarIssues = defineTool({
  name: "similar_issues",
  title: "Find likely duplicates",
  description: "Issues like one to be created, likeliest first.",
  toolset: "plan",
  annotations: ANNOTATIONS.reads,
  inputSchema: z.strictObject({
    title: z.string().min(1),
    description: z.string().optional(),
    team: z.string().optional(),
  }),
  outputSchema: z.object({ issues: z.array(issueRow) }),
  async handler({ title, description, team }, { graphql }) {
    const filter = team === undefined ? undefined : { team: FILTERS.team(team) };
    const variables = { title, text: description, filter, first: MOST };
    const { issues } = await graphql<{ issues: Connection<IssueNode> }>(ISSUE.similar, variables);
    return { issues: issues.edges.map(({ node }) => toIssueRow(node)) };
  },
});
