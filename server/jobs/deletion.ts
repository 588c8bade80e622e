import { knex, toStatement } from "../../db/builder.ts";
import { sumEach } from "../../db/errors/parts.ts";
import { isForeignKeyViolation } from "../../db/errors/sqlstate.ts";
import type { Database, Statement } from "../../db/open.ts";
import { type Table, tables } from "../../db/statements/tables.ts";
import { HOUR_MS } from "../../formats/time.ts";
import { audit } from "../accounts/audit.ts";
import { deletedOrganizations } from "../accounts/due.ts";
import { credentialsRevoked } from "../auth/credential-cache.ts";
import { model, refilled } from "../resources/index.ts";
import { removeDeletedRows } from "../resources/recorded/deletion/remove.ts";
import { lockOf } from "../resources/recorded/retention/lock.ts";
import type { Runtime } from "../runtime.ts";
import { systemScope } from "../scope.ts";
import { eachOrganization, partOf } from "./organizations.ts";

/** Rows that one statement removes: short enough to hold nobody up. */
const SLICE = 5_000;

/** Sends a statement, in a transaction or alone. */
type Query = <Row>(statement: Statement) => Promise<Row[]>;

/** Rows removed, by table. */
type Counts = Map<string, number>;

/** Removes the rows of every table that has the organization in it, those that refer to others first. */
async function deleteRows(query: Query, organizationId: string): Promise<Counts> {
  const all = await tables((text, values = []) => query({ text, values }), [...refilled.keys()]);
  const owned = all.filter((table) => tenantOf(table));
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

const tenantOf = ({ columns }: Table) =>
  columns.find((name) => name === "organizationId" || name === "organization_id");

/** Empties a column by which rows of a table refer to each other. */
async function empty(
  query: Query,
  { table, organizationId, column }: { table: Table; organizationId: string; column: string },
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

const drain = (query: Query, table: Table, organizationId: string): Promise<number> =>
  inSlices(() => {
    const some = keysOf(table, organizationId);
    return toStatement(knex(table.name).whereIn(keyColumns(table), some).delete(keyColumns(table)));
  }, query);

const keyColumns = ({ key }: Table): string[] => key.map(({ name }) => name);

const keysOf = (table: Table, organizationId: string) =>
  knex(table.name)
    .where({ [tenantOf(table) ?? ""]: organizationId })
    .select(keyColumns(table))
    .limit(SLICE);

async function inSlices(statement: () => Statement, query: Query): Promise<number> {
  let total = 0;
  for (let slice = SLICE; slice === SLICE; total += slice) slice = (await query(statement())).length;
  return total;
}

/** A foreign key: a column of a table that refers to rows of a table. */
interface Reference {
  table: string;
  target: string;
  column: string;
}

/** All foreign keys of the database, but for the column that holds the organization. */
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

/** Tables in an order in which each comes before those it refers to. @throws Error for a circle of tables */
function referringFirst(owned: readonly Table[], references: readonly Reference[]): Table[] {
  const left = new Map(owned.map((table) => [table.name, table]));
  const sorted: Table[] = [];
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

/** Tables of credentials that open an organization, or let somebody in. */
const CREDENTIALS = ["apiKey", "ingestKey", "invitation", "oauthCode", "oauthGrant", "oidcProvider"];
/**
 * The time for which a deleted organization is checked: anything that began before has ended by then, and added its
 * last rows.
 */
const KEPT_MS = HOUR_MS;
/** The number of times that rows are removed anew that referred to others just before those were deleted. */
const ROUNDS = 10;

/**
 * Deletes an organization, in one transaction: from now on there is none for whoever asks. Its credentials and its change
 * counter go, so that neither a commit nor a mutation adds a row, its members and webhooks are switched off, and its name is
 * free. Its rows are left to `removeOrganization`.
 */
export async function deleteOrganization(db: Database, id: string, urlKey: string): Promise<void> {
  await db.transaction(async (trx) => {
    // Its writers wait here, and then find no counter.
    await trx.query(toStatement(knex("sync").where({ organizationId: id }).delete()));
    for (const table of CREDENTIALS) await trx.query(toStatement(knex(table).where({ organizationId: id }).delete()));
    await trx.query(toStatement(knex("user").where({ organizationId: id }).update({ active: false })));
    await trx.query(toStatement(knex("webhook").where({ organizationId: id }).update({ enabled: false })));
    await trx.query(
      toStatement(knex("account").where({ lastOrganizationId: id }).update({ lastOrganizationId: null })),
    );
    const deleted = { deletedAt: new Date(), name: "", urlKey: `deleted-${id}` };
    await trx.query(toStatement(knex("organization").where({ id }).update(deleted)));
    await audit(trx, { event: "organization.deleted", detail: { urlKey } });
  });
  credentialsRevoked(db);
}

/** Removes the rows of a deleted organization, in slices, once the commits that found its keys have ended. Answers how many, by table. */
export async function removeOrganization(db: Database, id: string): Promise<Counts> {
  await db.transaction((trx) => trx.query(toStatement(knex.raw(`select pg_advisory_xact_lock(${lockOf(id)})`))));
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
 * Goes on with deleted organizations where the command or another server stopped, and forgets them when nothing more can
 * come. Safe on any number of processes. Answers how many rows it removed.
 */
export async function removeDeleted(db: Database, now = Date.now()): Promise<number> {
  return sumEach(await deletedOrganizations(db), partOf, async (id) => {
    const counts = await removeOrganization(db, id);
    const old = knex("organization")
      .where({ id })
      .where("deletedAt", "<", new Date(now - KEPT_MS));
    if (counts.size === 0) await db.query(toStatement(old.delete()));
    return [...counts.values()].reduce((sum, count) => sum + count, 0);
  });
}

/** Removes what is left of deleted sessions and users. Answers how many deletions it ended. */
export const removeDeletedRecordings = (runtime: Runtime): Promise<number> =>
  eachOrganization(runtime.db, { table: "recorded_deletion" }, (organizationId) =>
    removeDeletedRows(systemScope(runtime, organizationId), model),
  );
