import { randomBytes } from "node:crypto";
import { compiled, knex } from "../../../db/builder.ts";
import type { Database } from "../../../db/open.ts";
import { hashKey } from "../../auth/key.ts";
import { authenticationError } from "../../errors.ts";
import type { Runtime } from "../../runtime.ts";
import type { Queryable } from "../audit.ts";
import { beginLoginWithin } from "./log-in.ts";
import type { Account } from "./sign-up.ts";
import { type TokenPair, tokenPair } from "./tokens.ts";

/** The life of a sign-in link, in ms. */
const LIFE_MS = 24 * 60 * 60 * 1000;

/** Makes the code of a link that signs an account in once, within 24 h. Only its hash is stored. */
export async function mintWelcome(db: Database, accountId: string): Promise<string> {
  const code = randomBytes(24).toString("base64url");
  await db.query(insertWelcome({ hash: hashKey(code), accountId, expiresAt: new Date(Date.now() + LIFE_MS) }));
  return code;
}

/**
 * Begins a login by the code of a link, and spends the code.
 * @throws authenticationError for a code that is unknown, used or past its time.
 */
export async function acceptWelcome(runtime: Runtime, code: string): Promise<TokenPair & { user: Account }> {
  const { db, secret } = runtime;
  const { account, grant } = await db.transaction(async (trx) => {
    const account = await spend(trx, code);
    return { account, grant: await beginLoginWithin(trx, account) };
  });
  return { ...(await tokenPair(secret, grant)), user: account };
}

/** Removed and read in one statement: of two that come at once, one finds it. */
async function spend(trx: Queryable, code: string): Promise<Account> {
  const [spent] = await trx.query<{ accountId: string }>(takeWelcome({ hash: hashKey(code), now: new Date() }));
  const [account] = spent ? await trx.query<Account>(accountById({ id: spent.accountId })) : [];
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

const accountById = compiled("account-by-id", ["id"], (by) => knex("account").where(by).select("id", "email", "name"));
