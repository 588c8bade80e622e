import { randomBytes } from "node:crypto";
import { getMonotonicDate, getMonotonicEpochMs } from "../../../concurrency/held-clock.ts";
import { definePreparedStatement, knex, toStatement } from "../../../db/builder.ts";
import type { Database } from "../../../db/open.ts";
import { DAY_MS, HOUR_MS } from "../../../formats/time.ts";
import { hashKey } from "../../auth/key.ts";
import { hashPassword } from "../../auth/password.ts";
import { authenticationError, conflict } from "../../errors.ts";
import type { Runtime } from "../../runtime.ts";
import type { Queryable } from "../audit.ts";
import { enforceLimitsIfThrottling, toNetworkKey } from "../throttle.ts";
import { beginLoginWithin } from "./log-in.ts";
import type { Account } from "./sign-up.ts";
import { signTokenPair, type TokenPair } from "./tokens.ts";

/** Lifetime of a sign-in link, in ms. */
const WELCOME_MS = DAY_MS;

/**
 * Creates the code of a link that signs an account in once, within 24 h. The server stores only the hash of the code.
 */
export async function createSignInCode(db: Database, accountId: string): Promise<string> {
  const code = randomBytes(24).toString("base64url");
  await db.query(
    insertWelcome({ hash: hashKey(code), accountId, expiresAt: new Date(getMonotonicEpochMs() + WELCOME_MS) }),
  );
  return code;
}

/** Maximum attempts with sign-in links per network and hour. */
const PER_NETWORK = 60;

/** An account with its password hash, which is null for an account that the operator created. */
type Welcomed = Account & { passwordHash: string | null };

/**
 * Begins a login with the code of a sign-in link. A code can be used once. An account without a password gets the given
 * password.
 * @throws authenticationError for an unknown, used or expired code; conflict `password_needed` if the account has no
 * password and none is given, in which case the code stays valid; rateLimited after too many attempts from a network
 */
export async function signInWithCode(
  runtime: Runtime,
  { code, password, address }: { code: string; password?: string | undefined; address: string },
): Promise<TokenPair & { user: Account }> {
  const { db, secret } = runtime;
  const refusal = "Too many links were opened from your network; wait before you open the next one.";
  await enforceLimitsIfThrottling(runtime, {
    of: ["welcome", toNetworkKey(address)],
    most: PER_NETWORK,
    windowMs: HOUR_MS,
    refusal,
  });
  const [known] = await db.query<Welcomed>(readWelcome({ hash: hashKey(code), now: getMonotonicDate() }));
  if (!known) throw spentWelcome();
  if (!known.passwordHash && !password)
    throw conflict("Choose a password for this account.", "password_needed", "password");
  // Hashing is slow, so it happens only for a valid code and outside the transaction.
  const passwordHash = known.passwordHash ?? (await hashPassword(password ?? "", toNetworkKey(address)));
  const { account, grant } = await db.transaction(async (trx) => {
    const { passwordHash: stored, ...account } = await spend(trx, code);
    if (!stored) await trx.query(toStatement(knex("account").where({ id: account.id }).update({ passwordHash })));
    return { account, grant: await beginLoginWithin(trx, account) };
  });
  return { ...(await signTokenPair(secret, grant)), user: account };
}

/**
 * Deletes the code of a sign-in link and returns the link's account. One statement both deletes and returns the code,
 * so only the first of two concurrent requests succeeds.
 */
async function spend(trx: Queryable, code: string): Promise<Welcomed> {
  const [spent] = await trx.query<{ accountId: string }>(takeWelcome({ hash: hashKey(code), now: getMonotonicDate() }));
  const [account] = spent ? await trx.query<Welcomed>(accountById({ id: spent.accountId })) : [];
  if (account) return account;
  throw spentWelcome();
}

const spentWelcome = () =>
  authenticationError("This link was already used or is older than 24 hours; sign in with your password.", {
    "WWW-Authenticate": "Bearer",
  });

const readWelcome = definePreparedStatement("read-welcome", ["hash", "now"], ({ hash, now }) =>
  knex("welcome as w")
    .join("account as a", "a.id", "w.accountId")
    .where({ hash })
    .where("expiresAt", ">", now)
    .select("a.id", "a.email", "a.name", "a.passwordHash"),
);

const insertWelcome = definePreparedStatement("insert-welcome", ["hash", "accountId", "expiresAt"], (row) =>
  knex("welcome").insert(row),
);

const takeWelcome = definePreparedStatement("take-welcome", ["hash", "now"], ({ hash, now }) =>
  knex("welcome").where({ hash }).where("expiresAt", ">", now).delete("accountId"),
);

const accountById = definePreparedStatement("account-by-id", ["id"], (by) =>
  knex("account").where(by).select("id", "email", "name", "passwordHash"),
);
