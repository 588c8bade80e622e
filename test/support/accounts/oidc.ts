import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair } from "jose";
import Provider from "oidc-provider";
import type { App } from "../../../server/app.ts";
import { noteSecrets } from "../run/secrets.ts";
import { callRestApi, createOrganization, type RestReply, startServer, type Tenant } from "../server.ts";

/** User of the tests' OpenID provider. */
export interface ProviderUser {
  subject: string;
  email: string;
  email_verified?: unknown;
  name?: string;
  groups?: string[];
}

export const OIDC_CLIENT = {
  clientId: "trackway-tests",
  clientSecret: "a secret that only the client and its provider know",
};

/** A real OpenID provider (`oidc-provider`) on loopback, at which one user is signed in. */
export interface RealProvider {
  issuer: string;
  /** The user who is signed in in the browser. */
  someone: ProviderUser;
  /** Ends the browser's session at the provider, which then sends its logout tokens. */
  endSession(): Promise<void>;
  close(): void;
}

/** Starts the provider for the callback URL of one server. */
export async function startProvider(app: App, someone: ProviderUser, logoutUrl?: string): Promise<RealProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const real: RealProvider = {
    issuer,
    someone,
    endSession: async () => void (await endSession(real)),
    close: () => server.close().closeAllConnections(),
  };
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: OIDC_CLIENT.clientId,
        client_secret: OIDC_CLIENT.clientSecret,
        redirect_uris: [`${app.url}/api/auth/oidc/callback`],
        ...(logoutUrl && { backchannel_logout_uri: logoutUrl, backchannel_logout_session_required: true }),
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), use: "sig", alg: "RS256", kid: "first" }] },
    cookies: { keys: ["a key for the cookies of tests"] },
    claims: { email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
    scopes: ["openid", "groups"],
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: { enabled: true },
    },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: async (_, accountId) => {
      const { email, email_verified = true, name, groups } = real.someone;
      return { accountId, claims: async () => ({ sub: accountId, email, email_verified, name, groups }) as never };
    },
    renderError: async (ctx, out) => void Object.assign(ctx, { body: out }),
    // The provider sends logout tokens to loopback. The provider's own guard would refuse loopback.
    fetch: (url, options) => {
      const { method, headers, body } = options as RequestInit;
      return fetch(url as string, { method, headers, body, signal: AbortSignal.timeout(5_000) } as RequestInit);
    },
  });
  provider.use(async (ctx, next) => {
    if (!ctx.path.startsWith("/interaction/")) return next();
    const { prompt, params, session } = await provider.interactionDetails(ctx.req, ctx.res);
    if (prompt.name === "login") {
      await provider.interactionFinished(ctx.req, ctx.res, { login: { accountId: real.someone.subject } });
    } else {
      const grant = new provider.Grant({ accountId: session?.accountId, clientId: String(params["client_id"]) });
      grant.addOIDCScope(String(params["scope"]));
      const consent = { grantId: await grant.save() };
      await provider.interactionFinished(ctx.req, ctx.res, { consent }, { mergeWithLastSubmission: true });
    }
    ctx.respond = false;
  });
  server.on("request", provider.callback());
  return real;
}

/** Cookies of the browser at each provider, by issuer. */
const jars = new Map<string, Map<string, string>>();
const jarOf = (issuer: string) => jars.get(issuer) ?? jars.set(issuer, new Map()).get(issuer) ?? new Map();

async function browse(issuer: string, url: string, init: RequestInit = {}): Promise<Response> {
  const jar = jarOf(issuer);
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
  const response = await fetch(new URL(url, issuer), {
    redirect: "manual",
    ...init,
    headers: { ...init.headers, cookie },
  });
  for (const line of response.headers.getSetCookie()) {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (value) jar.set(name, value);
    else jar.delete(name);
  }
  return response;
}

async function endSession({ issuer }: RealProvider): Promise<void> {
  const page = await (await browse(issuer, "/session/end")).text();
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(page)?.[1] ?? "";
  const body = new URLSearchParams({ xsrf, logout: "yes" });
  await browse(issuer, "/session/end/confirm", { method: "POST", body });
}

/** Starts a sign-in at the organization's provider. */
export async function requestOidcSignIn(
  tenant: Pick<Tenant, "url" | "urlKey">,
  more: object = {},
): Promise<PendingProviderSignIn> {
  const body = { organization: tenant.urlKey, ...more };
  const reply = await callRestApi(tenant.url, "POST", "/api/auth/oidc/start", { body });
  if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
  const { redirect, browser } = reply.body as Record<string, string>;
  noteSecrets({ token: browser });
  return { url: tenant.url, redirect: String(redirect), browser: String(browser) };
}

export interface PendingProviderSignIn {
  url: string;
  redirect: string;
  browser: string;
}

/** Follows the redirects of a real provider. Returns the callback URL. */
export async function followProvider(provider: RealProvider, { redirect }: PendingProviderSignIn): Promise<URL> {
  jars.delete(provider.issuer);
  for (let at = redirect, hops = 0; hops < 10; hops += 1) {
    const location = (await browse(provider.issuer, at)).headers.get("location");
    if (!location) throw new Error(`the provider stopped at ${at}`);
    at = new URL(location, provider.issuer).href;
    if (!at.startsWith(provider.issuer)) return new URL(at);
  }
  throw new Error("the provider leads in a circle");
}

/** Result of a sign-in: where the server redirects the browser, and the new refresh token, if any. */
export interface SignInResult {
  status: number;
  location: string;
  refreshToken?: string | undefined;
  cookies: string[];
}

/** Requests the callback URL as the browser does. */
export async function requestProviderCallback(
  { url, browser }: PendingProviderSignIn,
  back: URL,
  cookie = browser,
): Promise<SignInResult> {
  const port = new URL(url).port;
  const response = await fetch(`${url}/api/auth/oidc/callback${back.search}`, {
    redirect: "manual",
    headers: { cookie: `trackway_browser_${port}=${cookie}` },
  });
  const cookies = response.headers.getSetCookie();
  const [, refreshToken] = /^trackway_refresh_\d+=([^;]+)/.exec(cookies.join("\n")) ?? [];
  noteSecrets({ refreshToken });
  const location = (response.headers.get("location") ?? "").replace(url, "");
  return { status: response.status, location, refreshToken, cookies };
}

/** Completes a sign-in at a real provider. */
export async function signInAt(provider: RealProvider, tenant: Pick<Tenant, "url" | "urlKey">): Promise<SignInResult> {
  const begun = await requestOidcSignIn(tenant);
  return requestProviderCallback(begun, await followProvider(provider, begun));
}

/**
 * Resumes a login with a refresh token. Returns the new tokens, or undefined for a login that is revoked or expired.
 */
export async function resumeLogin(
  url: string,
  refreshToken: string | undefined,
): Promise<Record<string, any> | undefined> {
  const { body } = await callRestApi(url, "POST", "/api/auth/session", { body: { refreshToken } });
  return body["signedIn"] ? body : undefined;
}

/** Sets the OpenID provider of an organization. */
export const setProvider = (tenant: Tenant, issuer: string, more: object = {}): Promise<RestReply> =>
  tenant.rest("PATCH", "/api/oidc", { issuer, ...OIDC_CLIENT, domains: ["corp.example"], ...more });

/** Starts a server that may reach providers on loopback, with an organization. */
export async function startOidcServer(env: Record<string, string> = {}): Promise<{ app: App; tenant: Tenant }> {
  const app = await startServer({ OAUTH_ALLOW_PRIVATE: "on", ...env });
  return { app, tenant: await createOrganization(app) };
}
