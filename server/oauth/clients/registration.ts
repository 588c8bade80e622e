import { randomBytes } from "node:crypto";
import type Koa from "koa";
import { z } from "zod";
import { knex, toStatement } from "../../../db/builder.ts";
import { HOUR_MS } from "../../../formats/time.ts";
import { enforceLimitsIfThrottling, toNetworkKey } from "../../accounts/throttle.ts";
import { OAUTH_SCOPES } from "../../auth/principal.ts";
import { rateLimited } from "../../errors.ts";
import type { Runtime } from "../../runtime.ts";
import { OAuthError } from "../failure.ts";
import { readOAuthJson } from "../parameters.ts";
import { clientName } from "./client.ts";
import { findRedirectUriFault, MAX_REDIRECT_URIS, redirectHost } from "./redirect-uri.ts";

/** Maximum registrations per network and hour, and maximum number of unused registrations in total. */
const MOST_AN_HOUR = 30;
const MOST_UNUSED = 5_000;

/** Fields of a registration that the server uses. Other fields are ignored. */
const request = z.object({
  redirect_uris: z.array(z.string()).min(1).max(MAX_REDIRECT_URIS),
  client_name: z.string().max(1_000).optional().catch(undefined),
});

/**
 * Registers a client (RFC 7591). Every client is public, and the response contains the granted values. An unused
 * client is deleted after a day.
 * @throws OAuthError; rateLimited (429).
 */
export async function registerClient(runtime: Runtime, ctx: Koa.Context): Promise<void> {
  const parsed = request.safeParse(await readOAuthJson(ctx));
  if (!parsed.success) {
    const name = String(parsed.error.issues[0]?.path[0] ?? "the body");
    const code = name === "redirect_uris" ? "invalid_redirect_uri" : "invalid_client_metadata";
    throw new OAuthError(
      code,
      `${name} is missing or malformed; redirect_uris takes 1 to ${MAX_REDIRECT_URIS} addresses.`,
    );
  }
  const { redirect_uris, client_name } = parsed.data;
  for (const uri of redirect_uris) {
    const fault = findRedirectUriFault(uri);
    if (fault) throw new OAuthError("invalid_redirect_uri", `A redirect URI ${fault}.`);
  }
  await admitRegistration(runtime, ctx.ip);
  const id = `trk_client_${randomBytes(16).toString("hex")}`;
  const name = clientName(client_name, redirectHost(redirect_uris[0] ?? ""));
  const createdAt = new Date();
  const row = { id, name, redirectUris: redirect_uris, createdAt };
  await runtime.db.query(toStatement(knex("oauthClient").insert(row)));
  ctx.status = 201;
  ctx.body = registered(id, name, redirect_uris, createdAt);
}

async function admitRegistration(runtime: Runtime, address: string): Promise<void> {
  await enforceLimitsIfThrottling(runtime, {
    of: ["registrations", toNetworkKey(address)],
    most: MOST_AN_HOUR,
    windowMs: HOUR_MS,
    refusal: "Too many apps were registered from this address; wait before you register another app.",
  });
  const unused = knex("oauthClient").whereNull("usedAt").count("* as count");
  const [found] = await runtime.db.query<{ count: number }>(toStatement(unused));
  if (Number(found?.count) >= MOST_UNUSED) {
    throw rateLimited(
      "Too many unused apps are registered; the server deletes them within a day. Try again later.",
      3_600,
    );
  }
}

const registered = (id: string, name: string, redirectUris: string[], createdAt: Date) => ({
  client_id: id,
  client_id_issued_at: Math.floor(createdAt.getTime() / 1000),
  client_name: name,
  redirect_uris: redirectUris,
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
  scope: OAUTH_SCOPES.join(" "),
});
