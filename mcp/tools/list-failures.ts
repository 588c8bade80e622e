import { z } from "zod";
import { parsePastTime } from "../arguments/dates.ts";
import { FAILURE } from "../documents/failure.ts";
import { ANNOTATIONS, defineTool } from "../registry/define-tool.ts";
import { type Connection, PAGE_ARGUMENTS, PAGE_RESULT, toPage } from "../results/page.ts";

const failure = z.object({
  id: z.string(),
  tool: z.string(),
  message: z.string(),
  count: z.int(),
  sessions: z.int(),
  users: z.int().optional(),
  first: z.string(),
  last: z.string(),
  event_id: z.string(),
  issue: z.string().optional(),
});

interface FailureNode {
  id: string;
  tool: string;
  message: string;
  count: number;
  sessions: number;
  users: number;
  firstAt: string;
  lastAt: string;
  eventId: string;
  issue: { identifier: string; state: { name: string } } | null;
}

/** Groups of recorded failures. */
export const listFailures = defineTool({
  name: "list_failures",
  title: "List failures",
  description: "List groups of recorded failures that say the same, the latest first, with the issue each has.",
  toolset: "reports",
  annotations: ANNOTATIONS.reads,
  inputSchema: z.strictObject({
    tool: z.string().optional(),
    since: z.string().optional().describe("seen since, ISO date or P7D"),
    ...PAGE_ARGUMENTS,
  }),
  outputSchema: z.object({ failures: z.array(failure), ...PAGE_RESULT }),
  async handler({ limit, cursor, tool, since }, { graphql }) {
    const filter = {
      ...(tool !== undefined && { tool: { eq: tool } }),
      ...(since !== undefined && { lastAt: { gte: parsePastTime("since", since) } }),
    };
    const variables = { filter, first: limit, after: cursor };
    const data = await graphql<{ recordedFailureGroups: Connection<FailureNode> }>(FAILURE.list, variables);
    const { rows, rest } = toPage(data.recordedFailureGroups, toRow);
    return { failures: rows, ...rest };
  },
});

function toRow({ firstAt, lastAt, eventId, users, issue, ...rest }: FailureNode): z.input<typeof failure> {
  return {
    ...rest,
    users: users || undefined,
    first: firstAt,
    last: lastAt,
    event_id: eventId,
    issue: issue ? `${issue.identifier} ${issue.state.name}` : undefined,
  };
}
