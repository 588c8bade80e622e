import type Koa from "koa";
import { knex, toStatement } from "../../../db/builder.ts";
import { endGrant } from "../../accounts/connection.ts";
import { principalOfOAuthToken } from "../../auth/authenticate.ts";
import { credentialsRevoked } from "../../auth/credential-cache.ts";
import { hashKey } from "../../auth/key.ts";
import type { Runtime } from "../../runtime.ts";
import { OAuthError } from "../failure.ts";
import type { Issuer } from "../issuer.ts";
import { formOf, required } from "../parameters.ts";
import { exchangeCode } from "./code.ts";
import { refreshTokens } from "./refresh.ts";

/** Answers tokens for a code or for a refresh token. @throws OAuthError */
export async function answerToken(runtime: Runtime, issuer: Issuer, ctx: Koa.Context): Promise<void> {
  const form = await formOf(ctx);
  const kind = required(form, "grant_type");
  if (kind === "authorization_code") ctx.body = await exchangeCode(runtime, issuer, form);
  else if (kind === "refresh_token") ctx.body = await refreshTokens(runtime, issuer, form);
  else throw new OAuthError("unsupported_grant_type", "grant_type takes authorization_code and refresh_token.");
}

/**
 * Ends the connection that a token belongs to, as RFC 7009 has it: all its tokens end. An unknown token is no error,
 * since the caller's wish is already true.
 */
export async function answerRevocation({ db }: Runtime, ctx: Koa.Context): Promise<void> {
  const hash = hashKey(required(await formOf(ctx), "token"));
  await db.transaction(async (trx) => {
    const owned = knex("oauthToken").where({ hash }).select("organizationId", "grantId");
    const [grant] = await trx.query<{ organizationId: string; grantId: string }>(toStatement(owned));
    if (grant) await endGrant(trx, grant, "connection.ended");
  });
  credentialsRevoked(db);
  ctx.body = {};
}

/**
 * Says whether an access token is good and names its rights, as RFC 7662 has it. The holder of a token may ask: it is
 * 224 random bits, so guessing finds nothing. The MCP server asks before it answers.
 */
export async function answerIntrospection(runtime: Runtime, ctx: Koa.Context): Promise<void> {
  const token = required(await formOf(ctx), "token");
  const principal = await principalOfOAuthToken(runtime, token);
  ctx.body = principal
    ? {
        active: true,
        scope: principal.scopes?.join(" "),
        token_type: "Bearer",
        exp: Math.floor((principal.expiresAt ?? 0) / 1000),
      }
    : { active: false };
}
