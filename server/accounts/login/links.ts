import { randomBytes } from "node:crypto";
import { compiled, knex, toStatement } from "../../../db/builder.ts";
import type { Database } from "../../../db/open.ts";
import { DAY_MS, HOUR_MS } from "../../../formats/time.ts";
import { hashKey } from "../../auth/key.ts";
import { hashPassword } from "../../auth/password.ts";
import { authenticationError, conflict } from "../../errors.ts";
import type { Runtime } from "../../runtime.ts";
import type { Queryable } from "../audit.ts";
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

/** Links that one network may try in an hour. */
const PER_NETWORK = 60;

/** An account with its password, which one that the operator made has not yet. */
type Welcomed = Account & { passwordHash: string | null };

/**
 * Begins a login by the code of a link, and spends the code. An account without a password gets the one given.
 * @throws authenticationError for a code that is unknown, used or past its time; conflict `password_needed`, which
 * leaves the code good, for an account without a password; rateLimited after too many tries of a network
 */
export async function acceptWelcome(
  runtime: Runtime,
  { code, password, address }: { code: string; password?: string | undefined; address: string },
): Promise<TokenPair & { user: Account }> {
  const { db, secret } = runtime;
  const refusal = "Too many links were tried; wait before the next one.";
  await countAgainst(runtime, { of: ["welcome", network(address)], most: PER_NETWORK, windowMs: HOUR_MS, refusal });
  const [known] = await db.query<Welcomed>(readWelcome({ hash: hashKey(code), now: new Date() }));
  if (!known) throw spentWelcome();
  if (!known.passwordHash && !password)
    throw conflict("Choose a password for this account.", "password_needed", "password");
  // It takes long: nobody waits for it whose code is wrong, and no transaction does.
  const passwordHash = known.passwordHash ?? (await hashPassword(password ?? "", network(address)));
  const { account, grant } = await db.transaction(async (trx) => {
    const { passwordHash: stored, ...account } = await spend(trx, code);
    if (!stored) await trx.query(toStatement(knex("account").where({ id: account.id }).update({ passwordHash })));
    return { account, grant: await beginLoginWithin(trx, account) };
  });
  return { ...(await tokenPair(secret, grant)), user: account };
}

/** Removed and read in one statement: of two that come at once, one finds it. */
async function spend(trx: Queryable, code: string): Promise<Welcomed> {
  const [spent] = await trx.query<{ accountId: string }>(takeWelcome({ hash: hashKey(code), now: new Date() }));
  const [account] = spent ? await trx.query<Welcomed>(accountById({ id: spent.accountId })) : [];
  if (account) return account;
  throw spentWelcome();
}

const spentWelcome = () =>
  authenticationError("This link was used, or is older than 24 hours; sign in with your password.", {
    "WWW-Authenticate": "Bearer",
  });

const readWelcome = compiled("read-welcome", ["hash", "now"], ({ hash, now }) =>
  knex("welcome as w")
    .join("account as a", "a.id", "w.accountId")
    .where({ hash })
    .where("expiresAt", ">", now)
    .select("a.id", "a.email", "a.name", "a.passwordHash"),
);

const insertWelcome = compiled("insert-welcome", ["hash", "accountId", "expiresAt"], (row) =>
  knex("welcome").insert(row),
);

const takeWelcome = compiled("take-welcome", ["hash", "now"], ({ hash, now }) =>
  knex("welcome").where({ hash }).where("expiresAt", ">", now).delete("accountId"),
);

const accountById = compiled("account-by-id", ["id"], (by) =>
  knex("account").where(by).select("id", "email", "name", "passwordHash"),
);
