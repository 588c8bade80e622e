import { uuidv7 } from "uuidv7";
import { knex, toStatement } from "../../../db/builder.ts";
import { HOUR_MS } from "../../../formats/time.ts";
import { hashPassword } from "../../auth/password.ts";
import { conflict } from "../../errors.ts";
import type { Runtime } from "../../runtime.ts";
import { type Queryable, writeAuditEntry } from "../audit.ts";
import { enforceLimitsIfThrottling, toNetworkKey } from "../throttle.ts";

/** An account as shown to its holder. */
export interface Account {
  id: string;
  email: string;
  name: string;
}

/** Input of a sign-up. The APIs pass `email` in lower case. `address` is the caller's network address. */
interface SignUp {
  email: string;
  password: string;
  name: string;
  address: string;
}

/** Maximum accounts that one network may create per hour. An office shares one address. */
const PER_NETWORK = 100;

/**
 * Counts the sign-up against the limit of its network, and then hashes the password.
 * @throws rateLimited (429)
 */
export async function hashForSignUp(runtime: Runtime, password: string, address: string): Promise<string> {
  const refusal = "Too many accounts were created from your network; wait before you create another.";
  await enforceLimitsIfThrottling(runtime, {
    of: ["sign-up", toNetworkKey(address)],
    most: PER_NETWORK,
    windowMs: HOUR_MS,
    refusal,
  });
  return hashPassword(password, toNetworkKey(address));
}

/**
 * Creates an account without an organization.
 * @throws conflict `email_taken` (409); rateLimited (429)
 */
export async function signUp(runtime: Runtime, { password, address, ...input }: SignUp): Promise<Account> {
  const passwordHash = await hashForSignUp(runtime, password, address);
  return runtime.db.transaction((trx) => insertAccount(trx, { ...input, passwordHash }));
}

/**
 * Creates an account inside a transaction. The password is already hashed, because hashing is slow and must not keep a
 * transaction open.
 * @param input.emailProvedAt set if the operator vouches that the address belongs to the account's holder
 */
export async function insertAccount(
  trx: Queryable,
  input: { id?: string; email: string; name: string; passwordHash: string | null; emailProvedAt?: Date },
): Promise<Account> {
  const { id = uuidv7(), email, passwordHash, name, emailProvedAt } = input;
  const insert = knex("account").insert({ id, email, passwordHash, name, emailProvedAt, createdAt: new Date() });
  const unlessTaken = insert.onConflict("email").ignore().returning(["id", "email", "name"]);
  const [account] = await trx.query<Account>(toStatement(unlessTaken));
  if (!account) throw conflict(TAKEN, "email_taken", "email");
  await writeAuditEntry(trx, { event: "account.created", accountId: account.id, detail: { email: account.email } });
  return account;
}

const TAKEN =
  "An account with this email address exists; log in instead. If you did not create the account, request a link for a new password.";
