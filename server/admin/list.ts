import type { Database } from "../../db/open.ts";
import { inputError } from "../errors.ts";

/** What can be listed, the newest 1,000 of each. Never a secret: keys by their ends. */
const LISTS: Record<string, string> = {
  accounts: `select id, email, name, "createdAt" from account order by id desc`,
  organizations: `select o.id, o."urlKey", o.name, o."createdAt", count(u.id)::int as members
    from organization o left join "user" u on u."organizationId" = o.id and u.active group by o.id order by o.id desc`,
  members: `select o."urlKey", u.email, u.role, u.active, u."createdAt"
    from "user" u join organization o on o.id = u."organizationId" order by o."urlKey", u.id desc`,
  keys: `select k.id, o."urlKey", u.email, k.label, '…' || k.last4 as key, k."createdAt", k."lastUsedAt"
    from "apiKey" k join organization o on o.id = k."organizationId"
    join "user" u on u."organizationId" = k."organizationId" and u.id = k."userId" order by k.id desc`,
  "ingest-keys": `select k.id, o."urlKey", k.name, k.prefix || '…' || k.last4 as key, k."createdAt", k."lastUsedAt"
    from "ingestKey" k join organization o on o.id = k."organizationId" order by k.id desc`,
  logins: `select l.id, a.email, l."createdAt", l."expiresAt" from login l join account a on a.id = l."accountId"
    where l."revokedAt" is null and l."expiresAt" > $1 order by l.id desc`,
  audit: `select audit."createdAt", event, o."urlKey", c.email, detail from audit
    left join organization o on o.id = audit."organizationId" left join account c on c.id = audit."accountId"
    order by audit.id desc`,
};

/**
 * Lists one kind of thing, a line each, its fields apart by tabs, with the names of the fields first.
 * @throws inputError for a kind that there is not.
 */
export async function list(db: Database, what = "accounts"): Promise<string> {
  const text = LISTS[what];
  if (!text) throw inputError(`there is no list of ${what}; choose one of ${Object.keys(LISTS).join(", ")}`);
  const rows = await db.query({ text: `${text} limit 1000`, values: text.includes("$1") ? [new Date()] : [] });
  const [first] = rows;
  if (!first) return `no ${what}`;
  return [Object.keys(first).join("\t"), ...rows.map((row) => Object.values(row).map(shown).join("\t"))].join("\n");
}

function shown(value: unknown): string {
  if (value === null) return "-";
  if (value instanceof Date) return value.toISOString();
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  // What people typed may not move the cursor of a terminal.
  return text.replace(/\p{Cc}/gu, " ");
}
