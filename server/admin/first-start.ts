import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { knex, toStatement } from "../../db/builder.ts";
import type { Database } from "../../db/open.ts";
import { createIngestKey } from "../accounts/keys/ingest-key.ts";
import { createPersonalKey } from "../accounts/keys/personal-key.ts";
import { createSignInCode } from "../accounts/login/links.ts";
import { insertAccount } from "../accounts/login/sign-up.ts";
import { createOrganization } from "../accounts/organization.ts";
import { hashPassword, OPERATOR_QUEUE_KEY } from "../auth/password.ts";
import type { Config } from "../config.ts";
import { newId } from "../id.ts";
import { entityModel, mutations } from "../resources/index.ts";
import type { Runtime } from "../runtime.ts";
import { writeTextFileAtomically } from "../whole-file.ts";
import { runMutationTransaction } from "../write/mutate.ts";

/** The credentials of the first owner, shown once. */
interface Owner {
  password: string;
  apiKey: string;
  ingestKey: string;
  /** The code of the link that signs the owner in. */
  code: string;
}

const EMAIL = "owner@trackway.local";

/**
 * Creates the owner with an organization, its first team, an ingest key and a personal key. Resumes an earlier first
 * start that was interrupted.
 */
async function makeOwner({ db, publicUrl, secret }: Runtime): Promise<Owner> {
  const password = randomBytes(12).toString("base64url");
  const accountId = await makeAccount(db, password);
  const { organizationId, userId } = await makeOrganization(db, accountId);
  const [team] = await db.query(toStatement(knex("team").limit(1).select("id")));
  if (!team) await createFirstTeam({ db, publicUrl, secret }, { organizationId, userId });
  const { key: ingestKey } = await createIngestKey(db, { organizationId, userId, name: "first start" });
  const { token: apiKey } = await createPersonalKey(db, { organizationId, userId, label: "first start" });
  return { password, apiKey, ingestKey, code: await createSignInCode(db, accountId) };
}

/** Creates the first team of an organization on behalf of its owner. */
export async function createFirstTeam(
  means: Pick<Runtime, "db" | "publicUrl" | "secret">,
  owner: { organizationId: string; userId: string },
): Promise<void> {
  const scope = { ...means, ...owner, role: "owner", at: new Date() } as const;
  const input = { name: "Engineering", key: "ENG" };
  await runMutationTransaction(scope, entityModel, (write) => mutations.teamCreate?.run(write, { input }) ?? {});
}

async function makeAccount(db: Database, password: string): Promise<string> {
  const passwordHash = await hashPassword(password, OPERATOR_QUEUE_KEY);
  const again = knex("account").where({ email: EMAIL }).update({ passwordHash }, "id");
  const [account] = await db.query<{ id: string }>(toStatement(again));
  if (account) return account.id;
  const owner = { email: EMAIL, name: "Owner", passwordHash, emailProvedAt: new Date() };
  return (await db.transaction((trx) => insertAccount(trx, owner))).id;
}

async function makeOrganization(db: Database, accountId: string): Promise<{ organizationId: string; userId: string }> {
  const [member] = await db.query<{ organizationId: string; userId: string }>(
    toStatement(knex("user").where({ accountId }).limit(1).select("organizationId", "id as userId")),
  );
  if (member) return member;
  const made = await createOrganization(db, { accountId, name: "My organization", urlKey: "local" });
  return { organizationId: made.id, userId: made.userId };
}

const LOOPBACK = new Set(["127.0.0.1", "::1", "localhost"]);

/**
 * On an empty embedded database, creates an owner, an organization, its first team and both kinds of key. Writes the
 * credentials to DATA_DIR/first-run.txt (mode 0600) and resolves to the welcome text, which the server shows once.
 * Resolves to undefined on every later start, with DATABASE_URL, and where strangers could reach the server. `mcp`
 * resolves to the URL of MCP over HTTP. If another process uses the port, `mcp` resolves to undefined, because the text
 * must never show a key beside another process's port.
 */
export async function initializeOnFirstStart(
  runtime: Runtime,
  url: string,
  mcp: Promise<string | undefined>,
): Promise<string | undefined> {
  const { config, db } = runtime;
  if (!wanted(config)) return undefined;
  const begun = join(config.DATA_DIR, "first-run.begun");
  const [account] = await db.query(toStatement(knex("account").limit(1).select("id")));
  if (account && !existsSync(begun)) return undefined;
  // The file marks an unfinished first start. If the process is killed, the next start resumes the first start, because
  // nobody has seen the credentials yet.
  await writeTextFileAtomically(begun, "");
  const owner = await makeOwner(runtime);
  const address = await mcp;
  // A server that is stopping cannot show the text, and may not know the URL of MCP. The next start creates and shows
  // new credentials.
  if (runtime.leaving.aborted) return undefined;
  const text = welcomeText(config, url, owner, overHttp(config, address, owner));
  await writeTextFileAtomically(join(config.DATA_DIR, "first-run.txt"), text);
  await rm(begun);
  return text;
}

const wanted = ({ DATABASE_URL, HOST, TRACKWAY_BOOTSTRAP }: Config): boolean =>
  !DATABASE_URL && (TRACKWAY_BOOTSTRAP ? TRACKWAY_BOOTSTRAP === "on" : LOOPBACK.has(HOST));

/**
 * Returns the lines of the welcome text about MCP over HTTP: the URL, or the reason why MCP is unavailable. Empty when
 * MCP_PORT is 0.
 */
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
