import type Koa from "koa";
import { type OAuthScope, SCOPES } from "../auth/principal.ts";
import { AppError, STATUS } from "../errors.ts";
import type { Runtime } from "../runtime.ts";
import { type Client, knownClient } from "./clients/client.ts";
import { mayRedirect } from "./clients/redirect-uri.ts";
import { OAuthError } from "./failure.ts";
import type { Issuer } from "./issuer.ts";
import { type Parameters, parametersOf, required } from "./parameters.ts";

/** A client's request to a person, past every check but of the person. */
export interface AuthorizationRequest {
  clientId: string;
  scopes: OAuthScope[];
  resource: string;
  codeChallenge: string;
  state: string | undefined;
}

/** The scopes of a request that names none: the usual needs of an assistant. */
const DEFAULT_SCOPES: OAuthScope[] = ["read", "write"];
const MAX_STATE = 4_096;

/** Checks what can be checked without knowing the client. @throws OAuthError */
export function checkRequest({ resources }: Issuer, parameters: Parameters): AuthorizationRequest {
  const clientId = required(parameters, "client_id");
  for (const name of ["request", "request_uri"]) {
    if (parameters.has(name)) throw new OAuthError("request_not_supported", `${name} is not taken here.`);
  }
  if (required(parameters, "response_type") !== "code") {
    throw new OAuthError("unsupported_response_type", "response_type must be code.");
  }
  if ((parameters.get("response_mode") ?? "query") !== "query") {
    throw new OAuthError("invalid_request", "response_mode must be query.");
  }
  const codeChallenge = required(parameters, "code_challenge");
  if (parameters.get("code_challenge_method") !== "S256" || !/^[\w-]{43}$/.test(codeChallenge)) {
    throw new OAuthError("invalid_request", "code_challenge must be one of S256, with code_challenge_method=S256.");
  }
  const resource = parameters.get("resource") ?? resources[0] ?? "";
  checkResource(resources, resource);
  const state = parameters.get("state");
  if ((state?.length ?? 0) > MAX_STATE) throw new OAuthError("invalid_request", "state is too long.");
  return { clientId, scopes: scopesOf(parameters.get("scope")), resource, codeChallenge, state };
}

/** @throws OAuthError invalid_target for an address that is not this server's. */
export function checkResource(resources: readonly string[], resource: string): void {
  if (resources.includes(resource)) return;
  throw new OAuthError("invalid_target", `The resource is not of this server, which is reached at ${resources[0]}.`);
}

/** Unknown scopes are ignored: clients name what other servers have. To change something is to see it as well. */
function scopesOf(text: string | undefined): OAuthScope[] {
  const asked = new Set<string>(text?.split(" "));
  if (asked.has("write")) asked.add("read");
  const known = SCOPES.filter((scope) => asked.has(scope));
  return known.length > 0 ? known : DEFAULT_SCOPES;
}

/** The address at which the client gets its answer. @throws OAuthError when it is not one that it registered. */
export function redirectUriOf({ redirectUris }: Client, parameters: Parameters): string {
  const asked = parameters.get("redirect_uri");
  const [only] = redirectUris;
  if (asked === undefined && only !== undefined && redirectUris.length === 1) return only;
  if (asked !== undefined && mayRedirect(redirectUris, asked)) return asked;
  throw new OAuthError("invalid_request", "The redirect_uri is not one that this program named before.");
}

/** Answers with the web app's page, which shows the consent, or only the refusal. */
export type AnswerPage = (ctx: Koa.Context, refusal?: string) => Promise<void>;

/** Beside the page's own policy, by which nobody may frame it: an unseen page could be clicked. */
const HEADERS = {
  "X-Frame-Options": "DENY",
  "Cache-Control": "no-store",
  // A program's page that opened this one in a window of its own waits for an answer of the page that this leads back to.
  "Cross-Origin-Opener-Policy": "unsafe-none",
};

/**
 * Shows the page on which a person decides, or the error of the request. It never redirects by itself: only a signed-in
 * person who decides is sent to an address that a stranger registered.
 */
export async function answerAuthorize(
  runtime: Runtime,
  issuer: Issuer,
  ctx: Koa.Context,
  answerPage: AnswerPage,
): Promise<void> {
  const fault = await faultOf(runtime, issuer, ctx.querystring);
  if (fault) ctx.status = fault instanceof OAuthError ? 400 : STATUS[fault.kind];
  await answerPage(ctx, fault?.message);
  ctx.set(HEADERS);
}

/** An error of the request that shows before it is known who decides. */
async function faultOf(runtime: Runtime, issuer: Issuer, query: string): Promise<OAuthError | AppError | undefined> {
  try {
    const parameters = parametersOf(query);
    const { clientId } = checkRequest(issuer, parameters);
    const client = await knownClient(runtime, clientId);
    if (client) redirectUriOf(client, parameters);
    return undefined;
  } catch (error) {
    if (error instanceof OAuthError || error instanceof AppError) return error;
    throw error;
  }
}
