import type { Knex } from "knex";
import { knex, toStatement } from "../../db/builder.ts";
import type { Database } from "../../db/open.ts";
import { getOwnProperty } from "../../formats/own.ts";
import { inputError } from "../errors.ts";

/**
 * The queries of the `list` command, which prints the newest 1,000 rows. No query selects a secret: for a key, a query
 * selects at most the first and the last characters.
 */
const LISTS: Record<string, () => Knex.QueryBuilder> = {
  accounts: () => knex("account").orderBy("id", "desc").select("id", "email", "name", "createdAt"),
  organizations: () =>
    knex("organization as o")
      .leftJoin("user as u", { "u.organizationId": "o.id", "u.active": knex.raw("true") })
      .whereNull("o.deletedAt")
      .groupBy("o.id")
      .orderBy("o.id", "desc")
      .select("o.id", "o.urlKey", "o.name", "o.createdAt", { members: knex.raw("count(u.id)::int") }),
  members: () =>
    knex("user as u")
      .join("organization as o", "o.id", "u.organizationId")
      .whereNull("o.deletedAt")
      .orderBy(["o.urlKey", { column: "u.id", order: "desc" }])
      .select("o.urlKey", "u.email", "u.role", "u.active", "u.createdAt"),
  keys: () =>
    knex("apiKey as k")
      .join("organization as o", "o.id", "k.organizationId")
      .join("user as u", { "u.organizationId": "k.organizationId", "u.id": "k.userId" })
      .orderBy("k.id", "desc")
      .select("k.id", "o.urlKey", "u.email", "k.label", { key: knex.raw("'…' || k.last4") })
      .select("k.createdAt", "k.lastUsedAt", "k.expiresAt"),
  "ingest-keys": () =>
    knex("ingestKey as k")
      .join("organization as o", "o.id", "k.organizationId")
      .orderBy("k.id", "desc")
      .select("k.id", "o.urlKey", "k.name", { key: knex.raw("k.prefix || '…' || k.last4") })
      .select("k.createdAt", "k.lastUsedAt"),
  connections: () =>
    knex("oauthGrant as g")
      .join("organization as o", "o.id", "g.organizationId")
      .join("user as u", { "u.organizationId": "g.organizationId", "u.id": "g.userId" })
      .orderBy("g.id", "desc")
      .select("g.id", "o.urlKey", "u.email", "g.clientName", "g.clientId", {
        scopes: knex.raw(`array_to_string(g.scopes, ' ')`),
      })
      .select("g.createdAt", "g.lastUsedAt"),
  logins: () =>
    knex("login as l")
      .join("account as a", "a.id", "l.accountId")
      .whereNull("l.revokedAt")
      .where("l.expiresAt", ">", new Date())
      .orderBy("l.id", "desc")
      .select("l.id", "a.email", "l.createdAt", "l.expiresAt"),
  audit: () =>
    knex("audit")
      .leftJoin("organization as o", "o.id", "audit.organizationId")
      .leftJoin("account as c", "c.id", "audit.accountId")
      .orderBy(["audit.createdAt", "audit.id"].map((column) => ({ column, order: "desc" })))
      .select("audit.createdAt", "event", "o.urlKey", "c.email", "detail"),
};

/**
 * Lists rows of one kind, one per line. Tabs separate the fields; the first line has the field names.
 * @throws inputError for an unknown kind.
 */
export async function listRows(db: Database, what = "accounts"): Promise<string> {
  const rowsOf = getOwnProperty(LISTS, what);
  if (!rowsOf) throw inputError(`unknown list ${what}; use one of ${Object.keys(LISTS).join(", ")}`);
  const rows = await db.query(toStatement(rowsOf().limit(1_000)));
  const [first] = rows;
  if (!first) return `no ${what}`;
  return [Object.keys(first).join("\t"), ...rows.map((row) => Object.values(row).map(shown).join("\t"))].join("\n");
}

function shown(value: unknown): string {
  if (value === null) return "-";
  if (value instanceof Date) return value.toISOString();
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  // Control characters in stored text must not move the terminal's cursor.
  return text.replace(/\p{Cc}/gu, " ");
}
