import { createHash, randomBytes } from "node:crypto";
import type { App } from "../../../server/app.ts";
import { freePort } from "../db/postgres.ts";
import { startMcpHttp } from "../mcp.ts";
import { noteSecrets } from "../run/secrets.ts";
import { call, freshOrganization, startServer, type Tenant } from "../server.ts";

/** The answer of a token endpoint. */
export interface Tokens {
  access_token: string;
  refresh_token: string;
  expires_in: number;
  scope: string;
  token_type: string;
}

/** An answer, with its body as JSON where it is that. */
export interface Answer {
  status: number;
  headers: Headers;
  body: any;
}

/** The address at which programs of these tests want their codes; nothing listens there. */
export const REDIRECT = "http://127.0.0.1:9/callback";

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json");
  const body = isJson ? JSON.parse(text) : text;
  noteSecrets([body]);
  return { status: response.status, headers: response.headers, body };
}

/** Sends a form. */
export const postForm = async (url: string, path: string, form: Record<string, string> | string, headers = {}) =>
  answerOf(await fetch(url + path, { method: "POST", body: new URLSearchParams(form), headers, redirect: "manual" }));

/** Sends JSON. */
export const postJson = async (url: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
  answerOf(
    await fetch(url + path, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json", ...headers },
      redirect: "manual",
    }),
  );

/** Reads, without following redirects. */
export const get = async (url: string, path = "", headers: Record<string, string> = {}): Promise<Answer> =>
  answerOf(await fetch(url + path, { headers, redirect: "manual" }));

/** Registers a program; answers its client_id. */
export async function registered(url: string, more: object = {}): Promise<string> {
  const { body, status } = await postJson(url, "/oauth/register", {
    client_name: "Tests",
    redirect_uris: [REDIRECT],
    ...more,
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.client_id;
}

/** A verifier and its challenge. */
export function pkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

/** An authorization request on its way. */
export interface Request {
  clientId: string;
  verifier: string;
  /** The query of the authorization endpoint. */
  query: string;
}

/** A request as a program makes it; `more` replaces parameters, and removes those that are undefined. */
export async function authorizationRequest(
  url: string,
  more: Record<string, string | undefined> = {},
): Promise<Request> {
  const clientId = more["client_id"] ?? (await registered(url));
  const { verifier, challenge } = pkce();
  const parameters = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: REDIRECT,
    code_challenge: challenge,
    code_challenge_method: "S256",
    state: "a state",
    ...more,
  };
  const given = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return { clientId, verifier, query: new URLSearchParams(given).toString() };
}

/** A person's decision, as the page sends it. */
export const decide = (
  tenant: Pick<Tenant, "url" | "accessToken" | "organizationId">,
  query: string,
  more: object = {},
) =>
  postJson(
    tenant.url,
    "/oauth/consent",
    { query, decision: "allow", organizationId: tenant.organizationId, scopes: ["read", "write"], ...more },
    { authorization: `Bearer ${tenant.accessToken}` },
  );

/** The code of a request that was allowed. */
export async function allowedCode(tenant: Tenant, request: Request, more: object = {}): Promise<string> {
  const { body } = await decide(tenant, request.query, more);
  const code = body.redirect && new URL(body.redirect).searchParams.get("code");
  if (!code) throw new Error(JSON.stringify(body));
  noteSecrets({ token: code });
  return code;
}

/** Trades a code; `more` replaces parts of the form. */
export const exchange = (
  url: string,
  { clientId, verifier }: Request,
  code: string,
  more: Record<string, string> = {},
) =>
  postForm(url, "/oauth/token", {
    grant_type: "authorization_code",
    code,
    client_id: clientId,
    code_verifier: verifier,
    redirect_uri: REDIRECT,
    ...more,
  });

/** Trades a refresh token. */
export const refreshed = (url: string, clientId: string, refreshToken: string, more: Record<string, string> = {}) =>
  postForm(url, "/oauth/token", {
    grant_type: "refresh_token",
    refresh_token: refreshToken,
    client_id: clientId,
    ...more,
  });

/** Connects a program for a tenant's owner with these scopes, without a browser. */
export async function connect(tenant: Tenant, scope = "read write"): Promise<Tokens & { clientId: string }> {
  const request = await authorizationRequest(tenant.url, { scope });
  const code = await allowedCode(tenant, request, { scopes: scope.split(" ") });
  const { body, status } = await exchange(tenant.url, request, code);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return { ...body, clientId: request.clientId };
}

/** The status that GraphQL answers a token with. */
export const viewerStatus = async (url: string, token: string): Promise<number> =>
  (await postJson(url, "/graphql", { query: "{ viewer { id } }" }, { authorization: `Bearer ${token}` })).status;

/** A server with MCP beside it, as `npm start` runs them. */
export interface Pair {
  app: App;
  tenant: Tenant;
  /** The address that a person pastes. */
  mcp: string;
}

/** Starts both on free ports, with a fresh organization. */
export async function startPair(env: Record<string, string> = {}): Promise<Pair> {
  const port = await freePort();
  const app = await startServer({ MCP_PORT: String(port), ...env });
  const mcp = await startMcpHttp(app.url, ["--port", String(port)]);
  return { app, mcp, tenant: await freshOrganization(app) };
}

/** Lists the tools over MCP, as a client does; answers the status. */
export const listTools = (mcp: string, token: string) =>
  postJson(mcp, "", { jsonrpc: "2.0", id: 1, method: "tools/list" }, { authorization: `Bearer ${token}` });

/** Everything of the control plane's own calls, for a bearer. */
export const rest = (url: string, token: string, method: string, path: string, body?: unknown) =>
  call(url, method, path, { body, headers: { authorization: `Bearer ${token}` } });
