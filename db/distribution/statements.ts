import pg from "pg";
import type { PlacedTable } from "./placement.ts";

/** A foreign key as the catalog has it. */
export interface ForeignKey {
  table: string;
  target: string;
  name: string;
  definition: string;
}

/** Raw SQL: it reads the catalogs. Keys of shards are Citus's own. */
export const FOREIGN_KEYS = `
  select conrelid::regclass::text as "table", confrelid::regclass::text as target, conname as name,
         pg_get_constraintdef(k.oid) as definition
    from pg_constraint k
   where contype = 'f' and connamespace = 'public'::regnamespace and conparentid = 0`;

const quoted = pg.escapeIdentifier;
const literal = pg.escapeLiteral;

/**
 * The statements that bring every table to its place, in order: a foreign key may not lead from a table that is not yet
 * distributed to one that is, so all of them go first and come back last. One that can never stand is left out: from a
 * table that is whole on every node to one that is cut in shards.
 */
export function distributeStatements(tables: readonly PlacedTable[], keys: readonly ForeignKey[]): string[] {
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
 * The setting of new connections: a table that is whole on every node may be written after a read of one that is not.
 */
export const databaseSetting = (database: string): string =>
  `alter database ${quoted(database)} set citus.multi_shard_modify_mode = 'sequential'`;

/** regclass::text quotes a name only where it must. */
const unquotedAlike = (name: string): string => (name.startsWith('"') ? name : quoted(name));

const reference = ({ name }: PlacedTable) => `select create_reference_table(${literal(quoted(name))})`;

/** All of an organization's rows lie on one node: each table is colocated with the first. */
function distribution(misplaced: readonly PlacedTable[], placed: string | undefined): string[] {
  const tables = misplaced.filter(({ wanted }) => wanted === "distributed");
  const first = placed ?? tables[0]?.name ?? "";
  return tables.map(({ name, tenant }) => {
    const with_ = name === first ? "none" : quoted(first);
    return `select create_distributed_table(${literal(quoted(name))}, ${literal(String(tenant))}, colocate_with => ${literal(with_)})`;
  });
}
