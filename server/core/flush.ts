import type { Statement } from "../../db/open.ts";
import { logStatement } from "./log.ts";
import type { Operation, Raw, Write } from "./write.ts";

/**
 * Sends what waits, without waiting for the answers: the rows in one statement, the changes with their webhook
 * deliveries in a second one, and last the removal of rows, which the log must see before.
 * `base` is the first number of the change log this transaction may take; it is already the organization's last.
 * Returns the last number taken.
 */
export function flush(write: Write, base: number): number {
  const last = base + write.entries.length - 1;
  const operations = [...write.operations];
  if (last !== base) {
    const where = { organizationId: write.scope.organizationId };
    operations.push({ kind: "update", table: "sync", patch: { lastSyncId: last }, where });
  }
  const removals = operations.filter(({ kind }) => kind === "remove");
  const rows = operations.filter(({ kind }) => kind !== "remove");
  if (rows.length > 0) void write.trx.query(rowsStatement(rows));
  if (write.entries.length > 0) void write.trx.query(logStatement(write, base));
  if (removals.length > 0) void write.trx.query(rowsStatement(removals));
  return last;
}

/** More values than this are a batch, whose text hardly comes twice. */
const MAX_NAMED = 80;
const MAX_NAMES = 200;
const names = new Map<string, string>();

function rowsStatement(operations: readonly Operation[]): Statement {
  const text: { parts: string[]; values: unknown[] } = { parts: [], values: [] };
  for (const group of grouped(operations)) text.parts.push(operationSql(text.values, group));
  const [only = "select 1", ...more] = text.parts;
  const sql =
    more.length === 0 ? only : `with ${text.parts.map((part, at) => `o${at} as (${part})`).join(", ")} select 1`;
  const { values } = text;
  if (values.length > MAX_NAMED) return { text: sql, values };
  const name = names.get(sql) ?? (names.size < MAX_NAMES ? `rows-${names.size}` : undefined);
  if (!name) return { text: sql, values };
  names.set(sql, name);
  return { text: sql, values, name };
}

/** Inserts into one table with the same columns go together; everything else goes alone. */
function grouped(operations: readonly Operation[]): Operation[][] {
  const groups = new Map<string, Operation[]>();
  operations.forEach((operation, at) => {
    const key = operation.kind === "insert" ? `${operation.table} ${Object.keys(operation.row)}` : String(at);
    groups.set(key, [...(groups.get(key) ?? []), operation]);
  });
  return [...groups.values()];
}

function operationSql(values: unknown[], group: readonly Operation[]): string {
  const [first] = group;
  if (!first) throw new Error("an empty group of operations");
  const place = (value: unknown) => `$${values.push(value)}`;
  const pairs = (row: Raw, by: string) =>
    Object.entries(row)
      .map(([name, value]) => `"${name}" = ${place(value)}`)
      .join(by);
  if (first.kind === "update")
    return `update "${first.table}" set ${pairs(first.patch, ", ")} where ${pairs(first.where, " and ")}`;
  if (first.kind !== "insert") return `delete from "${first.table}" where ${pairs(first.where, " and ")}`;
  const columns = Object.keys(first.row);
  const rows = group.map(
    (each) => `(${columns.map((name) => place(each.kind === "insert" && each.row[name])).join(", ")})`,
  );
  return `insert into "${first.table}" (${columns.map((name) => `"${name}"`).join(", ")}) values ${rows.join(", ")}`;
}
