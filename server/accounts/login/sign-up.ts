import { uuidv7 } from "uuidv7";
import { knex, toStatement } from "../../../db/builder.ts";
import type { Database } from "../../../db/open.ts";
import { hashPassword } from "../../auth/password.ts";
import { conflict } from "../../errors.ts";
import { audit, type Queryable } from "../audit.ts";

/** An account as its holder sees it. */
export interface Account {
  id: string;
  email: string;
  name: string;
}

/** The input of a sign-up. The APIs pass `email` in lower case. */
export interface SignUp {
  email: string;
  password: string;
  name: string;
}

/**
 * Creates an account that belongs to no organization yet.
 * @throws conflict `email_taken` (409).
 */
export async function signUp(db: Database, input: SignUp): Promise<Account> {
  const passwordHash = await hashPassword(input.password);
  return db.transaction((trx) => insertAccount(trx, { ...input, passwordHash }));
}

/** The same inside a transaction, the password already hashed: hashing must not hold a transaction open. */
export async function insertAccount(
  trx: Queryable,
  input: { id?: string; email: string; name: string; passwordHash: string | null },
): Promise<Account> {
  const { id = uuidv7(), email, passwordHash, name } = input;
  const insert = knex("account").insert({ id, email, passwordHash, name, createdAt: new Date() });
  const unlessTaken = insert.onConflict("email").ignore().returning(["id", "email", "name"]);
  const [account] = await trx.query<Account>(toStatement(unlessTaken));
  if (!account) throw conflict("An account with this e-mail address exists; log in instead.", "email_taken", "email");
  await audit(trx, { event: "account.created", accountId: account.id, detail: { email: account.email } });
  return account;
}
