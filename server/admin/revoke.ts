import type { Database, Transaction } from "../../db/open.ts";
import { audit } from "../accounts/audit.ts";
import { credentialsRevoked } from "../auth/credential-cache.ts";
import { inputError } from "../errors.ts";

/**
 * Ends what an id names, a key or a login, or everything an account has, by its e-mail address: its logins and its
 * personal keys. At once in the server that is asked, within a second in others.
 * @throws inputError when there is nothing by that name.
 */
export async function revoke(db: Database, what: string): Promise<string> {
  const ended = await db.transaction(async (trx) => {
    const counts = what.includes("@") ? await endAccount(trx, what.toLowerCase()) : await endOne(trx, what);
    await audit(trx, { event: "admin.revoked", detail: { what, ...counts } });
    return counts;
  });
  credentialsRevoked(db);
  return Object.entries(ended)
    .map(([name, count]) => `${name}: ${count}`)
    .join("\n");
}

async function endAccount(trx: Transaction, email: string): Promise<Record<string, number>> {
  const [account] = await trx.query<{ id: string }>({
    text: "select id from account where email = $1",
    values: [email],
  });
  if (!account) throw inputError(`no account has the address ${email}`);
  const logins = await trx.query({
    text: `update login set "revokedAt" = $2 where "accountId" = $1 and "revokedAt" is null returning 1`,
    values: [account.id, new Date()],
  });
  const keys = await trx.query({
    text: `delete from "apiKey" k using "user" u
            where u."organizationId" = k."organizationId" and u.id = k."userId" and u."accountId" = $1 returning 1`,
    values: [account.id],
  });
  return { "logins ended": logins.length, "personal keys deleted": keys.length };
}

const ONE: Record<string, string> = {
  "logins ended": `update login set "revokedAt" = $2 where id = $1 and "revokedAt" is null returning 1`,
  "personal keys deleted": `delete from "apiKey" where id = $1 and $2::timestamptz is not null returning 1`,
  "ingest keys deleted": `delete from "ingestKey" where id = $1 and $2::timestamptz is not null returning 1`,
};

async function endOne(trx: Transaction, id: string): Promise<Record<string, number>> {
  if (!/^[0-9a-f-]{36}$/i.test(id)) throw inputError(`${id} is neither an id nor an e-mail address`);
  for (const [name, text] of Object.entries(ONE)) {
    const rows = await trx.query({ text, values: [id, new Date()] });
    if (rows.length > 0) return { [name]: rows.length };
  }
  throw inputError(`no key or live login has the id ${id}`);
}
