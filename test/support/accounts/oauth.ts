import { createHash, randomBytes } from "node:crypto";
import type { App } from "../../../server/app.ts";
import { findFreePort } from "../db/postgres.ts";
import { startMcpHttp } from "../mcp.ts";
import { noteSecrets } from "../run/secrets.ts";
import { callRestApi, createOrganization, startServer, type Tenant } from "../server.ts";

/** Response body of a token endpoint. */
export interface TokenResponse {
  access_token: string;
  refresh_token: string;
  expires_in: number;
  scope: string;
  token_type: string;
}

/** HTTP response; `body` is parsed if the content is JSON. */
export interface HttpResponse {
  status: number;
  headers: Headers;
  body: any;
}

/** Redirect URI of the tests' apps; nothing listens there. */
export const REDIRECT_URI = "http://127.0.0.1:9/callback";

async function answerOf(response: Response): Promise<HttpResponse> {
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json");
  const body = isJson ? JSON.parse(text) : text;
  noteSecrets([body]);
  return { status: response.status, headers: response.headers, body };
}

export const postForm = async (url: string, path: string, form: Record<string, string> | string, headers = {}) =>
  answerOf(await fetch(url + path, { method: "POST", body: new URLSearchParams(form), headers, redirect: "manual" }));

export const postJson = async (url: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
  answerOf(
    await fetch(url + path, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json", ...headers },
      redirect: "manual",
    }),
  );

/** Sends a GET request without following redirects. */
export const getWithoutRedirect = async (
  url: string,
  path = "",
  headers: Record<string, string> = {},
): Promise<HttpResponse> => answerOf(await fetch(url + path, { headers, redirect: "manual" }));

/** Registers an app. Returns the `client_id`. */
export async function registerApp(url: string, more: object = {}): Promise<string> {
  const { body, status } = await postJson(url, "/oauth/register", {
    client_name: "Tests",
    redirect_uris: [REDIRECT_URI],
    ...more,
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.client_id;
}

/** Creates a PKCE verifier and the matching challenge. */
export function createPkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

/** Pending authorization request. */
export interface AuthorizationRequest {
  clientId: string;
  verifier: string;
  /** Query string for the authorization endpoint. */
  query: string;
}

/** Creates an authorization request as an app does. `more` replaces parameters; undefined removes a parameter. */
export async function createAuthorizationRequest(
  url: string,
  more: Record<string, string | undefined> = {},
): Promise<AuthorizationRequest> {
  const clientId = more["client_id"] ?? (await registerApp(url));
  const { verifier, challenge } = createPkce();
  const parameters = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    code_challenge: challenge,
    code_challenge_method: "S256",
    state: "a state",
    ...more,
  };
  const given = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return { clientId, verifier, query: new URLSearchParams(given).toString() };
}

/** Sends the user's decision, as the consent page does. */
export const sendDecision = (
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

/** Allows a request. Returns the authorization code. */
export async function obtainCode(tenant: Tenant, request: AuthorizationRequest, more: object = {}): Promise<string> {
  const { body } = await sendDecision(tenant, request.query, more);
  const code = body.redirect && new URL(body.redirect).searchParams.get("code");
  if (!code) throw new Error(JSON.stringify(body));
  noteSecrets({ token: code });
  return code;
}

/** Exchanges an authorization code; `more` replaces fields of the form. */
export const exchangeCode = (
  url: string,
  { clientId, verifier }: AuthorizationRequest,
  code: string,
  more: Record<string, string> = {},
) =>
  postForm(url, "/oauth/token", {
    grant_type: "authorization_code",
    code,
    client_id: clientId,
    code_verifier: verifier,
    redirect_uri: REDIRECT_URI,
    ...more,
  });

export const exchangeRefreshToken = (
  url: string,
  clientId: string,
  refreshToken: string,
  more: Record<string, string> = {},
) =>
  postForm(url, "/oauth/token", {
    grant_type: "refresh_token",
    refresh_token: refreshToken,
    client_id: clientId,
    ...more,
  });

/** Connects an app for a tenant's owner with the given scopes, without a browser. */
export async function connectOauthApp(
  tenant: Tenant,
  scope = "read write",
): Promise<TokenResponse & { clientId: string }> {
  const request = await createAuthorizationRequest(tenant.url, { scope });
  const code = await obtainCode(tenant, request, { scopes: scope.split(" ") });
  const { body, status } = await exchangeCode(tenant.url, request, code);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return { ...body, clientId: request.clientId };
}

/** Returns the status with which GraphQL responds to a token. */
export const readViewerStatus = async (url: string, token: string): Promise<number> =>
  (await postJson(url, "/graphql", { query: "{ viewer { id } }" }, { authorization: `Bearer ${token}` })).status;

/** API server with the MCP server that the API server starts, as `npm start` runs them. */
export interface ServerPair {
  app: App;
  tenant: Tenant;
  /** URL of the MCP endpoint that a user pastes into an app. */
  mcp: string;
}

/** Starts both servers on free ports, with a fresh organization. */
export async function startServerPair(env: Record<string, string> = {}): Promise<ServerPair> {
  const port = await findFreePort();
  const app = await startServer({ MCP_PORT: String(port), ...env });
  const mcp = await startMcpHttp(app.url, ["--port", String(port)]);
  return { app, mcp, tenant: await createOrganization(app) };
}

/** Lists the tools over MCP, as a client does. Returns the HTTP status. */
export const listTools = (mcp: string, token: string) =>
  postJson(mcp, "", { jsonrpc: "2.0", id: 1, method: "tools/list" }, { authorization: `Bearer ${token}` });

/** Calls the control plane with a bearer token. */
export const callRest = (url: string, token: string, method: string, path: string, body?: unknown) =>
  callRestApi(url, method, path, { body, headers: { authorization: `Bearer ${token}` } });
