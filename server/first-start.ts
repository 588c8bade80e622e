import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Database } from "../db/open.ts";
import { createIngestKey } from "./accounts/ingest-key.ts";
import { createOrganization } from "./accounts/organization.ts";
import { createPersonalKey } from "./accounts/personal-key.ts";
import { signUp } from "./accounts/sign-up.ts";
import { hashPassword } from "./auth/password.ts";
import type { Config } from "./config.ts";
import { newId } from "./id.ts";
import { model, mutations } from "./resources/index.ts";
import type { Runtime } from "./runtime.ts";
import { mutate } from "./write/mutate.ts";

const LOOPBACK = new Set(["127.0.0.1", "::1", "localhost"]);
const EMAIL = "owner@trackway.local";

/**
 * On an empty embedded database: makes an owner, an organization, its first team and both kinds of key, keeps them in
 * DATA_DIR/first-run.txt (mode 0600), and answers the text that a newcomer is shown once. Undefined on every later
 * start, with DATABASE_URL, and where strangers could reach the server (decisions §1).
 */
export async function firstStart(runtime: Runtime, url: string): Promise<string | undefined> {
  const { config, db } = runtime;
  if (!wanted(config)) return undefined;
  const begun = join(config.DATA_DIR, "first-run.begun");
  const [account] = await db.query({ text: "select 1 from account limit 1" });
  if (account && !existsSync(begun)) return undefined;
  // A first start that was killed goes on where it ended: nobody has seen its credentials yet.
  await writeFile(begun, "", { mode: 0o600 });
  const text = welcome(config, url, await makeOwner(runtime));
  await writeFile(join(config.DATA_DIR, "first-run.txt"), text, { mode: 0o600 });
  await rm(begun);
  return text;
}

const wanted = ({ DATABASE_URL, HOST, TRACKWAY_BOOTSTRAP }: Config): boolean =>
  !DATABASE_URL && (TRACKWAY_BOOTSTRAP ? TRACKWAY_BOOTSTRAP === "on" : LOOPBACK.has(HOST));

interface Owner {
  password: string;
  apiKey: string;
  ingestKey: string;
}

async function makeOwner({ db, publicUrl, secret }: Runtime): Promise<Owner> {
  const password = randomBytes(12).toString("base64url");
  const { organizationId, userId } = await makeOrganization(db, await makeAccount(db, password));
  const scope = { db, organizationId, userId, role: "owner", publicUrl, secret } as const;
  const input = { name: "Engineering", key: "ENG" };
  const [team] = await db.query({ text: "select 1 from team limit 1" });
  if (!team) await mutate(scope, model, (write) => mutations.teamCreate?.run(write, { input }) ?? {});
  const { key: ingestKey } = await createIngestKey(db, { organizationId, userId, name: "first start" });
  const { token: apiKey } = await createPersonalKey(db, { organizationId, userId, label: "first start" });
  return { password, apiKey, ingestKey };
}

async function makeAccount(db: Database, password: string): Promise<string> {
  const [account] = await db.query<{ id: string }>({
    text: `update account set "passwordHash" = $2 where email = $1 returning id`,
    values: [EMAIL, await hashPassword(password)],
  });
  return account?.id ?? (await signUp(db, { email: EMAIL, password, name: "Owner" })).id;
}

async function makeOrganization(db: Database, accountId: string): Promise<{ organizationId: string; userId: string }> {
  const [member] = await db.query<{ organizationId: string; userId: string }>({
    text: `select "organizationId", id as "userId" from "user" where "accountId" = $1 limit 1`,
    values: [accountId],
  });
  if (member) return member;
  const made = await createOrganization(db, { accountId, name: "My organization", urlKey: "local" });
  return { organizationId: made.id, userId: made.userId };
}

function welcome({ DATA_DIR, MCP_PORT, HOST }: Config, url: string, { password, apiKey, ingestKey }: Owner): string {
  const bin = fileURLToPath(new URL("../mcp/bin.js", import.meta.url));
  const env = { TRACKER_URL: url, TRACKER_API_KEY: apiKey };
  const client = { mcpServers: { trackway: { command: "node", args: [bin], env } } };
  const http = MCP_PORT
    ? `\nOr over HTTP, in one line:\n\n  claude mcp add --transport http trackway http://${HOST}:${MCP_PORT}/mcp --header "Authorization: Bearer ${apiKey}"\n`
    : "";
  const event = {
    event_id: newId(),
    session_id: newId(),
    primitive_name: "my-agent",
    args: "What broke the build?",
    result: "A missing import in the parser.",
  };
  return `Trackway is ready at ${url}. This is shown once; it is kept in ${join(DATA_DIR, "first-run.txt")}.

Connect an assistant: paste this into your MCP client's configuration, then ask it to list the teams.

${indented(JSON.stringify(client, null, 2))}
${http}
Record what an agent does:

  curl -X POST ${url}/api/v1/capture-events -H 'content-type: application/json' \\
    -H 'x-api-key: ${ingestKey}' \\
    -d '${JSON.stringify({ events: [event] })}'

Sign in at ${url}/settings with ${EMAIL} and the password ${password}
Explore the API at ${url}/graphql (header Authorization: ${apiKey})
`;
}

const indented = (text: string): string => text.replace(/^/gm, "  ");
