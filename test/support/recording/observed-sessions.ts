import { readFileSync } from "node:fs";
import { createOrganization, type Tenant } from "../server.ts";

/** Event as a user reads the event, with the child events. */
export interface ShownEvent {
  kind: string;
  name: string;
  args?: string;
  result?: string;
  failed?: string;
  open?: true;
  under?: ShownEvent[];
}

const EVENTS = `id parentId kind open primitiveName args result success errorMessage latency timestamp model
  inputTokens outputTokens cacheReadTokens cacheWriteTokens cost metadata orphan`;
const TOTALS = `events failures turns toolCalls inputTokens outputTokens cacheReadTokens cacheWriteTokens cost models`;

/** Reads the session with an id, or the only session of a tenant. */
export async function readSession(tenant: Tenant, id?: string): Promise<any> {
  const fields = `id externalId source registered startedAt metadata user { id } totals { ${TOTALS} } events(first: 250) { nodes { ${EVENTS} } }`;
  if (id !== undefined) {
    const data = await tenant.gql(`query ($id: String!) { recordedSession(id: $id) { ${fields} } }`, { id });
    return { ...data.recordedSession, events: data.recordedSession.events.nodes };
  }
  const { recordedSessions } = await tenant.gql("{ recordedSessions(first: 50) { nodes { id } } }");
  const [session, ...others] = recordedSessions.nodes;
  if (!session || others.length > 0) throw new Error(`${recordedSessions.nodes.length} sessions instead of one`);
  return readSession(tenant, session.id);
}

/** Arranges the events of a session as a tree. */
export function toEventTree({ events }: { events: any[] }): ShownEvent[] {
  const ids = new Set(events.map(({ id }) => id));
  const under = (parent: string | null): ShownEvent[] =>
    events
      .filter(({ parentId }) => (parent === null ? parentId === null || !ids.has(parentId) : parentId === parent))
      .sort((a, b) => (a.args < b.args ? -1 : a.args > b.args ? 1 : 0))
      .map((event) => {
        const children = under(event.id);
        return {
          kind: event.kind,
          name: event.primitiveName,
          ...(event.args !== "" && { args: event.args }),
          ...(event.result !== "" && { result: event.result }),
          ...(!event.success && { failed: event.errorMessage ?? "" }),
          ...(event.open && { open: true as const }),
          ...(children.length > 0 && { under: children }),
        };
      });
  return under(null);
}

/** Reads the captured body of an agent's hook. */
export const readHookFixture = (path: string): any =>
  JSON.parse(readFileSync(new URL(`../../fixtures/agents/${path}.json`, import.meta.url), "utf8"));

/** Posts a body to the endpoint of an agent's hooks. Returns the status. */
export async function postHook(
  { url, ingestKey }: Pick<Tenant, "url" | "ingestKey">,
  agent: string,
  payload: unknown,
  headers: Record<string, string> = { "x-api-key": ingestKey },
): Promise<{ status: number; text: string }> {
  const response = await fetch(`${url}/api/v1/hooks/${agent}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: typeof payload === "string" ? payload : JSON.stringify(payload),
  });
  return { status: response.status, text: await response.text() };
}

/** Posts captured bodies one after the other. The server must accept each with an empty response. */
export async function replayHooks(tenant: Tenant, agent: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const { status, text } = await postHook(tenant, agent, readHookFixture(path));
    if (status !== 204 || text !== "") throw new Error(`${path}: ${status} ${text}`);
  }
}

export { createOrganization as freshOrganization };
