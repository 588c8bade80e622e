import { definePreparedStatement, knex } from "../../../db/builder.ts";
import type { Database } from "../../../db/open.ts";
import { invalidateCredentialCache } from "../../auth/credential-cache.ts";
import { hashKey } from "../../auth/key.ts";
import { verifyPassword } from "../../auth/password.ts";
import type { Principal } from "../../auth/principal.ts";
import { authenticationError } from "../../errors.ts";
import type { Runtime } from "../../runtime.ts";
import { type Queryable, writeAuditEntry } from "../audit.ts";
import { selectOrganizationForTokens } from "../members/member.ts";
import { admitLoginAttempt, type LoginAttempt, toNetworkKey } from "../throttle.ts";
import type { Account } from "./sign-up.ts";
import {
  addRefreshToken,
  type IssuedRefreshToken,
  insertLoginWithRefreshToken,
  signTokenPair,
  type TokenPair,
} from "./tokens.ts";

/** Input of a login. `address` is the caller's network address, for the throttle. */
interface LogIn {
  email: string;
  password: string;
  organization?: string | undefined;
  address: string;
}

/**
 * Checks a password and begins a login.
 * @throws authenticationError with the same message after the same time for an unknown user and a wrong password;
 * rateLimited after too many failures; notFound for an organization to which the account does not belong.
 */
export async function createPasswordLogin(runtime: Runtime, input: LogIn): Promise<TokenPair & { user: Account }> {
  const account = await authenticateByPassword(runtime, input);
  const grant = await beginLogin(runtime.db, account, input.organization);
  return { ...(await signTokenPair(runtime.secret, grant)), user: account };
}

/**
 * Finds the account of an email address and a password, and counts the attempt.
 * @throws authenticationError, rateLimited as `logIn` does.
 */
export async function authenticateByPassword({ db, config }: Runtime, input: LogIn): Promise<Account> {
  const attempt = config.LOGIN_THROTTLE === "on" ? await admitLoginAttempt(db, input.email, input.address) : UNCOUNTED;
  const { account, right } = await checked(db, input).catch(async (error) => {
    // No password was checked, so only this attempt is subtracted. If the whole count were cleared, an attacker could
    // reset the count by overloading the server.
    await attempt.abandoned().catch(() => {});
    throw error;
  });
  if (!account || !right) {
    await attempt.failed();
    const detail = { email: input.email, address: input.address };
    await writeAuditEntry(db, { event: "login.failed", accountId: account?.id ?? null, detail });
    throw authenticationError("The email address or the password is wrong.", { "WWW-Authenticate": "Bearer" });
  }
  await attempt.succeeded();
  return account;
}

const nothing = async () => {};
const UNCOUNTED: LoginAttempt = { failed: nothing, succeeded: nothing, abandoned: nothing };

/** Returns the account of the address, if any, and whether the password is correct. */
async function checked(
  db: Database,
  { email, password, address }: LogIn,
): Promise<{ account?: Account; right: boolean }> {
  const [found] = await db.query<Account & { passwordHash: string | null }>(accountByEmail({ email }));
  const right = await verifyPassword(found?.passwordHash, password, toNetworkKey(address));
  return found ? { account: { id: found.id, email: found.email, name: found.name }, right } : { right };
}

const accountByEmail = definePreparedStatement("account-by-email", ["email"], (by) =>
  knex("account").where(by).select("id", "email", "name", "passwordHash"),
);

/** Begins a login for an account whose holder has proved their identity. */
export function beginLogin(db: Database, account: Account, organization?: string): Promise<IssuedRefreshToken> {
  return db.transaction((trx) => beginLoginWithin(trx, account, organization));
}

/** Begins a login inside a transaction. */
export async function beginLoginWithin(
  trx: Queryable,
  { id }: Account,
  organization?: string,
): Promise<IssuedRefreshToken> {
  const organizationId = await selectOrganizationForTokens(trx, { accountId: id, organization });
  const grant = await insertLoginWithRefreshToken(trx, { accountId: id, organizationId });
  await writeAuditEntry(trx, {
    event: "login.began",
    organizationId,
    accountId: id,
    detail: { loginId: grant.loginId },
  });
  return grant;
}

/**
 * Revokes the login of a refresh token, with all refresh tokens of the family and their access tokens. An unknown
 * token is no error, because the caller's goal is already reached (RFC 7009).
 */
export async function logOut(db: Database, refreshToken: string): Promise<void> {
  await db.transaction(async (trx) => {
    const [login] = await trx.query<{ id: string; accountId: string }>(loginOf({ hash: hashKey(refreshToken) }));
    if (!login) return;
    await markLoginRevoked(trx, login.id, new Date());
    await writeAuditEntry(trx, { event: "login.ended", accountId: login.accountId, detail: { loginId: login.id } });
  });
  invalidateCredentialCache(db);
}

/** Marks a login as revoked. Call `invalidateCredentialCache` after the commit. */
export async function markLoginRevoked(trx: Queryable, loginId: string, now: Date): Promise<void> {
  await trx.query(revokeLogin({ loginId, now }));
}

const loginOf = definePreparedStatement("login-of-token", ["hash"], ({ hash }) =>
  knex("refreshToken as t")
    .join("login as l", "l.id", "t.loginId")
    .where({ "t.hash": hash, "l.revokedAt": null })
    .select("l.id", "l.accountId"),
);

const revokeLogin = definePreparedStatement("revoke-login", ["loginId", "now"], ({ loginId, now }) =>
  knex("login").where({ id: loginId, revokedAt: null }).update({ revokedAt: now }),
);

/**
 * Returns a new token pair in the same login, for another organization of the account. The current pair stays valid.
 * @throws notFound if the account does not belong to the organization.
 */
export async function switchOrganization(
  { db, secret }: Runtime,
  { accountId, credentialId: loginId }: Principal,
  organization: string,
): Promise<TokenPair> {
  const grant = await db.transaction(async (trx) => {
    const organizationId = await selectOrganizationForTokens(trx, { accountId, organization });
    return addRefreshToken(trx, { accountId, loginId, organizationId });
  });
  return signTokenPair(secret, grant);
}
