import { z } from "zod";
import { moment } from "../dates.ts";
import { SESSION } from "../documents/session.ts";
import { type Connection, PAGED, PAGING, page } from "../shapes/page.ts";
import { defineTool, EFFECT } from "../tool.ts";

const session = z.object({
  id: z.string(),
  user: z.string().optional(),
  started: z.string(),
  client: z.string().optional(),
  events: z.int(),
  failures: z.int().optional(),
});

interface SessionNode {
  id: string;
  startedAt: string;
  user: { id: string } | null;
  clientConfig: string | null;
  totals: { events: number; failures: number };
}

const input = z.strictObject({
  user: z.string().optional(),
  agent: z.string().optional(),
  failed: z.boolean().optional().describe("has failures"),
  since: z.string().optional().describe("ISO date or P7D"),
  until: z.string().optional(),
  ...PAGING,
});

/** Recorded conversations. */
export const listSessions = defineTool({
  name: "list_sessions",
  title: "List sessions",
  description: "List recorded agent sessions, newest first.",
  toolset: "sessions",
  effect: EFFECT.reads,
  input,
  output: z.object({ sessions: z.array(session), ...PAGED }),
  async run({ limit, cursor, ...wanted }, { graphql }) {
    const variables = { filter: filterOf(wanted), first: limit, after: cursor };
    const data = await graphql<{ recordedSessions: Connection<SessionNode> }>(SESSION.list, variables);
    const { rows, rest } = page(data.recordedSessions, toRow);
    return { sessions: rows, ...rest };
  },
});

function filterOf({ user, agent, failed, since, until }: Omit<z.output<typeof input>, "limit" | "cursor">) {
  const time = {
    ...(since !== undefined && { gte: moment("since", since) }),
    ...(until !== undefined && { lte: moment("until", until) }),
  };
  return {
    ...(user !== undefined && { user: { eq: user } }),
    ...(agent !== undefined && { agent: { eq: agent } }),
    ...(failed !== undefined && { hasFailures: { eq: failed } }),
    ...(Object.keys(time).length > 0 && { startedAt: time }),
  };
}

function toRow({ id, startedAt, user, clientConfig, totals }: SessionNode): z.input<typeof session> {
  return {
    id,
    user: user?.id,
    started: startedAt,
    client: clientConfig ?? undefined,
    events: totals.events,
    failures: totals.failures || undefined,
  };
}
