import { compiled, knex } from "../../../db/builder.ts";
import type { Database } from "../../../db/open.ts";
import { credentialsRevoked } from "../../auth/credential-cache.ts";
import { hashKey } from "../../auth/key.ts";
import { audit, type Queryable } from "../audit.ts";

/**
 * Ends the login of a refresh token: every refresh token of the family, and its access tokens with them. An unknown
 * token is no error, since the caller's wish is already true (as in RFC 7009).
 */
export async function logOut(db: Database, refreshToken: string): Promise<void> {
  await db.transaction(async (trx) => {
    const [login] = await trx.query<{ id: string; accountId: string }>(loginOf({ hash: hashKey(refreshToken) }));
    if (!login) return;
    await endLogin(trx, login.id, new Date());
    await audit(trx, { event: "login.ended", accountId: login.accountId, detail: { loginId: login.id } });
  });
  credentialsRevoked(db);
}

/** Marks a login as ended. Call `credentialsRevoked` once it is committed. */
export async function endLogin(trx: Queryable, loginId: string, now: Date): Promise<void> {
  await trx.query(revokeLogin({ loginId, now }));
}

const loginOf = compiled("login-of-token", ["hash"], ({ hash }) =>
  knex("refreshToken as t")
    .join("login as l", "l.id", "t.loginId")
    .where({ "t.hash": hash, "l.revokedAt": null })
    .select("l.id", "l.accountId"),
);

const revokeLogin = compiled("revoke-login", ["loginId", "now"], ({ loginId, now }) =>
  knex("login").where({ id: loginId, revokedAt: null }).update({ revokedAt: now }),
);
