import { knex, toStatement } from "../../db/builder.ts";
import { runEachPart } from "../../db/errors/parts.ts";
import { isForeignKeyViolation } from "../../db/errors/sqlstate.ts";
import type { Database, Statement } from "../../db/open.ts";
import { listTables, type TableDescription } from "../../db/statements/tables.ts";
import { HOUR_MS } from "../../formats/time.ts";
import { writeAuditEntry } from "../accounts/audit.ts";
import { listDeletedOrganizations } from "../accounts/due.ts";
import { invalidateCredentialCache } from "../auth/credential-cache.ts";
import { entityModel, refillSqlByTable } from "../resources/index.ts";
import { removeDeletedRows } from "../resources/recorded/deletion/remove.ts";
import { organizationLockKey } from "../resources/recorded/retention/lock.ts";
import type { Runtime } from "../runtime.ts";
import { createSystemScope } from "../scope.ts";
import { eachOrganization, toOrganizationPart } from "./organizations.ts";

/** Maximum rows that one statement removes. A larger statement would block other statements for longer. */
const SLICE = 5_000;

/** Sends a statement, in a transaction or alone. */
type Query = <Row>(statement: Statement) => Promise<Row[]>;

/** Removed rows, by table. */
type Counts = Map<string, number>;

/** Returns every table that contains the organization's id. */
async function ownedTables(query: Query): Promise<TableDescription[]> {
  const all = await listTables((text, values = []) => query({ text, values }), [...refillSqlByTable.keys()]);
  return all.filter((table) => findTenantColumn(table));
}

export async function countRows(db: Database, organizationId: string): Promise<Counts> {
  const counts: Counts = new Map();
  for (const table of await ownedTables((statement) => db.query(statement))) {
    const own = knex(table.name).where({ [findTenantColumn(table) ?? ""]: organizationId });
    const [row] = await db.query<{ count: number }>(toStatement(own.select(knex.raw("count(*)::float8 as count"))));
    if (row && row.count > 0) counts.set(table.name, row.count);
  }
  return counts;
}

/** Removes the organization's rows from every table. Tables that reference other tables come first. */
async function deleteRows(query: Query, organizationId: string): Promise<Counts> {
  const owned = await ownedTables(query);
  const references = await referencesOf(query);
  const counts: Counts = new Map();
  for (const table of referringFirst(owned, references)) {
    const own = references.filter((each) => each.table === table.name && each.target === table.name);
    for (const { column } of own) await empty(query, { table, organizationId, column });
    const removed = await drain(query, table, organizationId);
    if (removed > 0) counts.set(table.name, removed);
  }
  return counts;
}

/** Returns the column with the organization's id; undefined for a table without one. */
export const findTenantColumn = ({ columns }: TableDescription): string | undefined =>
  columns.find((name) => name === "organizationId" || name === "organization_id");

/**
 * Sets a column to null in the organization's rows. Through this column, rows of a table reference other rows of the
 * same table.
 */
async function empty(
  query: Query,
  { table, organizationId, column }: { table: TableDescription; organizationId: string; column: string },
) {
  await inSlices(() => {
    const some = keysOf(table, organizationId).whereNotNull(column);
    return toStatement(
      knex(table.name)
        .whereIn(keyColumns(table), some)
        .update({ [column]: null }, [column]),
    );
  }, query);
}

const drain = (query: Query, table: TableDescription, organizationId: string): Promise<number> =>
  inSlices(() => {
    const some = keysOf(table, organizationId);
    return toStatement(knex(table.name).whereIn(keyColumns(table), some).delete(keyColumns(table)));
  }, query);

const keyColumns = ({ key }: TableDescription): string[] => key.map(({ name }) => name);

const keysOf = (table: TableDescription, organizationId: string) =>
  knex(table.name)
    .where({ [findTenantColumn(table) ?? ""]: organizationId })
    .select(keyColumns(table))
    .limit(SLICE);

async function inSlices(statement: () => Statement, query: Query): Promise<number> {
  let total = 0;
  for (let slice = SLICE; slice === SLICE; total += slice) slice = (await query(statement())).length;
  return total;
}

/** Foreign key: `column` of `table` references rows of `target`. */
interface Reference {
  table: string;
  target: string;
  column: string;
}

/** Returns all foreign-key columns of the database, except columns that contain the organization's id. */
const referencesOf = (query: (statement: Statement) => Promise<Reference[]>): Promise<Reference[]> =>
  query(
    toStatement(
      knex("pg_constraint as c")
        .joinRaw("cross join lateral unnest(c.conkey) k (attnum)")
        .join("pg_attribute as a", { "a.attrelid": "c.conrelid", "a.attnum": "k.attnum" })
        .join("pg_class as t", "t.oid", "c.conrelid")
        .join("pg_class as u", "u.oid", "c.confrelid")
        .where("c.contype", "f")
        .whereNot("a.attname", "organizationId")
        .select("t.relname as table", "u.relname as target", "a.attname as column"),
    ),
  );

/**
 * Sorts tables: each table precedes the tables that the table references. @throws Error if tables reference each other
 * in a cycle
 */
function referringFirst(owned: readonly TableDescription[], references: readonly Reference[]): TableDescription[] {
  const left = new Map(owned.map((table) => [table.name, table]));
  const sorted: TableDescription[] = [];
  while (left.size > 0) {
    const free = [...left.values()].filter(
      ({ name }) => !references.some((each) => each.target === name && each.table !== name && left.has(each.table)),
    );
    if (free.length === 0) throw new Error(`tables refer to each other in a circle: ${[...left.keys()].join(", ")}`);
    for (const table of free) left.delete(table.name);
    sorted.push(...free);
  }
  return sorted;
}

/** Tables of credentials for an organization, and of invitations. */
const CREDENTIALS = ["apiKey", "ingestKey", "invitation", "oauthCode", "oauthGrant", "oidcProvider"];
/**
 * Time in ms for which the server still checks a deleted organization for new rows. After this time, all work that
 * began before the deletion has ended and added its last rows.
 */
const KEPT_MS = HOUR_MS;
/** Maximum attempts. An attempt fails if a new row references a row that is being deleted. */
const ROUNDS = 10;

/**
 * Deletes an organization in one transaction. From then on, no request finds the organization. Removes the credentials
 * and the change counter, which prevents commits and mutations from adding rows. Deactivates the members, disables the
 * webhooks and releases the organization's name. `removeOrganizationRows` removes the remaining rows.
 */
export async function deleteOrganization(db: Database, id: string, urlKey: string): Promise<void> {
  await db.transaction(async (trx) => {
    // Transactions that write to the organization wait here, and then find no counter.
    await trx.query(toStatement(knex("sync").where({ organizationId: id }).delete()));
    for (const table of CREDENTIALS) await trx.query(toStatement(knex(table).where({ organizationId: id }).delete()));
    await trx.query(toStatement(knex("user").where({ organizationId: id }).update({ active: false })));
    await trx.query(toStatement(knex("webhook").where({ organizationId: id }).update({ enabled: false })));
    await trx.query(
      toStatement(knex("account").where({ lastOrganizationId: id }).update({ lastOrganizationId: null })),
    );
    const deleted = { deletedAt: new Date(), name: "", urlKey: `deleted-${id}` };
    await trx.query(toStatement(knex("organization").where({ id }).update(deleted)));
    const tombstone = knex("deletedOrganization").insert({ id, deletedAt: deleted.deletedAt });
    await trx.query(toStatement(tombstone.onConflict("id").ignore()));
    await writeAuditEntry(trx, { event: "organization.deleted", detail: { urlKey } });
  });
  invalidateCredentialCache(db);
}

/**
 * Removes the rows of a deleted organization in slices, after the commits that found its keys have ended. Returns the
 * number of rows by table.
 */
export async function removeOrganizationRows(db: Database, id: string): Promise<Counts> {
  await db.transaction((trx) =>
    trx.query(toStatement(knex.raw(`select pg_advisory_xact_lock(${organizationLockKey(id)})`))),
  );
  const query: Query = (statement) => db.query(statement);
  for (let round = 1; ; round += 1) {
    try {
      return await deleteRows(query, id);
    } catch (error) {
      if (!isForeignKeyViolation(error) || round === ROUNDS) throw error;
    }
  }
}

/**
 * Continues removing deleted organizations where the command or another server stopped. Forgets an organization when no
 * more rows can arrive. Safe in any number of concurrent processes. Returns the number of removed rows.
 */
export async function removeDeletedOrganizations(db: Database, now = Date.now()): Promise<number> {
  return runEachPart(await listDeletedOrganizations(db), toOrganizationPart, async (id) => {
    const counts = await removeOrganizationRows(db, id);
    const old = knex("organization")
      .where({ id })
      .where("deletedAt", "<", new Date(now - KEPT_MS));
    if (counts.size === 0) await db.query(toStatement(old.delete()));
    return [...counts.values()].reduce((sum, count) => sum + count, 0);
  });
}

/** Removes the remaining rows of deleted sessions and users. Returns the number of finished deletions. */
export const removeDeletedRecordings = (runtime: Runtime): Promise<number> =>
  eachOrganization(runtime.db, { table: "recorded_deletion" }, (organizationId) =>
    removeDeletedRows(createSystemScope(runtime, organizationId), entityModel),
  );
