import { randomBytes } from "node:crypto";
import { createSemaphore } from "../../../concurrency/semaphore.ts";
import { knex, toStatement } from "../../../db/builder.ts";
import type { Database } from "../../../db/open.ts";
import { HOUR_MS } from "../../../formats/time.ts";
import { credentialsRevoked } from "../../auth/credential-cache.ts";
import { hashKey } from "../../auth/key.ts";
import { AppError, authenticationError, conflict, unavailable } from "../../errors.ts";
import type { Runtime } from "../../runtime.ts";
import { audit, type Queryable } from "../audit.ts";
import { mailServerOfSettings, mailSoon } from "../mail-server.ts";
import { countAgainst, network } from "../throttle.ts";
import { beginLoginWithin } from "./log-in.ts";
import type { Account } from "./sign-up.ts";
import { type TokenPair, tokenPair } from "./tokens.ts";

/** The life of a link: an hour. */
const RESET_MS = HOUR_MS;
/** Requests of an hour, from one network, and for one e-mail address. */
const PER_NETWORK = 20;
const PER_ADDRESS = 3;

/** Links are made one after the other, behind the answers: nothing of it is seen from outside. */
const behind = createSemaphore(2, {
  maxWaiting: 200,
  maxWaitMs: 10_000,
  refusal: () => unavailable("Too many requests for a new password; try again shortly.", 5),
});

/**
 * Has a link mailed by which the holder of an e-mail address chooses a new password. Answers the same, after the same work,
 * whether there is such an account or not: it is looked for afterwards.
 * @throws conflict `no_mail` where the server sends no mails; rateLimited after too many requests of a network
 */
export async function requestReset(runtime: Runtime, { email, address }: { email: string; address: string }) {
  if (!mailServerOfSettings(runtime.config))
    throw conflict("This server sends no mails; its operator makes a link that signs you in.", "no_mail");
  const refusal = "Too many requests for a new password; wait before the next one.";
  const rate = { windowMs: HOUR_MS, refusal };
  await countAgainst(runtime, { of: ["reset", network(address)], most: PER_NETWORK, ...rate });
  void behind
    .run(() => sendLink(runtime, email, rate))
    .catch((error) => runtime.log.warn({ err: error }, "a link for a new password was not sent"));
}

/** One address gets few mails, however many ask for them. */
async function sendLink(runtime: Runtime, email: string, rate: { windowMs: number; refusal: string }): Promise<void> {
  const { db, publicUrl } = runtime;
  const server = mailServerOfSettings(runtime.config);
  try {
    await countAgainst(runtime, { of: ["reset of", email], most: PER_ADDRESS, ...rate });
  } catch (error) {
    if (error instanceof AppError && error.kind === "ratelimited") return;
    throw error;
  }
  const [account] = await db.query<Account & { emailProvedAt: Date | null }>(
    toStatement(knex("account").where({ email }).select("id", "email", "name", "emailProvedAt")),
  );
  if (!account || !server) return;
  const token = randomBytes(32).toString("base64url");
  const row = { hash: hashKey(token), accountId: account.id, expiresAt: new Date(Date.now() + RESET_MS) };
  await db.transaction(async (trx) => {
    await trx.query(toStatement(knex("passwordReset").insert(row)));
    await audit(trx, { event: "password.resetAsked", accountId: account.id, detail: { email } });
  });
  await mailSoon(runtime, server, {
    to: [account.email],
    subject: "A new password for Trackway",
    paragraphs: [
      {
        text: "Somebody, most likely you, asked for a new password of your account. Choose it here, within an hour:",
        // The page asks at the first link who created the account.
        link: `${publicUrl}/#reset=${token}${account.emailProvedAt ? "" : "&unproved=1"}`,
      },
      { text: "Was it not you? Then do nothing: your password stays as it is." },
    ],
  });
}

/** A link that was presented, and the account that it is for. */
export interface Reset {
  token: string;
  accountId: string;
  /** False where nobody has proved before that the address is theirs. */
  proved: boolean;
}

/**
 * Finds the account that a link is for, and leaves the link good.
 * @throws authenticationError for a link that is unknown, used, or past its hour; rateLimited after too many tries
 */
export async function findReset(runtime: Runtime, token: string, address: string): Promise<Reset> {
  const refusal = "Too many links were tried; wait before the next one.";
  await countAgainst(runtime, { of: ["reset try", network(address)], most: PER_NETWORK, windowMs: HOUR_MS, refusal });
  const named = liveReset(token).join("account", "account.id", "accountId").select("accountId", "emailProvedAt");
  const [found] = await runtime.db.query<{ accountId: string; emailProvedAt: Date | null }>(toStatement(named));
  if (!found) throw spentLink();
  return { token, accountId: found.accountId, proved: found.emailProvedAt !== null };
}

const liveReset = (token: string) =>
  knex("passwordReset")
    .where({ hash: hashKey(token) })
    .where("expiresAt", ">", new Date());

/**
 * Locks out whoever uses an account: its password changes, its logins, links and identities at OpenID providers end.
 * The link in hand stays good.
 */
export async function lockOut(db: Database, { accountId, token }: Reset, passwordHash: string): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.query(toStatement(knex("account").where({ id: accountId }).update({ passwordHash })));
    await endLoginsAndLinks(trx, accountId, token);
    await trx.query(toStatement(knex("oidcIdentity").where({ accountId }).delete()));
  });
  credentialsRevoked(db);
}

/**
 * Sets the password of the account that a link is for, ends its other logins and links, and begins a login. The link came
 * by email alone: the account's address is proved from now on.
 * @throws authenticationError for a link that was used meanwhile
 */
export async function completeReset(
  { db, secret }: Runtime,
  { token, accountId, proved }: Reset,
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
    await audit(trx, { event: "password.reset", accountId, detail: { email } });
    if (!proved) await audit(trx, { event: "address.proved", accountId, detail: { email } });
    return { account, grant: await beginLoginWithin(trx, account) };
  });
  credentialsRevoked(db);
  return { ...(await tokenPair(secret, grant)), user: account };
}

/** Ends the logins of an account, and its links but one. */
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
  authenticationError("This link was used, or is older than an hour; ask for another one.", {
    "WWW-Authenticate": "Bearer",
  });
