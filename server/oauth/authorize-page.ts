import type Koa from "koa";
import { AppError, STATUS } from "../errors.ts";
import type { Runtime } from "../runtime.ts";
import { checkRequest, redirectUriOf } from "./authorization-request.ts";
import { knownClient } from "./clients/client.ts";
import { OAuthError } from "./failure.ts";
import type { Issuer } from "./issuer.ts";
import { parametersOf } from "./parameters.ts";

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
