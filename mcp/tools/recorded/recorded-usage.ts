import { z } from "zod";
import { parsePastTime } from "../../arguments/filters.ts";
import { USAGE_DOCUMENTS } from "../../documents/recorded.ts";
import { ANNOTATIONS, defineTool } from "../../registry/define-tool.ts";
import { toUsage, USAGE_RESULT_SCHEMAS, type UsageNode } from "../../sessions/session.ts";

const BY = ["model", "agent", "user", "tool", "repository", "label", "issue", "all"] as const;

interface Group extends UsageNode {
  name: string;
  sessions: number;
  missingCosts: number;
}

const group = z.object({
  name: z.string(),
  sessions: z.int(),
  ...USAGE_RESULT_SCHEMAS,
  without_price: z.int().optional(),
});

/** Returns sums of tokens and cost. */
export const recordedUsage = defineTool({
  name: "recorded_usage",
  title: "Recorded usage",
  description: "Add up tokens, cost and sessions of recorded agents over whole days.",
  toolset: "reports",
  annotations: ANNOTATIONS.reads,
  inputSchema: z.strictObject({
    by: z.enum(BY).default("model"),
    since: z.string().optional().describe("ISO date or P7D; 30 days by default"),
    until: z.string().optional(),
  }),
  outputSchema: z.object({
    from: z.string(),
    to: z.string(),
    groups: z.array(group),
    truncated: z.boolean().optional(),
  }),
  async handler({ by, since, until }, { graphql }) {
    const time = (name: string, value: string | undefined) =>
      value === undefined ? undefined : parsePastTime(name, value);
    const variables = { groupBy: by, from: time("since", since), to: time("until", until) };
    const { recordedUsage: usage } = await graphql<{
      recordedUsage: { from: string; to: string; truncated: boolean; groups: Group[] };
    }>(USAGE_DOCUMENTS.get, variables);
    const { from, to, truncated, groups } = usage;
    return { from, to, groups: groups.map(toRow), truncated: truncated || undefined };
  },
});

const toRow = (node: Group): z.input<typeof group> => ({
  name: node.name,
  sessions: node.sessions,
  ...toUsage(node),
  without_price: node.missingCosts || undefined,
});
