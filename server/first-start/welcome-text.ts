import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Config } from "../config.ts";
import { newId } from "../id.ts";
import { EMAIL, type Owner } from "./owner.ts";

/** Says how MCP is reached over HTTP, or why it is not; empty where it is switched off. */
export function overHttp({ MCP_PORT }: Config, address: string | undefined, { apiKey }: Owner): string {
  if (MCP_PORT === 0) return "";
  if (!address) return `\nMCP is not served over HTTP: MCP_PORT ${MCP_PORT} could not be had; the log says why.\n`;
  return `\nOr over HTTP, in one line:\n\n  claude mcp add --transport http trackway ${address} --header "Authorization: Bearer ${apiKey}"\n`;
}

/** The text of a first start, shown once: how to sign in, connect an assistant and record an agent. */
export function welcomeText({ DATA_DIR }: Config, url: string, owner: Owner, http: string): string {
  const { password, apiKey, ingestKey, code } = owner;
  const bin = fileURLToPath(import.meta.resolve("#mcp"));
  const env = { TRACKER_URL: url, TRACKER_API_KEY: apiKey };
  const client = { mcpServers: { trackway: { command: "node", args: [bin], env } } };
  const event = {
    event_id: newId(),
    session_id: newId(),
    primitive_name: "my-agent",
    args: "What broke the build?",
    result: "A missing import in the parser.",
  };
  return `Open ${url}/#welcome=${code}

to sign in as the owner: the link counts once, for 24 hours. Trackway is ready at ${url}. This is shown once; it is kept in ${join(DATA_DIR, "first-run.txt")}.

Connect an assistant: paste this into your MCP client's configuration, then ask it to list the teams.

${indented(JSON.stringify(client, null, 2))}
${http}
Record what an agent does:

  curl -X POST ${url}/api/v1/capture-events -H 'content-type: application/json' \\
    -H 'x-api-key: ${ingestKey}' \\
    -d '${JSON.stringify({ events: [event] })}'

Later sign in at ${url} with ${EMAIL} and the password ${password}
Explore the API at ${url}/graphql (header Authorization: ${apiKey})
`;
}

const indented = (text: string): string => text.replace(/^/gm, "  ");
