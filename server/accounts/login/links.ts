import { randomBytes } from "node:crypto";
import { createSemaphore } from "../../../concurrency/semaphore.ts";
import { compiled, knex, toStatement } from "../../../db/builder.ts";
import type { Database } from "../../../db/open.ts";
import { DAY_MS, HOUR_MS } from "../../../formats/time.ts";
import { credentialsRevoked } from "../../auth/credential-cache.ts";
import { hashKey } from "../../auth/key.ts";
import { hashPassword } from "../../auth/password.ts";
import { AppError, authenticationError, conflict, unavailable } from "../../errors.ts";
import type { Runtime } from "../../runtime.ts";
import { audit, type Queryable } from "../audit.ts";
import { mailServerOfSettings, mailSoon } from "../mail-server.ts";
import { countAgainst, network } from "../throttle.ts";
import { beginLoginWithin } from "./log-in.ts";
import type { Account } from "./sign-up.ts";
import { type TokenPair, tokenPair } from "./tokens.ts";

/** The life of a sign-in link, in ms. */
const WELCOME_MS = DAY_MS;

/** Makes the code of a link that signs an account in once, within 24 h. Only its hash is stored. */
export async function mintWelcome(db: Database, accountId: string): Promise<string> {
  const code = randomBytes(24).toString("base64url");
  await db.query(insertWelcome({ hash: hashKey(code), accountId, expiresAt: new Date(Date.now() + WELCOME_MS) }));
  return code;
}

/**
 * Begins a login by the code of a link, and spends the code. An account without a password gets the one given.
 * @throws authenticationError for a code that is unknown, used or past its time; conflict `password_needed`, which
 * leaves the code good, for an account without a password
 */
export async function acceptWelcome(
  runtime: Runtime,
  { code, password }: { code: string; password?: string | undefined },
): Promise<TokenPair & { user: Account }> {
  const { db, secret } = runtime;
  // It takes long: no transaction waits for it.
  const passwordHash = password && (await hashPassword(password));
  const { account, grant } = await db.transaction(async (trx) => {
    const { passwordHash: known, ...account } = await spend(trx, code);
    if (!known && !passwordHash) throw conflict("Choose a password for this account.", "password_needed", "password");
    if (!known) await trx.query(toStatement(knex("account").where({ id: account.id }).update({ passwordHash })));
    return { account, grant: await beginLoginWithin(trx, account) };
  });
  return { ...(await tokenPair(secret, grant)), user: account };
}

/** Removed and read in one statement: of two that come at once, one finds it. */
async function spend(trx: Queryable, code: string): Promise<Account & { passwordHash: string | null }> {
  const [spent] = await trx.query<{ accountId: string }>(takeWelcome({ hash: hashKey(code), now: new Date() }));
  const [account] = spent
    ? await trx.query<Account & { passwordHash: string | null }>(accountById({ id: spent.accountId }))
    : [];
  if (account) return account;
  throw authenticationError("This link was used, or is older than 24 hours; sign in with your password.", {
    "WWW-Authenticate": "Bearer",
  });
}

const insertWelcome = compiled("insert-welcome", ["hash", "accountId", "expiresAt"], (row) =>
  knex("welcome").insert(row),
);

const takeWelcome = compiled("take-welcome", ["hash", "now"], ({ hash, now }) =>
  knex("welcome").where({ hash }).where("expiresAt", ">", now).delete("accountId"),
);

const accountById = compiled("account-by-id", ["id"], (by) =>
  knex("account").where(by).select("id", "email", "name", "passwordHash"),
);

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
  const [account] = await db.query<Account>(
    toStatement(knex("account").where({ email }).select("id", "email", "name")),
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
        link: `${publicUrl}/#reset=${token}`,
      },
      { text: "Was it not you? Then do nothing: your password stays as it is." },
    ],
  });
}

/**
 * Sets the password of the account that a link is for, ends all of its other logins and links, and begins one.
 * @throws authenticationError for a link that is unknown, used, or past its hour
 */
export async function resetPassword(
  runtime: Runtime,
  { token, password, address }: { token: string; password: string; address: string },
): Promise<TokenPair & { user: Account }> {
  const { db, secret } = runtime;
  const refusal = "Too many links were tried; wait before the next one.";
  await countAgainst(runtime, { of: ["reset try", network(address)], most: PER_NETWORK, windowMs: HOUR_MS, refusal });
  const live = knex("passwordReset")
    .where({ hash: hashKey(token) })
    .where("expiresAt", ">", new Date());
  const [known] = await db.query(toStatement(live.clone().select("accountId")));
  if (!known) throw spentLink();
  // It takes long: no transaction waits for it.
  const passwordHash = await hashPassword(password);
  const { account, grant } = await db.transaction(async (trx) => {
    const [spent] = await trx.query<{ accountId: string }>(toStatement(live.clone().delete("accountId")));
    if (!spent) throw spentLink();
    const account = await changePassword(trx, spent.accountId, passwordHash);
    return { account, grant: await beginLoginWithin(trx, account) };
  });
  credentialsRevoked(db);
  return { ...(await tokenPair(secret, grant)), user: account };
}

/** Other links for the account are worth nothing any more, and neither are logins by the old password. */
async function changePassword(trx: Queryable, id: string, passwordHash: string): Promise<Account> {
  const change = knex("account").where({ id }).update({ passwordHash });
  const [account] = await trx.query<Account>(toStatement(change.returning(["id", "email", "name"])));
  if (!account) throw spentLink();
  const own = { accountId: id };
  await trx.query(toStatement(knex("passwordReset").where(own).delete()));
  await trx.query(toStatement(knex("welcome").where(own).delete()));
  await trx.query(
    toStatement(
      knex("login")
        .where({ ...own, revokedAt: null })
        .update({ revokedAt: new Date() }),
    ),
  );
  await audit(trx, { event: "password.reset", accountId: id, detail: { email: account.email } });
  return account;
}

const spentLink = () =>
  authenticationError("This link was used, or is older than an hour; ask for another one.", {
    "WWW-Authenticate": "Bearer",
  });
