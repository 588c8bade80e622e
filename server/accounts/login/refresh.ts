import { compiled, knex } from "../../../db/builder.ts";
import type { Transaction } from "../../../db/open.ts";
import { credentialsRevoked } from "../../auth/credential-cache.ts";
import { hashKey } from "../../auth/key.ts";
import { firstUseOf, judge, type Rotation, rotationColumns } from "../../auth/rotation.ts";
import { verifyAccessToken } from "../../auth/token.ts";
import { AppError, authenticationError } from "../../errors.ts";
import type { Runtime } from "../../runtime.ts";
import { audit } from "../audit.ts";
import { chooseOrganization } from "../members/member.ts";
import { endLogin } from "./log-in.ts";
import type { Account } from "./sign-up.ts";
import { addRefreshToken, type Grant, REFRESH_MS, type TokenPair, tokenPair } from "./tokens.ts";

interface Presented extends Rotation {
  loginId: string;
  accountId: string;
  organizationId: string | null;
  /** The one organization that the login opens, if it was begun by the OpenID provider of one. */
  boundTo: string | null;
}

/**
 * Trades a refresh token for a new pair. Each token is good once, but for lost answers and parallel calls (`judge`); a
 * replay ends the whole login.
 * @throws authenticationError for every token that is not good; notFound for an organization that is not the account's.
 */
export async function refresh(
  runtime: Runtime,
  input: { refreshToken: string; organization?: string | undefined },
): Promise<TokenPair> {
  const { db, secret } = runtime;
  const outcome = await db.transaction((trx) => rotate(trx, hashKey(input.refreshToken), input.organization));
  if (outcome === "replayed") credentialsRevoked(db);
  if (typeof outcome === "string") throw authenticationError(WORDS[outcome], { "WWW-Authenticate": "Bearer" });
  return tokenPair(secret, outcome);
}

type Refused = keyof typeof WORDS;

const NO_LONGER_GOOD = "The refresh token is unknown, expired, or was used before; log in again.";
const WORDS = {
  unknown: NO_LONGER_GOOD,
  replayed: NO_LONGER_GOOD,
  retired: "Another refresh at the same time took this token's place; use the newest token of the login.",
};

/** A replay's revocation must commit, so it is returned and not thrown. */
async function rotate(trx: Transaction, hash: Buffer, organization?: string): Promise<Grant | Refused> {
  const now = new Date();
  const token = await present(trx, hash, now);
  if (!token) return "unknown";
  const verdict = judge(token, now);
  if (verdict === "retired") return verdict;
  if (verdict === "replayed") {
    await endLogin(trx, token.loginId, now);
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

/** Reads the token under a lock on its login, so that the family's tokens are judged one after the other. */
async function present(trx: Transaction, hash: Buffer, now: Date): Promise<Presented | undefined> {
  const [login] = await trx.query<Pick<Presented, "accountId" | "boundTo">>(lockLogin({ hash, now }));
  if (!login) return undefined;
  // A statement of its own: it must see what the holder of the lock wrote before us.
  const since = new Date(now.getTime() - REFRESH_MS);
  const [token] = await trx.query<Omit<Presented, "accountId" | "boundTo">>(readToken({ hash, since }));
  return token && { ...token, ...login };
}

const lockLogin = compiled("lock-login", ["hash", "now"], ({ hash, now }) =>
  knex("login")
    .where("id", knex("refreshToken").where({ hash }).select("loginId"))
    .whereNull("revokedAt")
    .where("expiresAt", ">", now)
    .forUpdate()
    .select("accountId", "organizationId as boundTo"),
);

const readToken = compiled("read-refresh-token", ["hash", "since"], ({ hash, since }) =>
  knex("refreshToken as t")
    .where({ hash })
    .where("createdAt", ">", since)
    .select("loginId", "organizationId", ...rotationColumns("refreshToken")),
);

const noteFirstUse = firstUseOf("refreshToken");

const prolongLogin = compiled("prolong-login", ["loginId", "until"], ({ loginId, until }) =>
  knex("login").where({ id: loginId }).update({ expiresAt: until }),
);

/** A login: its account, and the organization it acts in. */
interface Session {
  user: Account;
  organization: { id: string; name: string; urlKey: string; role: "owner" | "member" } | null;
}

/**
 * Goes on with the login of a refresh token, and says whose it is. That nobody is signed in is an answer, not a
 * failure: a page asks this first of all, and its browser would report every refusal.
 */
export async function resume(
  runtime: Runtime,
  refreshToken: string | undefined,
): Promise<(TokenPair & Session) | undefined> {
  if (!refreshToken) return undefined;
  try {
    const pair = await refresh(runtime, { refreshToken });
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

const sessionRow = compiled("session-of-account", ["accountId", "organizationId"], ({ accountId, organizationId }) =>
  knex("account as a")
    .leftJoin("user as u", (on) =>
      on.onVal("u.organizationId", organizationId).on("u.accountId", "a.id").on("u.active", knex.raw("true")),
    )
    .leftJoin("organization as o", "o.id", "u.organizationId")
    .where("a.id", accountId)
    .select("a.id", "a.email", "a.name", "u.role", "o.urlKey", { organizationId: "o.id", organizationName: "o.name" }),
);
