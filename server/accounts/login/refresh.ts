import { heldDate } from "../../../concurrency/held-clock.ts";
import { compileStatement, knex } from "../../../db/builder.ts";
import type { Transaction } from "../../../db/open.ts";
import { credentialsRevoked } from "../../auth/credential-cache.ts";
import { hashKey } from "../../auth/key.ts";
import { createFirstUseRecorder, judge, type Rotation, rotationColumns } from "../../auth/rotation.ts";
import { verifyAccessToken } from "../../auth/token.ts";
import { AppError, authenticationError } from "../../errors.ts";
import type { Runtime } from "../../runtime.ts";
import { audit } from "../audit.ts";
import { chooseOrganization } from "../members/member.ts";
import { markLoginRevoked } from "./log-in.ts";
import type { Account } from "./sign-up.ts";
import { addRefreshToken, type IssuedRefreshToken, REFRESH_MS, signTokenPair, type TokenPair } from "./tokens.ts";

interface Presented extends Rotation {
  loginId: string;
  accountId: string;
  organizationId: string | null;
  /**
   * The only organization that the login gives access to, if the login began at that organization's OpenID provider.
   */
  boundTo: string | null;
}

/**
 * Exchanges a refresh token for a new token pair. Each token can be used once, except after lost responses and for
 * parallel calls (`judge`). A replay revokes the whole login.
 * @throws authenticationError for an invalid token; notFound for an organization to which the account does not
 * belong.
 */
export async function refreshLogin(
  runtime: Runtime,
  input: { refreshToken: string; organization?: string | undefined },
): Promise<TokenPair> {
  const { db, secret } = runtime;
  const outcome = await db.transaction((trx) => rotate(trx, hashKey(input.refreshToken), input.organization));
  if (outcome === "replayed") credentialsRevoked(db);
  if (typeof outcome === "string") throw authenticationError(WORDS[outcome], { "WWW-Authenticate": "Bearer" });
  return signTokenPair(secret, outcome);
}

type Refused = keyof typeof WORDS;

const NO_LONGER_GOOD = "The refresh token is unknown, expired, or was used before; log in again.";
const WORDS = {
  unknown: NO_LONGER_GOOD,
  replayed: NO_LONGER_GOOD,
  retired: "Another refresh at the same time took this token's place; use the newest token of the login.",
};

/** Returns a replay instead of throwing, because the revocation must be committed. */
async function rotate(trx: Transaction, hash: Buffer, organization?: string): Promise<IssuedRefreshToken | Refused> {
  const now = heldDate();
  const token = await present(trx, hash, now);
  if (!token) return "unknown";
  const verdict = judge(token, now);
  if (verdict === "retired") return verdict;
  if (verdict === "replayed") {
    await markLoginRevoked(trx, token.loginId, now);
    await audit(trx, { event: "login.replayed", accountId: token.accountId, detail: { loginId: token.loginId } });
    return verdict;
  }
  const { accountId, loginId, boundTo } = token;
  const choice = { accountId, organization, preferredId: token.organizationId, boundTo };
  const organizationId = await chooseOrganization(trx, choice);
  if (boundTo && !organizationId) return "unknown";
  await noteFirstUse(trx, token, now);
  if (!token.rotatedAt) await trx.query(prolongLogin({ loginId, until: new Date(now.getTime() + REFRESH_MS) }));
  return addRefreshToken(trx, { accountId, loginId, organizationId }, hash);
}

/** Reads the token under a lock on its login, so that the family's tokens are judged one after another. */
async function present(trx: Transaction, hash: Buffer, now: Date): Promise<Presented | undefined> {
  const [login] = await trx.query<Pick<Presented, "accountId" | "boundTo">>(lockLogin({ hash, now }));
  if (!login) return undefined;
  // A separate statement, so that it sees the writes of the previous lock holder.
  const since = new Date(now.getTime() - REFRESH_MS);
  const [token] = await trx.query<Omit<Presented, "accountId" | "boundTo">>(readToken({ hash, since }));
  return token && { ...token, ...login };
}

const lockLogin = compileStatement("lock-login", ["hash", "now"], ({ hash, now }) =>
  knex("login")
    .where("id", knex("refreshToken").where({ hash }).select("loginId"))
    .whereNull("revokedAt")
    .where("expiresAt", ">", now)
    .forUpdate()
    .select("accountId", "organizationId as boundTo"),
);

const readToken = compileStatement("read-refresh-token", ["hash", "since"], ({ hash, since }) =>
  knex("refreshToken as t")
    .where({ hash })
    .where("createdAt", ">", since)
    .select("loginId", "organizationId", ...rotationColumns("refreshToken")),
);

const noteFirstUse = createFirstUseRecorder("refreshToken");

const prolongLogin = compileStatement("prolong-login", ["loginId", "until"], ({ loginId, until }) =>
  knex("login").where({ id: loginId }).update({ expiresAt: until }),
);

/** The account of a login, and the organization in which the login acts. */
interface Session {
  user: Account;
  organization: { id: string; name: string; urlKey: string; role: "owner" | "member" } | null;
}

/**
 * Resumes the login of a refresh token, and returns its account. A missing login is a result, not an error: a page
 * asks for the login first, and browsers report every failed request.
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

const sessionRow = compileStatement(
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
