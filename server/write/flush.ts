import type { Statement } from "../../db/open.ts";
import { logStatement } from "./log.ts";
import type { Operation, Raw, Write } from "./write.ts";

/**
 * Sends what waits, without waiting for the answers: the rows in one statement, the changes with their webhook
 * deliveries in a second one, and last the removal of rows, which the log must see before.
 * @param before the last number of the change log that is taken @returns the last one taken now
 */
export function flush(write: Write, before: number): number {
  const removals = write.operations.filter(({ kind }) => kind === "remove");
  const rows = write.operations.filter(({ kind }) => kind !== "remove");
  if (rows.length > 0) void write.trx.query(rowsStatement(rows));
  if (write.entries.length > 0) void write.trx.query(logStatement(write, before + 1));
  if (removals.length > 0) void write.trx.query(rowsStatement(removals));
  return before + write.entries.length;
}

/** Batches of more operations hardly come twice. */
const MAX_REMEMBERED_OPERATIONS = 12;
const MAX_REMEMBERED = 200;
const remembered = new Map<string, { text: string; name: string }>();

/** One statement for all; its text is written at the first use of its shape. */
function rowsStatement(operations: readonly Operation[]): Statement {
  const groups = grouped(operations);
  const values = [...groups.values()].flatMap((group) => group.flatMap(valuesOf));
  const shape = [...groups].map(([key, { length }]) => `${key} ${length}`).join(";");
  const known = remembered.get(shape);
  if (known) return { ...known, values };
  const text = rowsSql([...groups.values()]);
  if (operations.length > MAX_REMEMBERED_OPERATIONS || remembered.size >= MAX_REMEMBERED) return { text, values };
  const fresh = { text, name: `rows-${remembered.size}` };
  remembered.set(shape, fresh);
  return { ...fresh, values };
}

/** Inserts into one table with the same columns go together; everything else goes alone. */
function grouped(operations: readonly Operation[]): Map<string, Operation[]> {
  const groups = new Map<string, Operation[]>();
  operations.forEach((operation, at) => {
    const { kind, table } = operation;
    const key =
      kind === "insert"
        ? `insert ${table} ${operation.columns ? "whole" : Object.keys(operation.row)}`
        : `${at} ${kind} ${table} ${kind === "update" ? Object.keys(operation.patch) : ""} ${Object.keys(operation.where)}`;
    const group = groups.get(key);
    if (group) group.push(operation);
    else groups.set(key, [operation]);
  });
  return groups;
}

/** Parameters of an operation, in the order `operationSql` places them. */
function valuesOf(operation: Operation): unknown[] {
  if (operation.kind === "insert") {
    const { row, columns } = operation;
    return columns ? columns.map((name) => row[name]) : Object.values(row);
  }
  const patch = operation.kind === "update" ? Object.values(operation.patch) : [];
  return [...patch, ...Object.values(operation.where)];
}

function rowsSql(groups: readonly Operation[][]): string {
  let places = 0;
  const parts = groups.map((group) =>
    operationSql(group, () => {
      places += 1;
      return `$${places}`;
    }),
  );
  const [only = "select 1", ...more] = parts;
  return more.length === 0 ? only : `with ${parts.map((part, at) => `o${at} as (${part})`).join(", ")} select 1`;
}

function operationSql(group: readonly Operation[], place: () => string): string {
  const [first] = group;
  if (!first) throw new Error("an empty group of operations");
  const pairs = (row: Raw, by: string) =>
    Object.keys(row)
      .map((name) => `"${name}" = ${place()}`)
      .join(by);
  if (first.kind === "update")
    return `update "${first.table}" set ${pairs(first.patch, ", ")} where ${pairs(first.where, " and ")}`;
  if (first.kind !== "insert") return `delete from "${first.table}" where ${pairs(first.where, " and ")}`;
  const columns = first.columns ?? Object.keys(first.row);
  const rows = group.map(() => `(${columns.map(place).join(", ")})`);
  return `insert into "${first.table}" (${columns.map((name) => `"${name}"`).join(", ")}) values ${rows.join(", ")}`;
}
