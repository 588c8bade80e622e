import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { knex, toStatement } from "../../db/builder.ts";
import type { Config } from "../config.ts";
import { newId } from "../id.ts";
import type { Runtime } from "../runtime.ts";
import { writeTextWhole } from "../whole-file.ts";
import { EMAIL, makeOwner, type Owner } from "./owner.ts";

const LOOPBACK = new Set(["127.0.0.1", "::1", "localhost"]);

/**
 * On an empty embedded database: makes an owner, an organization, its first team and both kinds of key, keeps them in
 * DATA_DIR/first-run.txt (mode 0600), and answers the text that a newcomer is shown once. Undefined on every later
 * start, with DATABASE_URL, and where strangers could reach the server. `mcp` tells where MCP is served over HTTP: a key is
 * never shown beside a port that someone else holds.
 */
export async function firstStart(
  runtime: Runtime,
  url: string,
  mcp: Promise<string | undefined>,
): Promise<string | undefined> {
  const { config, db } = runtime;
  if (!wanted(config)) return undefined;
  const begun = join(config.DATA_DIR, "first-run.begun");
  const [account] = await db.query(toStatement(knex("account").limit(1).select("id")));
  if (account && !existsSync(begun)) return undefined;
  // A first start that was killed goes on where it ended: nobody has seen its credentials yet.
  await writeTextWhole(begun, "");
  const owner = await makeOwner(runtime);
  const text = welcomeText(config, url, owner, overHttp(config, await mcp, owner));
  await writeTextWhole(join(config.DATA_DIR, "first-run.txt"), text);
  await rm(begun);
  return text;
}

const wanted = ({ DATABASE_URL, HOST, TRACKWAY_BOOTSTRAP }: Config): boolean =>
  !DATABASE_URL && (TRACKWAY_BOOTSTRAP ? TRACKWAY_BOOTSTRAP === "on" : LOOPBACK.has(HOST));

/** Says how MCP is reached over HTTP, or why it is not; empty where it is switched off. */
function overHttp({ MCP_PORT }: Config, address: string | undefined, { apiKey }: Owner): string {
  if (MCP_PORT === 0) return "";
  if (!address) return `\nMCP is not served over HTTP: MCP_PORT ${MCP_PORT} could not be had; the log says why.\n`;
  return `\nOr over HTTP, in one line:\n\n  claude mcp add --transport http trackway ${address} --header "Authorization: Bearer ${apiKey}"\n`;
}

/** The text of a first start, shown once: how to sign in, connect an assistant and record an agent. */
function welcomeText({ DATA_DIR }: Config, url: string, owner: Owner, http: string): string {
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
