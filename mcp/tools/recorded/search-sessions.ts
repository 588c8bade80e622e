import { z } from "zod";
import { AGENT_NAME_SCHEMA, parsePastTime } from "../../arguments/filters.ts";
import { SESSION_DOCUMENTS } from "../../documents/recorded.ts";
import { ANNOTATIONS, defineTool } from "../../registry/define-tool.ts";
import { PAGE_ARGUMENT_SCHEMAS } from "../../results.ts";

const hit = z.object({
  session_id: z.string(),
  event_id: z.string(),
  name: z.string(),
  at: z.string(),
  failed: z.boolean().optional(),
  in: z.string(),
  text: z.string(),
});

interface Data {
  recordedSearch: {
    read: number;
    stoppedAt: string | null;
    endCursor: string | null;
    nodes: {
      eventId: string;
      sessionId: string;
      name: string;
      success: boolean;
      at: string;
      field: string;
      snippet: string;
    }[];
  };
}

/**
 * Maximum number of matches in a result. This many matches fit into the size limit even if JSON must escape all text.
 */
const MOST = 25;

export const searchSessions = defineTool({
  name: "search_sessions",
  title: "Search sessions",
  description:
    "Find text in the args and results of recorded events, newest first. Each call reads a limited number, back to stopped_at; cursor continues the search.",
  toolset: "sessions",
  annotations: ANNOTATIONS.reads,
  inputSchema: z.strictObject({
    text: z.string(),
    agent: AGENT_NAME_SCHEMA.optional(),
    user: z.string().optional(),
    since: z.string().optional().describe("ISO date or P7D (default P1D, 31 days at most)"),
    until: z.string().optional(),
    ...PAGE_ARGUMENT_SCHEMAS,
  }),
  outputSchema: z.object({
    hits: z.array(hit),
    events_read: z.int(),
    stopped_at: z.string().optional(),
    next_cursor: z.string().optional(),
    truncated: z.boolean().optional(),
  }),
  async handler({ text, agent, user, since, until, limit, cursor }, { graphql }) {
    const filter = {
      ...(agent !== undefined && { agent: { eq: agent } }),
      ...(user !== undefined && { user: { id: { eq: user } } }),
    };
    const { recordedSearch } = await graphql<Data>(SESSION_DOCUMENTS.search, {
      term: text,
      first: Math.min(limit ?? MOST, MOST),
      ...(Object.keys(filter).length > 0 && { filter }),
      ...(since !== undefined && { from: parsePastTime("since", since) }),
      ...(until !== undefined && { to: parsePastTime("until", until) }),
      ...(cursor !== undefined && { after: cursor }),
    });
    const { nodes, read, stoppedAt, endCursor } = recordedSearch;
    return {
      hits: nodes.map((node) => ({
        session_id: node.sessionId,
        event_id: node.eventId,
        name: node.name,
        at: node.at,
        failed: !node.success || undefined,
        in: node.field,
        text: node.snippet,
      })),
      events_read: read,
      stopped_at: stoppedAt ?? undefined,
      next_cursor: endCursor ?? undefined,
    };
  },
});
