import type { Knex } from "knex";
import { compiledInOrder, knex } from "../../db/builder.ts";
import type { Statement } from "../../db/open.ts";
import { createCache, textBytes } from "../cache.ts";
import { statementName } from "../read/prepared-statement.ts";
import { addToLog, mayWait, noteDerived, passLog } from "./derived/derived.ts";
import type { LogContext } from "./group-commit/log-context.ts";
import { changesStatement, type Log } from "./log.ts";
import type { Operation, Write } from "./write.ts";

/**
 * Sends what waits, without waiting for the answers: the rows in one statement, the changes in another, then the removal
 * of rows, which the log must see before. What is derived from it is left to the end of the transaction, and so are the
 * changes where the log can be made of them then.
 * @param before the last number of the change log that is taken @returns the last one taken now
 */
export function flush(write: Write, before: number, context: LogContext): number {
  const removals = write.operations.filter(isLate);
  const rows = write.operations.filter((operation) => !isLate(operation));
  const log = logOf(write, before, context);
  const waits = mayWait(write);
  const earlier = waits ? passLog(write) : undefined;
  if (rows.length > 0) void write.trx.query(rowsStatement(rows));
  if (waits) addToLog(write.derived, earlier, log);
  else if (log.entries.length > 0) void write.trx.query(changesStatement(log));
  noteDerived(write, before);
  if (removals.length > 0) void write.trx.query(rowsStatement(removals));
  for (const statement of write.followUps) void write.trx.query(statement);
  return before + write.entries.length;
}

/** Tells whether an operation waits for the log. */
const isLate = (operation: Operation): boolean =>
  operation.kind === "remove" || (operation.kind === "update" && operation.late === true);

function logOf({ scope, model, at, entries }: Write, before: number, { urlKey, actor, known }: LogContext): Log {
  const { userId } = scope;
  return {
    scope,
    model,
    urlKey,
    known,
    entries: entries.map((entry, n) => ({ ...entry, number: before + 1 + n, at, userId, actor })),
  };
}

/** A statement, and which value goes to each of its places. */
interface Compiled {
  text: string;
  name?: string;
  order: readonly number[];
}

/** Batches of more operations come too seldom for connections to keep them prepared. */
const MAX_NAMED_OPERATIONS = 12;
const remembered = createCache<Compiled>({
  name: "row-statements",
  sizeOf: ({ text, order }) => textBytes(text) + 8 * order.length,
});

/** One statement for all of these row changes; knex compiles it at the first use of its shape. */
function rowsStatement(operations: readonly Operation[]): Statement {
  const groups = grouped(operations);
  const values = [...groups.values()].flatMap(valuesOf);
  const shape = [...groups].map(([key, group]) => `${key} ${sizeOf(group)}`).join(";");
  const known = remembered.get(shape);
  if (known) return filled(known, values, operations);
  const compiled = compiledInOrder((take) => rowsQuery([...groups.values()], take));
  const named = operations.length <= MAX_NAMED_OPERATIONS && { name: statementName("rows", compiled.text) };
  const fresh = { ...compiled, ...named };
  remembered.set(shape, fresh);
  return filled(fresh, values, operations);
}

/** From so many on, rows of one kind go as one JSON parameter: their statement is as short as that of one row. */
const MANY = 100;

const filled = (
  { order, ...statement }: Compiled,
  values: readonly unknown[],
  operations: readonly Operation[],
): Statement => ({
  ...statement,
  values: order.map((at) => values[at]),
  reads: [],
  writes: [...new Set(operations.map(({ table }) => table))],
});

/**
 * Inserts into one table with the same columns go together, and removals from one table by one column beside the tenant's.
 * Everything else goes alone.
 */
function grouped(operations: readonly Operation[]): Map<string, Operation[]> {
  const groups = new Map<string, Operation[]>();
  operations.forEach((operation, at) => {
    const key = groupOf(operation, at);
    const group = groups.get(key);
    if (group) group.push(operation);
    else groups.set(key, [operation]);
  });
  return groups;
}

function groupOf(operation: Operation, at: number): string {
  const { kind, table } = operation;
  if (kind === "insert") return `insert ${table} ${operation.columns ? "whole" : Object.keys(operation.row)}`;
  const names = Object.keys(operation.where);
  if (kind === "update") return `${at} update ${table} ${Object.keys(operation.patch)} ${names}`;
  return names.length === 2 && names[0] === TENANT ? `${kind} ${table} ${names}` : `${at} ${kind} ${table} ${names}`;
}

const TENANT = "organizationId";

/** The size of a group as far as its statement depends on it. */
const sizeOf = ([first, ...others]: readonly Operation[]): number | "many" =>
  others.length === 0 || (first?.kind === "insert" && others.length + 1 < MANY) ? others.length + 1 : "many";

/** Values of a group, in the order `operationQuery` takes placeholders. */
function valuesOf(group: readonly Operation[]): unknown[] {
  if (sizeOf(group) !== "many") return group.flatMap(valuesOfOne);
  const [first] = group;
  if (first?.kind === "insert")
    return [JSON.stringify(group.map((operation) => (operation.kind === "insert" ? operation.row : {})))];
  const wheres = group.map((operation) => (operation.kind === "insert" ? [] : Object.values(operation.where)));
  return [wheres[0]?.[0], wheres.map(([, value]) => value)];
}

function valuesOfOne(operation: Operation): unknown[] {
  if (operation.kind === "insert") {
    const { row, columns } = operation;
    return columns ? columns.map((name) => row[name]) : Object.values(row);
  }
  const patch = operation.kind === "update" ? Object.values(operation.patch) : [];
  return [...patch, ...Object.values(operation.where)];
}

function rowsQuery(groups: readonly Operation[][], take: () => Buffer): Knex.QueryBuilder {
  const parts = groups.map((group) => operationQuery(group, take));
  const [only] = parts;
  if (only && parts.length === 1) return only;
  return parts.reduce((all, part, at) => all.with(`o${at}`, part), knex.select(knex.raw("1")));
}

function operationQuery(group: readonly Operation[], take: () => Buffer): Knex.QueryBuilder {
  const [first] = group;
  if (!first) throw new Error("an empty group of operations");
  const rowOf = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, take()]));
  if (first.kind === "insert") {
    const columns = first.columns ?? Object.keys(first.row);
    if (group.length >= MANY) return manyRows(first.table, columns, take());
    return knex(first.table).insert(group.map(() => rowOf(columns)));
  }
  const [tenant = "", by = ""] = Object.keys(first.where);
  if (sizeOf(group) === "many")
    return knex(first.table).where(tenant, take()).whereRaw("?? = any(?)", [by, take()]).delete();
  const patch = first.kind === "update" && rowOf(Object.keys(first.patch));
  const rows = knex(first.table).where(rowOf(Object.keys(first.where)));
  return patch ? rows.update(patch) : rows.delete();
}

/** Raw SQL: rows of a JSON text. */
const manyRows = (table: string, columns: readonly string[], rows: Buffer): Knex.QueryBuilder =>
  knex(knex.raw("??(??)", [table, columns as string[]])).insert(
    knex.select(columns as string[]).from(knex.raw("json_populate_recordset(null::??, ?::json)", [table, rows])),
  );
