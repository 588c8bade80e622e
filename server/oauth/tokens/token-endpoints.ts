import type Koa from "koa";
import { knex, toStatement } from "../../../db/builder.ts";
import { revokeOAuthGrant } from "../../accounts/connection.ts";
import { findOAuthPrincipal } from "../../auth/authenticate.ts";
import { invalidateCredentialCache } from "../../auth/credential-cache.ts";
import { hashKey } from "../../auth/key.ts";
import type { Runtime } from "../../runtime.ts";
import { OAuthError } from "../failure.ts";
import type { Issuer } from "../issuer.ts";
import { readFormParameters, requireParameter } from "../parameters.ts";
import { exchangeCode } from "./code.ts";
import { refreshTokens } from "./refresh.ts";

/** Responds with tokens for a code or for a refresh token. @throws OAuthError */
export async function handleTokenRequest(runtime: Runtime, issuer: Issuer, ctx: Koa.Context): Promise<void> {
  const form = await readFormParameters(ctx);
  const kind = requireParameter(form, "grant_type");
  if (kind === "authorization_code") ctx.body = await exchangeCode(runtime, issuer, form);
  else if (kind === "refresh_token") ctx.body = await refreshTokens(runtime, issuer, form);
  else throw new OAuthError("unsupported_grant_type", "grant_type takes authorization_code and refresh_token.");
}

/**
 * Revokes the connection of a token, with all its tokens (RFC 7009). An unknown token is no error, because the
 * caller's goal is already reached.
 */
export async function handleRevocationRequest({ db }: Runtime, ctx: Koa.Context): Promise<void> {
  const hash = hashKey(requireParameter(await readFormParameters(ctx), "token"));
  await db.transaction(async (trx) => {
    const owned = knex("oauthToken").where({ hash }).select("organizationId", "grantId");
    const [grant] = await trx.query<{ organizationId: string; grantId: string }>(toStatement(owned));
    if (grant) await revokeOAuthGrant(trx, grant, "connection.ended");
  });
  invalidateCredentialCache(db);
  ctx.body = {};
}

/**
 * Reports whether an access token is valid, and its scopes (RFC 7662). The caller needs only the token itself: its
 * 224 random bits cannot be guessed. The MCP server checks each token here before it responds.
 */
export async function handleIntrospectionRequest(runtime: Runtime, ctx: Koa.Context): Promise<void> {
  const token = requireParameter(await readFormParameters(ctx), "token");
  const principal = await findOAuthPrincipal(runtime, token);
  ctx.body = principal
    ? {
        active: true,
        scope: principal.scopes?.join(" "),
        token_type: "Bearer",
        exp: Math.floor((principal.expiresAt ?? 0) / 1000),
      }
    : { active: false };
}
