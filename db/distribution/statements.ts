import pg from "pg";
import type { PlacedTable } from "./placement.ts";

/** A foreign key from the catalog. */
export interface ForeignKey {
  table: string;
  target: string;
  name: string;
  definition: string;
}

/**
 * Raw SQL: reads the foreign keys from PostgreSQL's catalogs. Excludes the foreign keys of shards, because Citus
 * manages these keys.
 */
export const FOREIGN_KEYS_SQL = `
  select conrelid::regclass::text as "table", confrelid::regclass::text as target, conname as name,
         pg_get_constraintdef(k.oid) as definition
    from pg_constraint k
   where contype = 'f' and connamespace = 'public'::regnamespace and conparentid = 0`;

const quoted = pg.escapeIdentifier;
const literal = pg.escapeLiteral;

/**
 * Returns the statements that move every table to the required placement. A distributed table cannot be referenced from
 * a table that is not yet distributed, so all affected foreign keys are dropped first and created again at the end. A
 * foreign key from a reference table to a distributed table is not created again, because Citus does not support these
 * keys.
 */
export function buildDistributeStatements(tables: readonly PlacedTable[], keys: readonly ForeignKey[]): string[] {
  const misplaced = tables.filter(({ wanted, found }) => wanted !== found);
  if (misplaced.length === 0) return [];
  const names = new Set(misplaced.map(({ name }) => quoted(name)));
  const touched = keys.filter(
    ({ table, target }) => names.has(unquotedAlike(table)) || names.has(unquotedAlike(target)),
  );
  const wantedOf = new Map(tables.map(({ name, wanted }) => [quoted(name), wanted]));
  const kept = touched.filter(
    ({ table, target }) =>
      !(wantedOf.get(unquotedAlike(table)) === "reference" && wantedOf.get(unquotedAlike(target)) === "distributed"),
  );
  const first = tables.find(({ wanted, name }) => wanted === "distributed" && !names.has(quoted(name)))?.name;
  return [
    "set citus.multi_shard_modify_mode to 'sequential'",
    ...touched.map(({ table, name }) => `alter table ${table} drop constraint ${quoted(name)}`),
    ...misplaced.filter(({ wanted }) => wanted === "reference").map(reference),
    ...distribution(misplaced, first),
    ...kept.map(({ table, name, definition }) => `alter table ${table} add constraint ${quoted(name)} ${definition}`),
  ];
}

/**
 * Returns the statement that changes a setting for new connections. With this setting, a transaction may write a
 * reference table after the transaction read a distributed table.
 */
export const buildShardModifyModeSql = (database: string): string =>
  `alter database ${quoted(database)} set citus.multi_shard_modify_mode = 'sequential'`;

/** Returns the name with quotes. `regclass::text` adds quotes only to names that need quotes. */
const unquotedAlike = (name: string): string => (name.startsWith('"') ? name : quoted(name));

const reference = ({ name }: PlacedTable) => `select create_reference_table(${literal(quoted(name))})`;

/**
 * Returns the statements that distribute the tables. Each table is colocated with the first table, because all rows of
 * an organization must be on the same node.
 */
function distribution(misplaced: readonly PlacedTable[], placed: string | undefined): string[] {
  const tables = misplaced.filter(({ wanted }) => wanted === "distributed");
  const first = placed ?? tables[0]?.name ?? "";
  return tables.map(({ name, tenant }) => {
    const with_ = name === first ? "none" : quoted(first);
    return `select create_distributed_table(${literal(quoted(name))}, ${literal(String(tenant))}, colocate_with => ${literal(with_)})`;
  });
}
