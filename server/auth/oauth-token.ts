import { compiled, knex } from "../../db/builder.ts";
import type { Turn } from "../../db/open.ts";
import type { Runtime } from "../runtime.ts";
import { hashKey, isOAuthToken } from "./key.ts";
import type { Principal } from "./principal.ts";
import type { OAuthScope } from "./scopes.ts";

interface Found {
  organizationId: string;
  grantId: string;
  expiresAt: Date;
}

interface Row {
  credentialId: string;
  organizationId: string;
  userId: string;
  accountId: string;
  role: "owner" | "member";
  scopes: OAuthScope[];
}

/** On whose behalf an OAuth access token acts; null for one that is unknown or ended, and while OAuth is off. */
export async function principalOfOAuthToken(
  { db, config }: Runtime,
  token: string,
  turn?: Turn,
): Promise<Principal | null> {
  if (config.OAUTH === "off" || !isOAuthToken(token)) return null;
  const [found] = await db.query<Found>(tokenByHash({ hash: hashKey(token), now: new Date() }), undefined, turn);
  const of: Turn = { queueClass: "short", tenant: found?.organizationId };
  const [row] = found ? await db.query<Row>(principalByGrant(found), undefined, of) : [];
  return row && found ? { ...row, kind: "oauth", expiresAt: found.expiresAt.getTime() } : null;
}

const tokenByHash = compiled("principal-by-oauth-token", ["hash", "now"], ({ hash, now }) =>
  knex("oauthToken")
    .where({ hash, kind: "access" })
    .where("expiresAt", ">", now)
    .select("organizationId", "grantId", "expiresAt"),
);

const principalByGrant = compiled(
  "principal-by-oauth-grant",
  ["organizationId", "grantId"],
  ({ organizationId, grantId }) =>
    knex("oauthGrant as g")
      .join("user as u", { "u.organizationId": "g.organizationId", "u.id": "g.userId", "u.active": knex.raw("true") })
      .where({ "g.organizationId": organizationId, "g.id": grantId })
      .select("g.id as credentialId", "g.organizationId", "g.userId", "u.accountId", "u.role", "g.scopes"),
);
