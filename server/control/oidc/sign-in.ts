import { createHmac, randomBytes } from "node:crypto";
import * as client from "openid-client";
import { getMonotonicEpochMs } from "../../../concurrency/held-clock.ts";
import { isUuid } from "../../../formats/uuid.ts";
import {
  connectToProvider,
  type ProviderConnection,
  ProviderFailure,
  toProviderFailure,
} from "../../accounts/oidc/connection.ts";
import {
  consumeSingleUseValue,
  PROVIDER_SIGN_IN_TIMEOUT_MS,
  storeSingleUseValue,
} from "../../accounts/oidc/identity.ts";
import {
  type ProviderUser,
  parseProviderUser,
  type SignInRefusalReason,
  SignInRefused,
} from "../../accounts/oidc/person.ts";
import { findProvider, getSignInProvider, type SignInProvider } from "../../accounts/oidc/provider.ts";
import { enforceLimitsIfThrottling, toNetworkKey } from "../../accounts/throttle.ts";
import { AppError, unavailable } from "../../errors.ts";
import type { Runtime } from "../../runtime.ts";
import { type SignInAdmission, signInProviderUser } from "./admission.ts";

/** Maximum sign-ins started per network address in ten minutes. An office shares one address. */
const RATE = {
  most: 300,
  windowMs: 10 * 60 * 1000,
  refusal: "Too many sign-ins were started from your network; try again later.",
};

/** URL to which the provider redirects the browser. */
export const callbackUrl = ({ publicUrl }: Runtime): string => `${publicUrl}/api/auth/oidc/callback`;

/** A started sign-in: the URL to open, and the secret that the browser keeps in the meantime. */
export interface SignInRedirect {
  redirect: string;
  organization: string;
  /** The provider's host, so that users know where they are sent. */
  host: string;
  browser: string;
}

/** The state begins with the organization's id, so that the server reads only that organization's rows. */
const organizationOf = (state: string): string => state.slice(0, 36);

/** Derives the nonce or the PKCE verifier of a sign-in from the browser's secret, which only the browser stores. */
const derived = (browser: string, state: string, name: "nonce" | "verifier"): string =>
  createHmac("sha256", browser).update(`${name} ${state}`).digest("base64url");

/**
 * Begins a sign-in.
 * @throws notFound for an organization or a domain without a provider; rateLimited; unavailable if the provider fails
 */
export async function beginOidcSignIn(
  runtime: Runtime,
  input: { organization?: string | undefined; email?: string | undefined; returnTo: string; address: string },
): Promise<SignInRedirect> {
  await enforceLimitsIfThrottling(runtime, { of: ["oidc", toNetworkKey(input.address)], ...RATE });
  const found = await findProvider(runtime, input);
  const { organizationId } = found;
  const browser = randomBytes(32).toString("base64url");
  const state = `${organizationId}.${randomBytes(24).toString("base64url")}`;
  const url = await withProviderConnection(runtime, found, async ({ provider }) => {
    const scopes = ["openid", "email", "profile"];
    if (provider.serverMetadata().scopes_supported?.includes("groups")) scopes.push("groups");
    return client.buildAuthorizationUrl(provider, {
      redirect_uri: callbackUrl(runtime),
      scope: scopes.join(" "),
      state,
      nonce: derived(browser, state, "nonce"),
      code_challenge: await client.calculatePKCECodeChallenge(derived(browser, state, "verifier")),
      code_challenge_method: "S256",
      ...(input.email && { login_hint: input.email }),
    });
  }).catch((error) => {
    if (error instanceof ProviderFailure) throw unavailable(`Your company's sign-in fails: ${error.message}.`, 10);
    throw error;
  });
  const once = { organizationId, kind: "state", parts: [state, browser] } as const;
  await storeSingleUseValue(runtime.db, once, new Date(getMonotonicEpochMs() + PROVIDER_SIGN_IN_TIMEOUT_MS), {
    returnTo: input.returnTo,
  });
  return { redirect: url.href, organization: found.organizationName, host: new URL(found.issuer).host, browser };
}

/** Outcome of a sign-in: a login, a request for the password, or a refusal. */
export type SignInOutcome = SignInAdmission | { refused: SignInRefusalReason };

/**
 * Finishes a sign-in with the provider's response to the browser. A response can be used once, and only in the
 * browser that began the sign-in.
 */
export async function finishOidcSignIn(
  runtime: Runtime,
  search: string,
  browser: string | undefined,
): Promise<SignInOutcome> {
  const parameters = new URLSearchParams(search);
  const state = parameters.get("state") ?? "";
  try {
    const organizationId = organizationOf(state);
    const begun = browser && (await takeState(runtime, state, browser));
    if (!begun) throw new SignInRefused("expired");
    if (parameters.get("error") === "access_denied") throw new SignInRefused("denied");
    const provider = await getSignInProvider(runtime, organizationId);
    const person = await personAt(runtime, provider, search, { state, browser });
    return await signInProviderUser(runtime, provider, person, { browser, returnTo: begun.returnTo ?? "/" });
  } catch (error) {
    return { refused: refusalOf(runtime, organizationOf(state), error) };
  }
}

async function takeState({ db }: Runtime, state: string, browser: string) {
  if (!isUuid(organizationOf(state)) || state.length > 100) return undefined;
  return consumeSingleUseValue(db, { organizationId: organizationOf(state), kind: "state", parts: [state, browser] });
}

/** Exchanges the authorization code for tokens, and returns the user whom the provider identified. */
async function personAt(
  runtime: Runtime,
  provider: SignInProvider,
  search: string,
  { state, browser }: { state: string; browser: string },
): Promise<ProviderUser> {
  const url = new URL(callbackUrl(runtime));
  url.search = search;
  return withProviderConnection(runtime, provider, async (connection) => {
    const tokens = await client.authorizationCodeGrant(connection.provider, url, {
      expectedState: state,
      expectedNonce: derived(browser, state, "nonce"),
      pkceCodeVerifier: derived(browser, state, "verifier"),
      idTokenExpected: true,
    });
    const claims = { ...tokens.claims() };
    return parseProviderUser(provider, await completed(connection, provider, { claims, token: tokens.access_token }));
  });
}

/**
 * Completes the claims of a token. If the token omits a needed claim, the server requests the claims from the provider.
 * The signed claims of the token take precedence.
 */
async function completed(
  { provider: configuration }: ProviderConnection,
  { groupsClaim, groupRoles }: SignInProvider,
  { claims, token }: { claims: Record<string, unknown>; token: string },
): Promise<Record<string, unknown>> {
  const complete = "email" in claims && (groupRoles.length === 0 || Object.hasOwn(claims, groupsClaim));
  if (complete || !configuration.serverMetadata().userinfo_endpoint) return claims;
  const more = await client.fetchUserInfo(configuration, token, String(claims["sub"]));
  // Takes `email_verified` from the same source as the address, because the value is valid only for the address in that
  // source.
  const about = "email" in claims ? claims : more;
  return { ...more, ...claims, email: about["email"], email_verified: about["email_verified"] };
}

/**
 * Runs work with a connection to the provider, and closes the connection. @throws ProviderFailure for every error at
 * the provider
 */
export async function withProviderConnection<T>(
  runtime: Runtime,
  provider: SignInProvider,
  work: (connection: ProviderConnection) => Promise<T>,
): Promise<T> {
  const connection = await connectToProvider(runtime, provider);
  try {
    return await work(connection);
  } catch (error) {
    throw error instanceof SignInRefused ? error : toProviderFailure(error);
  } finally {
    connection.close();
  }
}

/** Returns the reason for the refusal that the page receives. The provider's own reason goes only to the log. */
function refusalOf({ log }: Runtime, organizationId: string, error: unknown): SignInRefusalReason {
  if (error instanceof SignInRefused) return error.reason;
  if (error instanceof AppError && error.kind === "not_found") return "expired";
  const known = error instanceof ProviderFailure || (error instanceof AppError && error.kind === "conflict");
  if (!known) throw error;
  log.warn({ organizationId, reason: error.message }, "sign-in at the organization's provider failed");
  return "provider";
}
