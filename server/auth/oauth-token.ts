import { compiled, knex } from "../../db/builder.ts";
import type { Runtime } from "../runtime.ts";
import { hashKey, isOAuthToken } from "./key.ts";
import type { Principal } from "./principal.ts";
import type { OAuthScope } from "./scopes.ts";

interface Row {
  credentialId: string;
  organizationId: string;
  userId: string;
  accountId: string;
  role: "owner" | "member";
  scopes: OAuthScope[];
  expiresAt: Date;
}

/** On whose behalf an OAuth access token acts; null for one that is unknown or ended, and while OAuth is off. */
export async function principalOfOAuthToken({ db, config }: Runtime, token: string): Promise<Principal | null> {
  if (config.OAUTH === "off" || !isOAuthToken(token)) return null;
  const [row] = await db.query<Row>(principalByToken({ hash: hashKey(token), now: new Date() }));
  return row ? { ...row, kind: "oauth", expiresAt: row.expiresAt.getTime() } : null;
}

const principalByToken = compiled("principal-by-oauth-token", ["hash", "now"], ({ hash, now }) =>
  knex("oauthToken as t")
    .join("oauthGrant as g", { "g.organizationId": "t.organizationId", "g.id": "t.grantId" })
    .join("user as u", { "u.organizationId": "g.organizationId", "u.id": "g.userId", "u.active": knex.raw("true") })
    .where({ "t.hash": hash, "t.kind": "access" })
    .where("t.expiresAt", ">", now)
    .select("g.id as credentialId", "g.organizationId", "g.userId", "u.accountId", "u.role", "g.scopes", "t.expiresAt"),
);
