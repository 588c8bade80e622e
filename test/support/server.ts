import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { type App, startApp } from "../../server/app.ts";
import { readConfig } from "../../server/config.ts";
import type { Runtime } from "../../server/runtime.ts";
import { copyEmptyDatabase } from "./db/empty-database.ts";
import { makeOwned, type Owned, ownerOf } from "./owner.ts";
import { checkReply } from "./run/contract.ts";
import { noteSecrets } from "./run/secrets.ts";

/** One line of JSON a log entry, of every server, since the last file of tests ended: secrets must never show up here. */
export const logLines: string[] = [];

const log = pino({ level: "debug" }, { write: (line: string) => logLines.push(line) });
/** Servers of this process, by the folder of each. */
const running = new Map<string, App>();
let shared: Promise<App> | undefined;

/**
 * Starts a server of its own, on a free port: on PostgreSQL with TEST_DATABASE_URL, else on a fresh embedded
 * database. It is closed after the tests of the file. Tests do the work of jobs themselves, at the moments that they are about: a
 * server that did it too would come between, once in many runs.
 */
export async function startServer(env: Record<string, string> = {}): Promise<App> {
  const url = process.env["TEST_DATABASE_URL"];
  const DATA_DIR = await mkdtemp(join(tmpdir(), "trackway-test-"));
  const config = readConfig({
    PORT: "0",
    MCP_PORT: "0",
    DATA_DIR,
    TRACKWAY_BOOTSTRAP: "off",
    GRAPHQL_REQUESTS_PER_HOUR: "off",
    GRAPHQL_COMPLEXITY_PER_HOUR: "off",
    INGEST_RATE_REQUESTS: "off",
    INGEST_RATE_EVENTS: "off",
    LOGIN_THROTTLE: "off",
    WEBHOOK_ALLOW_PRIVATE: "on",
    JOBS: "off",
    ...(url && { DATABASE_URL: url, JWT_SECRET: "a secret of the tests, long enough to be one" }),
    ...env,
  });
  if (!config.DATABASE_URL && !env["DATA_DIR"]) copyEmptyDatabase(DATA_DIR);
  const app = await startApp(config, log);
  let closing: Promise<void> | undefined;
  const own = { ...app, close: () => (closing ??= app.close()) };
  running.set(DATA_DIR, own);
  return own;
}

/** The server that tests without special wishes share. `env` counts for who asks first. */
export function sharedServer(env?: Record<string, string>): Promise<App> {
  shared ??= startServer(env);
  return shared;
}

/** Closes the servers that the tests of a file started for themselves: one that idles takes memory and CPU. */
export async function closeOwnServers(): Promise<void> {
  const kept = await shared;
  const closed = [...running].filter(([, app]) => app !== kept);
  await Promise.all(closed.map(([folder, app]) => app.close().finally(() => rm(folder, { recursive: true }))));
  for (const [folder] of closed) running.delete(folder);
}

/** False for a server that was closed after the tests of a file. */
export const isRunning = (app: App): boolean => [...running.values()].includes(app);

/** Closes every server; called once after the last test. */
export async function closeServers(): Promise<void> {
  await (await shared)?.close();
  shared = undefined;
}

/** The answer of a REST call. */
export interface Reply {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

/** Sends JSON to the control plane or to ingestion. What the control plane answers must match its own document. */
export async function call(
  url: string,
  method: string,
  path: string,
  { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
): Promise<Reply> {
  const response = await fetch(url + path, {
    method,
    headers: { ...(body !== undefined && { "Content-Type": "application/json" }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const reply = { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : {} };
  noteSecrets([body, reply.body]);
  await checkReply({ url, method, path, ...reply });
  return reply;
}

/** A fresh tenant with its owner and both kinds of key. */
export interface Tenant extends Owned {
  url: string;
  /** Sends a GraphQL request with the personal key, a query again while the server is busy; answers `data`, throws on errors. */
  gql(query: string, variables?: Record<string, unknown>): Promise<any>;
  /** The same, answering the whole response. */
  graphql(query: string, variables?: Record<string, unknown>): Promise<GraphQLReply>;
  /** Calls the control plane with the access token. */
  rest(method: string, path: string, body?: unknown): Promise<Reply>;
}

/** A GraphQL response as it came. */
export interface GraphQLReply {
  status: number;
  headers: Headers;
  data?: any;
  errors?: { message: string; path?: string[]; extensions: any }[];
  extensions?: { behind?: boolean };
}

/** A server of this process, or one that is only known by its address. */
type Server = { url: string | undefined; runtime?: Runtime };

/**
 * Makes a fresh organization with its owner and keys: at a server of this process without HTTP, since tests of sign-up
 * and of keys go through the API themselves.
 */
export async function freshOrganization(server?: Server): Promise<Tenant> {
  const { url = "", runtime } = server ?? (await sharedServer());
  const owned = runtime ? await makeOwned(runtime) : await signUpOwner(url);
  const headers = { Authorization: `Bearer ${owned.accessToken}` };
  const graphql = (query: string, variables?: Record<string, unknown>) =>
    sendGraphQL(url, owned.apiKey, { query, variables });
  return {
    url,
    ...owned,
    rest: (method, path, body) => call(url, method, path, { body, headers }),
    graphql,
    gql: async (query, variables) => {
      for (let tries = 1; ; tries += 1) {
        const { data, errors, extensions } = await graphql(query, variables);
        // A busy machine may not fold within a read's second what was recorded before it.
        if (!errors && extensions?.behind && isQuery(query) && tries < TRIES) continue;
        if (!errors) return data;
        const { code, retryAfter = 1 } = errors[0]?.extensions ?? {};
        if (code !== "UNAVAILABLE" || tries === TRIES || !isQuery(query)) throw new Error(JSON.stringify(errors));
        await sleep(1_000 * retryAfter);
      }
    },
  };
}

/** The times that a query is sent: a client heeds Retry-After too. */
const TRIES = 5;
const isQuery = (text: string): boolean => !/^\s*mutation/.test(text);

/** The same over REST. */
async function signUpOwner(url: string): Promise<Owned> {
  const { urlKey, organization, ...account } = ownerOf(randomUUID().slice(0, 13));
  const bearer = (token: unknown) => ({ Authorization: `Bearer ${token}` });
  const post = async (path: string, body: unknown, headers = {}) =>
    (await call(url, "POST", path, { body, headers })).body;
  const signedUp = await post("/api/auth/signup", account);
  const made = await post("/api/organization", { name: organization, urlKey }, bearer(signedUp["accessToken"]));
  const accessToken = String(made["accessToken"]);
  const personal = await post("/api/api-keys", { label: "tests" }, bearer(accessToken));
  const ingest = await post("/api/ingest-keys", { name: "tests" }, bearer(accessToken));
  return {
    ...account,
    urlKey,
    accessToken,
    refreshToken: String(made["refreshToken"]),
    organizationId: (made["organization"] as { id: string }).id,
    apiKey: String(personal["token"]),
    ingestKey: String(ingest["key"]),
  };
}

/** Resolves when what was recorded of an organization is made into events, however busy the machine is. */
export async function folded({ projector }: Pick<Runtime, "projector">, organizationId: string): Promise<void> {
  while (!(await projector.catchUp(organizationId)));
}

/** Sends one GraphQL request with a credential as it stands. */
export async function sendGraphQL(
  url: string,
  authorization: string,
  body: { query: string; variables?: Record<string, unknown> | undefined },
  headers: Record<string, string> = {},
): Promise<GraphQLReply> {
  const response = await fetch(`${url}/graphql`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: authorization, ...headers },
    body: JSON.stringify(body),
  });
  const reply = (await response.json()) as object;
  noteSecrets([body, reply]);
  return { status: response.status, headers: response.headers, ...reply };
}
