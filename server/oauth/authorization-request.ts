import type Koa from "koa";
import { OAUTH_SCOPES, type OAuthScope } from "../auth/principal.ts";
import { AppError, HTTP_STATUS } from "../errors.ts";
import type { Runtime } from "../runtime.ts";
import { type Client, findKnownClient } from "./clients/client.ts";
import { isRegisteredRedirect } from "./clients/redirect-uri.ts";
import { OAuthError } from "./failure.ts";
import type { Issuer } from "./issuer.ts";
import { type OAuthParameters, parseOAuthParameters, requireParameter } from "./parameters.ts";

/** A client's authorization request that has passed every check except the user's decision. */
export interface AuthorizationRequest {
  clientId: string;
  scopes: OAuthScope[];
  resource: string;
  codeChallenge: string;
  state: string | undefined;
}

/** Scopes of a request without scopes: the usual needs of an assistant. */
const DEFAULT_SCOPES: OAuthScope[] = ["read", "write"];
const MAX_STATE = 4_096;

/** Validates the parameters that do not depend on the client. @throws OAuthError */
export function parseAuthorizationRequest({ resources }: Issuer, parameters: OAuthParameters): AuthorizationRequest {
  const clientId = requireParameter(parameters, "client_id");
  for (const name of ["request", "request_uri"]) {
    if (parameters.has(name)) throw new OAuthError("request_not_supported", `${name} is not taken here.`);
  }
  if (requireParameter(parameters, "response_type") !== "code") {
    throw new OAuthError("unsupported_response_type", "response_type must be code.");
  }
  if ((parameters.get("response_mode") ?? "query") !== "query") {
    throw new OAuthError("invalid_request", "response_mode must be query.");
  }
  const codeChallenge = requireParameter(parameters, "code_challenge");
  if (parameters.get("code_challenge_method") !== "S256" || !/^[\w-]{43}$/.test(codeChallenge)) {
    throw new OAuthError("invalid_request", "code_challenge must be one of S256, with code_challenge_method=S256.");
  }
  const resource = parameters.get("resource") ?? resources[0] ?? "";
  validateResource(resources, resource);
  const state = parameters.get("state");
  if ((state?.length ?? 0) > MAX_STATE) throw new OAuthError("invalid_request", "state is too long.");
  return { clientId, scopes: scopesOf(parameters.get("scope")), resource, codeChallenge, state };
}

/** @throws OAuthError invalid_target for a resource of another server. */
export function validateResource(resources: readonly string[], resource: string): void {
  if (resources.includes(resource)) return;
  throw new OAuthError("invalid_target", `The resource is not of this server, which is reached at ${resources[0]}.`);
}

/** Unknown scopes are ignored, because clients also send scopes of other servers. The scope `write` includes `read`. */
function scopesOf(text: string | undefined): OAuthScope[] {
  const asked = new Set<string>(text?.split(" "));
  if (asked.has("write")) asked.add("read");
  const known = OAUTH_SCOPES.filter((scope) => asked.has(scope));
  return known.length > 0 ? known : DEFAULT_SCOPES;
}

/**
 * Returns the URI to which the client's response is sent. @throws OAuthError if the client has not registered the
 * URI.
 */
export function selectRedirectUri({ redirectUris }: Client, parameters: OAuthParameters): string {
  const asked = parameters.get("redirect_uri");
  const [only] = redirectUris;
  if (asked === undefined && only !== undefined && redirectUris.length === 1) return only;
  if (asked !== undefined && isRegisteredRedirect(redirectUris, asked)) return asked;
  throw new OAuthError("invalid_request", "This redirect_uri is not registered for the app.");
}

/** Responds with the web app's page, which shows the consent form, or only the refusal. */
export type PageResponder = (ctx: Koa.Context, refusal?: string) => Promise<void>;

/**
 * Headers that are sent in addition to the page's own policy. Like that policy, `X-Frame-Options` forbids framing,
 * because users could be tricked into clicking on an invisible page.
 */
const HEADERS = {
  "X-Frame-Options": "DENY",
  "Cache-Control": "no-store",
  // A popup that an app's page opened must keep its opener, because the app's page waits for a message from the
  // redirect page.
  "Cross-Origin-Opener-Policy": "unsafe-none",
};

/**
 * Shows the consent page or the error of the request. The server never redirects by itself: only the decision of a
 * signed-in user sends the browser to a URI that a stranger registered.
 */
export async function handleAuthorizeRequest(
  runtime: Runtime,
  issuer: Issuer,
  ctx: Koa.Context,
  answerPage: PageResponder,
): Promise<void> {
  const fault = await faultOf(runtime, issuer, ctx.querystring);
  if (fault) ctx.status = fault instanceof OAuthError ? 400 : HTTP_STATUS[fault.kind];
  await answerPage(ctx, fault?.message);
  ctx.set(HEADERS);
}

/** Returns an error that does not depend on the user. */
async function faultOf(runtime: Runtime, issuer: Issuer, query: string): Promise<OAuthError | AppError | undefined> {
  try {
    const parameters = parseOAuthParameters(query);
    const { clientId } = parseAuthorizationRequest(issuer, parameters);
    const client = await findKnownClient(runtime, clientId);
    if (client) selectRedirectUri(client, parameters);
    return undefined;
  } catch (error) {
    if (error instanceof OAuthError || error instanceof AppError) return error;
    throw error;
  }
}
