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
import { createOwnedOrganization, createOwnerNames, type OwnedOrganization } from "./owner.ts";
import { checkReply } from "./run/contract.ts";
import { noteSecrets } from "./run/secrets.ts";

/**
 * Log entries of all servers since the last test file ended, one JSON object per line. A secret must never appear in
 * an entry.
 */
export const logLines: string[] = [];

const log = pino({ level: "debug" }, { write: (line: string) => logLines.push(line) });
/** Servers of this process, by data directory. */
const running = new Map<string, App>();
let shared: Promise<App> | undefined;

/**
 * Starts a separate server on a free port: on PostgreSQL if TEST_DATABASE_URL is set, else on a fresh embedded
 * database. The server is closed after the tests of the file. The server runs no jobs on its own: tests run jobs when
 * needed, and a job in between would make a test fail once in many runs.
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

/** Returns the server that most tests share. `env` is used only by the first call. */
export function startSharedServer(env?: Record<string, string>): Promise<App> {
  shared ??= startServer(env);
  return shared;
}

/** Closes the servers that the tests of a file started for themselves, because idle servers take memory and CPU. */
export async function closeOwnServers(): Promise<void> {
  const kept = await shared;
  const closed = [...running].filter(([, app]) => app !== kept);
  await Promise.all(closed.map(([folder, app]) => app.close().finally(() => rm(folder, { recursive: true }))));
  for (const [folder] of closed) running.delete(folder);
}

/** Returns false for a server that was closed after the tests of a file. */
export const isRunning = (app: App): boolean => [...running.values()].includes(app);

/** Closes every server; called once after the last test. */
export async function closeServers(): Promise<void> {
  await (await shared)?.close();
  shared = undefined;
}

/** REST response. */
export interface RestReply {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

/** Sends JSON to the control plane or to ingestion. Responses of the control plane must match the OpenAPI document. */
export async function callRestApi(
  url: string,
  method: string,
  path: string,
  { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
): Promise<RestReply> {
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

/** Fresh organization with the owner and both kinds of key. */
export interface Tenant extends OwnedOrganization {
  url: string;
  /**
   * Sends a GraphQL request with the personal key, and repeats a query while the server is busy. Returns `data`;
   * throws on errors.
   */
  gql(query: string, variables?: Record<string, unknown>): Promise<any>;
  /** Sends a GraphQL request with the personal key. Returns the whole response. */
  graphql(query: string, variables?: Record<string, unknown>): Promise<GraphQLReply>;
  /** Calls the control plane with the access token. */
  rest(method: string, path: string, body?: unknown): Promise<RestReply>;
}

/** GraphQL response as received. */
export interface GraphQLReply {
  status: number;
  headers: Headers;
  data?: any;
  errors?: { message: string; path?: string[]; extensions: any }[];
  extensions?: { behind?: boolean };
}

/** Server of this process, or a server that is known only by URL. */
type Server = { url: string | undefined; runtime?: Runtime };

/**
 * Creates a fresh organization with an owner and keys. On a server of this process no HTTP is used, because other
 * tests cover sign-up and keys through the API.
 */
export async function createOrganization(server?: Server): Promise<Tenant> {
  const { url = "", runtime } = server ?? (await startSharedServer());
  const owned = runtime ? await createOwnedOrganization(runtime) : await signUpOwner(url);
  const headers = { Authorization: `Bearer ${owned.accessToken}` };
  const graphql = (query: string, variables?: Record<string, unknown>) =>
    sendGraphQL(url, owned.apiKey, { query, variables });
  return {
    url,
    ...owned,
    rest: (method, path, body) => callRestApi(url, method, path, { body, headers }),
    graphql,
    gql: async (query, variables) => {
      for (let tries = 1; ; tries += 1) {
        const { data, errors, extensions } = await graphql(query, variables);
        // A busy machine may need more than the second that a read waits to fold the recorded observations.
        if (!errors && extensions?.behind && isQuery(query) && tries < TRIES) continue;
        if (!errors) return data;
        const { code, retryAfter = 1 } = errors[0]?.extensions ?? {};
        if (code !== "UNAVAILABLE" || tries === TRIES || !isQuery(query)) throw new Error(JSON.stringify(errors));
        await sleep(1_000 * retryAfter);
      }
    },
  };
}

/** Maximum number of attempts of a query. A client also waits for Retry-After. */
const TRIES = 5;
const isQuery = (text: string): boolean => !/^\s*mutation/.test(text);

/** Creates an owner over REST. */
async function signUpOwner(url: string): Promise<OwnedOrganization> {
  const { urlKey, organization, ...account } = createOwnerNames(randomUUID().slice(0, 13));
  const bearer = (token: unknown) => ({ Authorization: `Bearer ${token}` });
  const post = async (path: string, body: unknown, headers = {}) => {
    const reply = await callRestApi(url, "POST", path, { body, headers });
    if (reply.status >= 400) throw new Error(`${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply.body;
  };
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

/** Resolves when all recorded observations of an organization are folded into events. */
export async function waitUntilFolded(
  { projector }: Pick<Runtime, "projector">,
  organizationId: string,
): Promise<void> {
  while (!(await projector.catchUp(organizationId)));
}

/** Sends one GraphQL request with a credential unchanged. */
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
