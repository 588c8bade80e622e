import { compiled, knex } from "../../../db/builder.ts";
import type { Database } from "../../../db/open.ts";
import { credentialsRevoked } from "../../auth/credential-cache.ts";
import { hashKey } from "../../auth/key.ts";
import { verifyPassword } from "../../auth/password.ts";
import type { Principal } from "../../auth/principal.ts";
import { authenticationError } from "../../errors.ts";
import type { Runtime } from "../../runtime.ts";
import { audit, type Queryable } from "../audit.ts";
import { chooseOrganization } from "../members/member.ts";
import { type Attempt, admitAttempt, network } from "../throttle.ts";
import type { Account } from "./sign-up.ts";
import { addRefreshToken, type Grant, openLogin, type TokenPair, tokenPair } from "./tokens.ts";

/** The input of a login; `address` is the guesser's, for the throttle. */
interface LogIn {
  email: string;
  password: string;
  organization?: string | undefined;
  address: string;
}

/**
 * Checks a password and begins a login.
 * @throws authenticationError with the same words, after the same time, for an unknown user and a wrong password;
 * rateLimited after too many failures; notFound for an organization that is not the account's.
 */
export async function logIn(runtime: Runtime, input: LogIn): Promise<TokenPair & { user: Account }> {
  const account = await checkPassword(runtime, input);
  const grant = await beginLogin(runtime.db, account, input.organization);
  return { ...(await tokenPair(runtime.secret, grant)), user: account };
}

/**
 * Finds the account of an address and a password, as one of the attempts that are counted.
 * @throws authenticationError, rateLimited as `logIn` does.
 */
export async function checkPassword({ db, config }: Runtime, input: LogIn): Promise<Account> {
  const attempt = config.LOGIN_THROTTLE === "on" ? await admitAttempt(db, input.email, input.address) : UNCOUNTED;
  const { account, right } = await checked(db, input).catch(async (error) => {
    // Nothing was guessed. Cleared instead of given back, a count could be emptied by overloading the server.
    await attempt.abandoned().catch(() => {});
    throw error;
  });
  if (!account || !right) {
    await attempt.failed();
    const detail = { email: input.email, address: input.address };
    await audit(db, { event: "login.failed", accountId: account?.id ?? null, detail });
    throw authenticationError("The e-mail address or the password is wrong.", { "WWW-Authenticate": "Bearer" });
  }
  await attempt.succeeded();
  return account;
}

const nothing = async () => {};
const UNCOUNTED: Attempt = { failed: nothing, succeeded: nothing, abandoned: nothing };

/** Whose account it is, if anybody's, and whether the password is right. */
async function checked(
  db: Database,
  { email, password, address }: LogIn,
): Promise<{ account?: Account; right: boolean }> {
  const [found] = await db.query<Account & { passwordHash: string | null }>(accountByEmail({ email }));
  const right = await verifyPassword(found?.passwordHash, password, network(address));
  return found ? { account: { id: found.id, email: found.email, name: found.name }, right } : { right };
}

const accountByEmail = compiled("account-by-email", ["email"], (by) =>
  knex("account").where(by).select("id", "email", "name", "passwordHash"),
);

/** Begins a login for an account whose holder has proved to be it. */
export function beginLogin(db: Database, account: Account, organization?: string): Promise<Grant> {
  return db.transaction((trx) => beginLoginWithin(trx, account, organization));
}

/** The same inside a transaction. */
export async function beginLoginWithin(trx: Queryable, { id }: Account, organization?: string): Promise<Grant> {
  const organizationId = await chooseOrganization(trx, { accountId: id, organization });
  const grant = await openLogin(trx, { accountId: id, organizationId });
  await audit(trx, { event: "login.began", organizationId, accountId: id, detail: { loginId: grant.loginId } });
  return grant;
}

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

/**
 * A new pair, within the same login, for another organization of the account. The pair in hand stays good.
 * @throws notFound when the account belongs to no such organization.
 */
export async function switchOrganization(
  { db, secret }: Runtime,
  { accountId, credentialId: loginId }: Principal,
  organization: string,
): Promise<TokenPair> {
  const grant = await db.transaction(async (trx) => {
    const organizationId = await chooseOrganization(trx, { accountId, organization });
    return addRefreshToken(trx, { accountId, loginId, organizationId });
  });
  return tokenPair(secret, grant);
}
