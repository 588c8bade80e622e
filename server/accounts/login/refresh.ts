import { getMonotonicDate } from "../../../concurrency/held-clock.ts";
import { definePreparedStatement, knex } from "../../../db/builder.ts";
import type { Transaction } from "../../../db/open.ts";
import { invalidateCredentialCache } from "../../auth/credential-cache.ts";
import { hashKey } from "../../auth/key.ts";
import {
  createTokenFirstUseRecorder,
  judgeRefreshToken,
  type RefreshTokenState,
  refreshTokenStateColumns,
} from "../../auth/rotation.ts";
import { verifyAccessToken } from "../../auth/token.ts";
import { AppError, authenticationError } from "../../errors.ts";
import type { Runtime } from "../../runtime.ts";
import { writeAuditEntry } from "../audit.ts";
import { selectOrganizationForTokens } from "../members/member.ts";
import { markLoginRevoked } from "./log-in.ts";
import type { Account } from "./sign-up.ts";
import {
  addRefreshToken,
  type IssuedRefreshToken,
  REFRESH_TOKEN_LIFETIME_MS,
  signTokenPair,
  type TokenPair,
} from "./tokens.ts";

interface Presented extends RefreshTokenState {
  loginId: string;
  accountId: string;
  organizationId: string | null;
  /**
   * The only organization that the login gives access to, if the login began at that organization's OpenID provider.
   */
  boundTo: string | null;
}

/**
 * Exchanges a refresh token for a new token pair. A token can be used only once, except after a lost response or in
 * parallel calls (`judgeRefreshToken` decides). A replay revokes the whole login.
 * @throws authenticationError for an invalid token; notFound for an organization to which the account does not belong.
 */
export async function refreshLogin(
  runtime: Runtime,
  input: { refreshToken: string; organization?: string | undefined },
): Promise<TokenPair> {
  const { db, secret } = runtime;
  const outcome = await db.transaction((trx) => rotate(trx, hashKey(input.refreshToken), input.organization));
  if (outcome === "replayed") invalidateCredentialCache(db);
  if (typeof outcome === "string") throw authenticationError(WORDS[outcome], { "WWW-Authenticate": "Bearer" });
  return signTokenPair(secret, outcome);
}

type Refused = keyof typeof WORDS;

const NO_LONGER_GOOD = "The refresh token is unknown, expired or already used; log in again.";
const WORDS = {
  unknown: NO_LONGER_GOOD,
  replayed: NO_LONGER_GOOD,
  retired: "Another request refreshed this login at the same time; use the login's newest refresh token.",
};

/**
 * Exchanges the token within a transaction. After a replay, returns `replayed` instead of throwing, because an error
 * would roll back the revocation of the login.
 */
async function rotate(trx: Transaction, hash: Buffer, organization?: string): Promise<IssuedRefreshToken | Refused> {
  const now = getMonotonicDate();
  const token = await present(trx, hash, now);
  if (!token) return "unknown";
  const verdict = judgeRefreshToken(token, now);
  if (verdict === "retired") return verdict;
  if (verdict === "replayed") {
    await markLoginRevoked(trx, token.loginId, now);
    await writeAuditEntry(trx, {
      event: "login.replayed",
      accountId: token.accountId,
      detail: { loginId: token.loginId },
    });
    return verdict;
  }
  const { accountId, loginId, boundTo } = token;
  const choice = { accountId, organization, preferredId: token.organizationId, boundTo };
  const organizationId = await selectOrganizationForTokens(trx, choice);
  if (boundTo && !organizationId) return "unknown";
  await noteFirstUse(trx, token, now);
  if (!token.rotatedAt)
    await trx.query(prolongLogin({ loginId, until: new Date(now.getTime() + REFRESH_TOKEN_LIFETIME_MS) }));
  return addRefreshToken(trx, { accountId, loginId, organizationId }, hash);
}

/**
 * Reads the refresh token. Locks the token's login first, so that two tokens of the same login are never judged at the
 * same time.
 */
async function present(trx: Transaction, hash: Buffer, now: Date): Promise<Presented | undefined> {
  const [login] = await trx.query<Pick<Presented, "accountId" | "boundTo">>(lockLogin({ hash, now }));
  if (!login) return undefined;
  // The read is a separate statement after the lock, so that it includes the changes of the previous lock holder.
  const since = new Date(now.getTime() - REFRESH_TOKEN_LIFETIME_MS);
  const [token] = await trx.query<Omit<Presented, "accountId" | "boundTo">>(readToken({ hash, since }));
  return token && { ...token, ...login };
}

const lockLogin = definePreparedStatement("lock-login", ["hash", "now"], ({ hash, now }) =>
  knex("login")
    .where("id", knex("refreshToken").where({ hash }).select("loginId"))
    .whereNull("revokedAt")
    .where("expiresAt", ">", now)
    .forUpdate()
    .select("accountId", "organizationId as boundTo"),
);

const readToken = definePreparedStatement("read-refresh-token", ["hash", "since"], ({ hash, since }) =>
  knex("refreshToken as t")
    .where({ hash })
    .where("createdAt", ">", since)
    .select("loginId", "organizationId", ...refreshTokenStateColumns("refreshToken")),
);

const noteFirstUse = createTokenFirstUseRecorder("refreshToken");

const prolongLogin = definePreparedStatement("prolong-login", ["loginId", "until"], ({ loginId, until }) =>
  knex("login").where({ id: loginId }).update({ expiresAt: until }),
);

/** The account of a login, and the organization in which the login acts. */
interface Session {
  user: Account;
  organization: { id: string; name: string; urlKey: string; role: "owner" | "member" } | null;
}

/**
 * Resumes the login of a refresh token, and returns the account and new tokens. Returns undefined instead of an error
 * if no login exists: each page first checks for a login, and browsers report every failed request.
 */
export async function resumeLogin(
  runtime: Runtime,
  refreshToken: string | undefined,
): Promise<(TokenPair & Session) | undefined> {
  if (!refreshToken) return undefined;
  try {
    const pair = await refreshLogin(runtime, { refreshToken });
    const session = await sessionOf(runtime, pair.accessToken);
    return session && { ...pair, ...session };
  } catch (error) {
    if (error instanceof AppError && error.kind === "authentication") return undefined;
    throw error;
  }
}

interface Row extends Account {
  organizationId: string | null;
  organizationName: string;
  urlKey: string;
  role: "owner" | "member";
}

async function sessionOf({ db, secret }: Runtime, accessToken: string): Promise<Session | undefined> {
  const claims = await verifyAccessToken(secret, accessToken);
  if (!claims) return undefined;
  const { accountId, organizationId } = claims;
  const [row] = await db.query<Row>(sessionRow({ accountId, organizationId }));
  if (!row) return undefined;
  const { id, email, name, organizationName, urlKey, role } = row;
  const organization = row.organizationId ? { id: row.organizationId, name: organizationName, urlKey, role } : null;
  return { user: { id, email, name }, organization };
}

const sessionRow = definePreparedStatement(
  "session-of-account",
  ["accountId", "organizationId"],
  ({ accountId, organizationId }) =>
    knex("account as a")
      .leftJoin("user as u", (on) =>
        on.onVal("u.organizationId", organizationId).on("u.accountId", "a.id").on("u.active", knex.raw("true")),
      )
      .leftJoin("organization as o", "o.id", "u.organizationId")
      .where("a.id", accountId)
      .select("a.id", "a.email", "a.name", "u.role", "o.urlKey", {
        organizationId: "o.id",
        organizationName: "o.name",
      }),
);
