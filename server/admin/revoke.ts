import type { Knex } from "knex";
import { knex, toStatement } from "../../db/builder.ts";
import type { Database, Transaction } from "../../db/open.ts";
import { writeAuditEntry } from "../accounts/audit.ts";
import { invalidateCredentialCache } from "../auth/credential-cache.ts";
import { inputError } from "../errors.ts";

/**
 * Revokes the key, login or connection with an id. For an email address, revokes the account's logins, personal keys
 * and connected apps. Takes effect at once on the server that runs the command, and within a second on other servers.
 * @throws inputError when nothing has the id or address.
 */
export async function revokeCredentials(db: Database, what: string): Promise<string> {
  const ended = await db.transaction(async (trx) => {
    const counts = what.includes("@") ? await endAccount(trx, what.toLowerCase()) : await endOne(trx, what);
    await trx.query(toStatement(lookAtLeases));
    await writeAuditEntry(trx, { event: "admin.revoked", detail: { what, ...counts } });
    return counts;
  });
  invalidateCredentialCache(db);
  return Object.entries(ended)
    .map(([name, count]) => `${name}: ${count}`)
    .join("\n");
}

/** Makes the maintenance job check every lease at once, because a user without a key must not hold an issue. */
const lookAtLeases = knex("issueLease").update({ checkAt: knex.fn.now() });

async function endAccount(trx: Transaction, email: string): Promise<Record<string, number>> {
  const [account] = await trx.query<{ id: string }>(toStatement(knex("account").where({ email }).select("id")));
  if (!account) throw inputError(`no account has the address ${email}`);
  const accountId = account.id;
  const logins = await trx.query(toStatement(revokeLoginsQuery({ accountId }).returning("id")));
  const users = knex("user").where({ accountId }).select("organizationId", "id");
  const keys = await trx.query(toStatement(knex("apiKey").whereIn(["organizationId", "userId"], users).delete("id")));
  const programs = knex("oauthGrant").whereIn(["organizationId", "userId"], users);
  const connections = await trx.query(toStatement(programs.delete("id")));
  await trx.query(toStatement(knex("oauthCode").whereIn(["organizationId", "userId"], users).delete()));
  return {
    "logins ended": logins.length,
    "personal keys deleted": keys.length,
    "connections ended": connections.length,
  };
}

/**
 * Builds the statement that revokes those of the selected logins that are not yet revoked. The caller must call
 * `invalidateCredentialCache` after the commit.
 */
export const revokeLoginsQuery = (which: { id: string } | { accountId: string }): Knex.QueryBuilder =>
  knex("login")
    .where({ ...which, revokedAt: null })
    .update({ revokedAt: new Date() });

const ONE: Record<string, (id: string) => Knex.QueryBuilder> = {
  "logins ended": (id) => revokeLoginsQuery({ id }).returning("id"),
  "personal keys deleted": (id) => knex("apiKey").where({ id }).delete("id"),
  "connections ended": (id) => knex("oauthGrant").where({ id }).delete("id"),
  "ingest keys deleted": (id) => knex("ingestKey").where({ id }).delete("id"),
};

async function endOne(trx: Transaction, id: string): Promise<Record<string, number>> {
  if (!/^[0-9a-f-]{36}$/i.test(id)) throw inputError(`${id} is neither an id nor an email address`);
  for (const [name, ending] of Object.entries(ONE)) {
    const rows = await trx.query(toStatement(ending(id)));
    if (rows.length > 0) return { [name]: rows.length };
  }
  throw inputError(`no key, connection or live login has the id ${id}`);
}
