import { randomBytes } from "node:crypto";
import { getMonotonicDate, getMonotonicEpochMs } from "../../../concurrency/held-clock.ts";
import { createSemaphore } from "../../../concurrency/semaphore.ts";
import { knex, toStatement } from "../../../db/builder.ts";
import type { Database } from "../../../db/open.ts";
import { HOUR_MS } from "../../../formats/time.ts";
import { invalidateCredentialCache } from "../../auth/credential-cache.ts";
import { hashKey } from "../../auth/key.ts";
import { AppError, authenticationError, conflict, unavailable } from "../../errors.ts";
import type { Runtime } from "../../runtime.ts";
import { type Queryable, writeAuditEntry } from "../audit.ts";
import { parseConfiguredMailServer, sendMailWithSecret } from "../mail-server.ts";
import { enforceLimitsIfThrottling, toNetworkKey } from "../throttle.ts";
import { beginLoginWithin } from "./log-in.ts";
import type { Account } from "./sign-up.ts";
import { signTokenPair, type TokenPair } from "./tokens.ts";

/** Lifetime of a reset link: one hour. */
const RESET_MS = HOUR_MS;
/** Maximum number of reset requests per hour from one network, and for one email address. */
const PER_NETWORK = 20;
const PER_ADDRESS = 3;

/**
 * Queue for the creation of reset links, two at a time. The response does not wait for the link, so that the response
 * time does not reveal whether the account exists.
 */
const behind = createSemaphore(2, {
  maxWaiting: 200,
  maxWaitMs: 10_000,
  refusal: () => unavailable("Too many password reset requests; try again shortly.", 5),
});

/**
 * Sends an email with a link for choosing a new password. The response and its timing do not reveal whether the
 * account exists, because the server looks up the account afterwards.
 * @throws conflict `no_mail` if the server cannot send emails; rateLimited after too many requests from a network
 */
export async function requestPasswordReset(runtime: Runtime, { email, address }: { email: string; address: string }) {
  if (!parseConfiguredMailServer(runtime.config))
    throw conflict("This server cannot send email; ask its operator for a sign-in link.", "no_mail");
  const refusal = "Too many password reset requests; wait before you try again.";
  const rate = { windowMs: HOUR_MS, refusal };
  await enforceLimitsIfThrottling(runtime, { of: ["reset", toNetworkKey(address)], most: PER_NETWORK, ...rate });
  void behind
    .run(() => sendLink(runtime, email, rate))
    .catch((error) => runtime.log.warn({ err: error }, "the email with a password reset link was not sent"));
}

/** Sends the reset link by email. Limits how many emails one address receives, even if the requests come from many networks. */
async function sendLink(runtime: Runtime, email: string, rate: { windowMs: number; refusal: string }): Promise<void> {
  const { db, publicUrl } = runtime;
  const server = parseConfiguredMailServer(runtime.config);
  try {
    await enforceLimitsIfThrottling(runtime, { of: ["reset of", email], most: PER_ADDRESS, ...rate });
  } catch (error) {
    if (error instanceof AppError && error.kind === "ratelimited") return;
    throw error;
  }
  const [account] = await db.query<Account & { emailProvedAt: Date | null }>(
    toStatement(knex("account").where({ email }).select("id", "email", "name", "emailProvedAt")),
  );
  if (!account || !server) return;
  const token = randomBytes(32).toString("base64url");
  const row = { hash: hashKey(token), accountId: account.id, expiresAt: new Date(getMonotonicEpochMs() + RESET_MS) };
  await db.transaction(async (trx) => {
    await trx.query(toStatement(knex("passwordReset").insert(row)));
    await writeAuditEntry(trx, { event: "password.resetAsked", accountId: account.id, detail: { email } });
  });
  await sendMailWithSecret(runtime, server, {
    to: [account.email],
    subject: "Reset your Trackway password",
    paragraphs: [
      {
        text: "Somebody, probably you, asked to reset the password of your account. Choose a new password within one hour:",
        // If nobody has proved the account's email address yet, the page also asks who created the account.
        link: `${publicUrl}/#reset=${token}${account.emailProvedAt ? "" : "&unproved=1"}`,
      },
      { text: "If you did not ask for this email, ignore it. Your password does not change." },
    ],
  });
}

/** A presented reset link, and its account. */
export interface PasswordResetLink {
  token: string;
  accountId: string;
  /** False if nobody has proved yet that the email address is theirs. */
  proved: boolean;
}

/**
 * Finds the account of a reset link without using up the link.
 * @throws authenticationError for an unknown, used or expired link; rateLimited after too many attempts
 */
export async function findPasswordResetLink(
  runtime: Runtime,
  token: string,
  address: string,
): Promise<PasswordResetLink> {
  const refusal = "Too many reset links were opened from your network; wait before you open the next one.";
  await enforceLimitsIfThrottling(runtime, {
    of: ["reset try", toNetworkKey(address)],
    most: PER_NETWORK,
    windowMs: HOUR_MS,
    refusal,
  });
  const named = liveReset(token).join("account", "account.id", "accountId").select("accountId", "emailProvedAt");
  const [found] = await runtime.db.query<{ accountId: string; emailProvedAt: Date | null }>(toStatement(named));
  if (!found) throw spentLink();
  return { token, accountId: found.accountId, proved: found.emailProvedAt !== null };
}

const liveReset = (token: string) =>
  knex("passwordReset")
    .where({ hash: hashKey(token) })
    .where("expiresAt", ">", getMonotonicDate());

/**
 * Locks everybody out of an account: changes its password, revokes its logins and links, and deletes its identities
 * at OpenID providers. The presented link stays valid.
 */
export async function lockOutAccount(
  db: Database,
  { accountId, token }: PasswordResetLink,
  passwordHash: string,
): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.query(toStatement(knex("account").where({ id: accountId }).update({ passwordHash })));
    await endLoginsAndLinks(trx, accountId, token);
    await trx.query(toStatement(knex("oidcIdentity").where({ accountId }).delete()));
  });
  invalidateCredentialCache(db);
}

/**
 * Sets the password of a reset link's account, revokes the account's other logins and links, and begins a login. The
 * link was sent only by email, so the account's address counts as proved from now on.
 * @throws authenticationError for a link that was used in the meantime
 */
export async function completePasswordReset(
  { db, secret }: Runtime,
  { token, accountId, proved }: PasswordResetLink,
  passwordHash: string,
): Promise<TokenPair & { user: Account }> {
  const { account, grant } = await db.transaction(async (trx) => {
    const spent = await trx.query(toStatement(liveReset(token).delete("accountId")));
    const values = { passwordHash, ...(!proved && { emailProvedAt: new Date() }) };
    const change = knex("account").where({ id: accountId }).update(values, ["id", "email", "name"]);
    const [account] = spent.length > 0 ? await trx.query<Account>(toStatement(change)) : [];
    if (!account) throw spentLink();
    await endLoginsAndLinks(trx, accountId);
    const { email } = account;
    await writeAuditEntry(trx, { event: "password.reset", accountId, detail: { email } });
    if (!proved) await writeAuditEntry(trx, { event: "address.proved", accountId, detail: { email } });
    return { account, grant: await beginLoginWithin(trx, account) };
  });
  invalidateCredentialCache(db);
  return { ...(await signTokenPair(secret, grant)), user: account };
}

/**
 * Revokes the logins of an account, and deletes the account's sign-in and reset links. The reset link with the token
 * `kept` stays.
 */
async function endLoginsAndLinks(trx: Queryable, accountId: string, kept = ""): Promise<void> {
  await trx.query(
    toStatement(
      knex("passwordReset")
        .where({ accountId })
        .whereNot({ hash: hashKey(kept) })
        .delete(),
    ),
  );
  await trx.query(toStatement(knex("welcome").where({ accountId }).delete()));
  await trx.query(toStatement(knex("login").where({ accountId, revokedAt: null }).update({ revokedAt: new Date() })));
}

const spentLink = () =>
  authenticationError("This link was already used or is older than one hour; request a new link.", {
    "WWW-Authenticate": "Bearer",
  });
