import type { Database } from "../../db/open.ts";
import { credentialsRevoked } from "../auth/credential-cache.ts";
import { hashKey } from "../auth/key.ts";
import { audit, type Queryable } from "./audit.ts";

/**
 * Ends the login a refresh token belongs to: every refresh token of the family, and its access tokens with them.
 * An unknown token is no error, since what the caller wants is already so (as in RFC 7009).
 */
export async function logOut(db: Database, refreshToken: string): Promise<void> {
  await db.transaction(async (trx) => {
    const [login] = await trx.query<{ id: string; accountId: string }>({
      text: `select l.id, l."accountId" from "refreshToken" t join login l on l.id = t."loginId"
              where t.hash = $1 and l."revokedAt" is null`,
      values: [hashKey(refreshToken)],
    });
    if (!login) return;
    await endLogin(trx, login.id, new Date());
    await audit(trx, { event: "login.ended", accountId: login.accountId, detail: { loginId: login.id } });
  });
  credentialsRevoked(db);
}

/** Marks a login as ended. Call `credentialsRevoked` once it is committed. */
export async function endLogin(trx: Queryable, loginId: string, now: Date): Promise<void> {
  await trx.query({
    text: `update login set "revokedAt" = $2 where id = $1 and "revokedAt" is null`,
    values: [loginId, now],
  });
}
