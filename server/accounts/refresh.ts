import type { Transaction } from "../../db/open.ts";
import { credentialsRevoked } from "../auth/credential-cache.ts";
import { hashKey } from "../auth/key.ts";
import { authenticationError } from "../errors.ts";
import type { Runtime } from "../runtime.ts";
import { audit } from "./audit.ts";
import { endLogin } from "./log-out.ts";
import { chooseOrganization } from "./membership.ts";
import { addRefreshToken, type Grant, REFRESH_MS, type TokenPair, tokenPair } from "./tokens.ts";

/** For this long after its first use a token may be used again, in case the answer was lost or calls ran side by side. */
const REPEAT_MS = 10_000;

interface Presented {
  loginId: string;
  accountId: string;
  organizationId: string | null;
  parentHash: Buffer | null;
  createdAt: Date;
  rotatedAt: Date | null;
  retiredAt: Date | null;
  /** Whether a successor of this token has been used: then this one is nobody's newest any more. */
  superseded: boolean;
}

/**
 * Trades a refresh token for a new pair. Each token is good once, with two mercies: the immediate parent may repeat
 * within 10 s and gets a sibling, and the first sibling used retires the others. Any other second use is a replay by
 * a thief or after one, and ends the whole login (decisions §5).
 * @throws authenticationError for every token that is not good; notFound for an organization that is not the account's.
 */
export async function refresh(
  runtime: Runtime,
  input: { refreshToken: string; organization?: string | undefined },
): Promise<TokenPair> {
  const { db, secret } = runtime;
  const outcome = await db.transaction((trx) => rotate(trx, hashKey(input.refreshToken), input.organization));
  if (outcome === "replayed") credentialsRevoked(db);
  if (typeof outcome === "string") {
    throw authenticationError("The refresh token is unknown, expired, or was used before; log in again.", {
      "WWW-Authenticate": "Bearer",
    });
  }
  return tokenPair(secret, outcome);
}

/** A replay's revocation must commit, so it is returned and not thrown. */
async function rotate(trx: Transaction, hash: Buffer, organization?: string): Promise<Grant | "unknown" | "replayed"> {
  const now = new Date();
  const token = await present(trx, hash, now);
  if (!token) return "unknown";
  if (!mayBeUsed(token, now)) {
    await endLogin(trx, token.loginId, now);
    await audit(trx, { event: "login.replayed", accountId: token.accountId, detail: { loginId: token.loginId } });
    return "replayed";
  }
  const { accountId, loginId } = token;
  const organizationId = await chooseOrganization(trx, { accountId, organization, preferredId: token.organizationId });
  if (!token.rotatedAt) await markUsed(trx, { ...token, hash }, now);
  return addRefreshToken(trx, { accountId, loginId, organizationId }, hash);
}

/** Reads the token under a lock on its login, so that the family's tokens are judged one after the other. */
async function present(trx: Transaction, hash: Buffer, now: Date): Promise<Presented | undefined> {
  const [login] = await trx.query<{ id: string; accountId: string }>({
    text: `select l.id, l."accountId" from login l
            where l.id = (select "loginId" from "refreshToken" where hash = $1)
              and l."revokedAt" is null and l."expiresAt" > $2
              for update`,
    values: [hash, now],
  });
  if (!login) return undefined;
  // A statement of its own: it must see what the holder of the lock wrote before us.
  const [token] = await trx.query<Omit<Presented, "accountId">>({
    text: `select t."loginId", t."organizationId", t."parentHash", t."createdAt", t."rotatedAt", t."retiredAt",
                  exists (select from "refreshToken" c where c."parentHash" = t.hash and c."rotatedAt" is not null) as superseded
             from "refreshToken" t where t.hash = $1 and t."createdAt" > $2`,
    values: [hash, new Date(now.getTime() - REFRESH_MS)],
  });
  return token && { ...token, accountId: login.accountId };
}

function mayBeUsed(token: Presented, now: Date): boolean {
  if (token.retiredAt || token.superseded) return false;
  return !token.rotatedAt || now.getTime() - token.rotatedAt.getTime() <= REPEAT_MS;
}

async function markUsed(trx: Transaction, token: Presented & { hash: Buffer }, now: Date): Promise<void> {
  await trx.query({
    text: `update "refreshToken" set "rotatedAt" = $2 where hash = $1`,
    values: [token.hash, now],
  });
  await trx.query({
    text: `update "refreshToken" set "retiredAt" = $3 where "parentHash" = $1 and hash <> $2 and "retiredAt" is null`,
    values: [token.parentHash, token.hash, now],
  });
  await trx.query({
    text: `update login set "expiresAt" = $2 where id = $1`,
    values: [token.loginId, new Date(now.getTime() + REFRESH_MS)],
  });
}
