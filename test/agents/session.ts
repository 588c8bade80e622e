import { sendGraphQL } from "../support/server.ts";

/** Recorded session. */
export interface Session {
  externalId: string;
  source: string;
  totals: { inputTokens: number; outputTokens: number; cacheReadTokens: number; cost: number | null; models: string[] };
  events: Event[];
}

interface Event {
  id: string;
  parentId: string | null;
  kind: string;
  open: boolean;
  primitiveName: string;
  args: string;
  result: string;
  success: boolean;
  latency: number | null;
}

const QUERY = `{
  recordedSessions(first: 10) { nodes {
    externalId source
    totals { inputTokens outputTokens cacheReadTokens cost models }
    events(first: 100) { nodes { id parentId kind open primitiveName args result success latency } }
  } }
}`;

/** Reads the sessions of an organization, newest first. */
export async function sessions(url: string, apiKey: string): Promise<Session[]> {
  const { data, errors } = await sendGraphQL(url, apiKey, { query: QUERY });
  if (errors) throw new Error(JSON.stringify(errors));
  return data.recordedSessions.nodes.map((session: any) => ({ ...session, events: session.events.nodes }));
}
