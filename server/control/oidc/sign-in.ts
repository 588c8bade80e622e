import { createHmac, randomBytes } from "node:crypto";
import * as client from "openid-client";
import { isUuid } from "../../../formats/uuid.ts";
import { type Connection, connectTo, ProviderFailure, providerFailure } from "../../accounts/oidc/connection.ts";
import { noteOnce, PATIENCE_MS, takeOnce } from "../../accounts/oidc/identity.ts";
import { type Person, personOf, type Refusal, SignInRefused } from "../../accounts/oidc/person.ts";
import { findProvider, providerOf, type SignInProvider } from "../../accounts/oidc/provider.ts";
import { countAgainst, network } from "../../accounts/throttle.ts";
import { AppError, unavailable } from "../../errors.ts";
import type { Runtime } from "../../runtime.ts";
import { type Admitted, admit } from "./admission.ts";

/** Sign-ins begun from one network address in ten minutes: an office has one address. */
const RATE = { most: 300, windowMs: 10 * 60 * 1000, refusal: "Too many sign-ins were begun here; wait a little." };

/** The address at which the provider leads back to this server. */
export const callbackUrl = ({ publicUrl }: Runtime): string => `${publicUrl}/api/auth/oidc/callback`;

/** A sign-in that was begun: where to go, and the secret that the browser keeps meanwhile. */
export interface Begun {
  redirect: string;
  organization: string;
  /** The provider's host, for the person to know where they are led. */
  host: string;
  browser: string;
}

/** The state names its organization, whose rows are asked for it. */
const organizationOf = (state: string): string => state.slice(0, 36);

/** Values that the provider has to give back. They follow from the browser's secret, which is stored nowhere else. */
const derived = (browser: string, state: string, name: "nonce" | "verifier"): string =>
  createHmac("sha256", browser).update(`${name} ${state}`).digest("base64url");

/**
 * Begins a sign-in.
 * @throws notFound for an organization or a domain without a provider; rateLimited; unavailable when the provider fails
 */
export async function beginSignIn(
  runtime: Runtime,
  input: { organization?: string | undefined; email?: string | undefined; returnTo: string; address: string },
): Promise<Begun> {
  await countAgainst(runtime, { of: ["oidc", network(input.address)], ...RATE });
  const found = await findProvider(runtime, input);
  const { organizationId } = found;
  const browser = randomBytes(32).toString("base64url");
  const state = `${organizationId}.${randomBytes(24).toString("base64url")}`;
  const url = await atProvider(runtime, found, async ({ provider }) => {
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
  await noteOnce(runtime.db, once, new Date(Date.now() + PATIENCE_MS), { returnTo: input.returnTo });
  return { redirect: url.href, organization: found.organizationName, host: new URL(found.issuer).host, browser };
}

/** The outcome of the provider's answer: a login, a question for the password, or a refusal. */
export type Outcome = Admitted | { refused: Refusal };

/** Ends a sign-in with what the provider answered to the browser. It counts once, and in the browser that began it. */
export async function finishSignIn(runtime: Runtime, search: string, browser: string | undefined): Promise<Outcome> {
  const parameters = new URLSearchParams(search);
  const state = parameters.get("state") ?? "";
  try {
    const organizationId = organizationOf(state);
    const begun = browser && (await takeState(runtime, state, browser));
    if (!begun) throw new SignInRefused("expired");
    if (parameters.get("error") === "access_denied") throw new SignInRefused("denied");
    const provider = await providerOf(runtime, organizationId);
    const person = await personAt(runtime, provider, search, { state, browser });
    return await admit(runtime, provider, person, { browser, returnTo: begun.returnTo ?? "/" });
  } catch (error) {
    return { refused: refusalOf(runtime, organizationOf(state), error) };
  }
}

async function takeState({ db }: Runtime, state: string, browser: string) {
  if (!isUuid(organizationOf(state)) || state.length > 100) return undefined;
  return takeOnce(db, { organizationId: organizationOf(state), kind: "state", parts: [state, browser] });
}

/** Trades the code, and reads whom the provider names. */
async function personAt(
  runtime: Runtime,
  provider: SignInProvider,
  search: string,
  { state, browser }: { state: string; browser: string },
): Promise<Person> {
  const url = new URL(callbackUrl(runtime));
  url.search = search;
  return atProvider(runtime, provider, async (connection) => {
    const tokens = await client.authorizationCodeGrant(connection.provider, url, {
      expectedState: state,
      expectedNonce: derived(browser, state, "nonce"),
      pkceCodeVerifier: derived(browser, state, "verifier"),
      idTokenExpected: true,
    });
    const claims = { ...tokens.claims() };
    return personOf(provider, await completed(connection, provider, { claims, token: tokens.access_token }));
  });
}

/** Asks the provider for the claims that the token leaves out. Those of the token, which are signed, count first. */
async function completed(
  { provider: configuration }: Connection,
  { groupsClaim, groupRoles }: SignInProvider,
  { claims, token }: { claims: Record<string, unknown>; token: string },
): Promise<Record<string, unknown>> {
  const complete = "email" in claims && (groupRoles.length === 0 || Object.hasOwn(claims, groupsClaim));
  if (complete || !configuration.serverMetadata().userinfo_endpoint) return claims;
  const more = await client.fetchUserInfo(configuration, token, String(claims["sub"]));
  // That an address is verified counts for the address beside it alone.
  const about = "email" in claims ? claims : more;
  return { ...more, ...claims, email: about["email"], email_verified: about["email_verified"] };
}

/** Works with a provider, and closes what was opened for it. @throws ProviderFailure for all that goes wrong there */
export async function atProvider<T>(
  runtime: Runtime,
  provider: SignInProvider,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await connectTo(runtime, provider);
  try {
    return await work(connection);
  } catch (error) {
    throw error instanceof SignInRefused ? error : providerFailure(error);
  } finally {
    connection.close();
  }
}

/** The reason that the page gets. The log has the provider's own. */
function refusalOf({ log }: Runtime, organizationId: string, error: unknown): Refusal {
  if (error instanceof SignInRefused) return error.reason;
  if (error instanceof AppError && error.kind === "not_found") return "expired";
  const known = error instanceof ProviderFailure || (error instanceof AppError && error.kind === "conflict");
  if (!known) throw error;
  log.warn({ organizationId, reason: error.message }, "sign-in at the organization's provider failed");
  return "provider";
}
