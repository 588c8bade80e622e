import type { Knex } from "knex";
import { compileWithPositionalParameters, knex } from "../../db/builder.ts";
import type { Statement } from "../../db/open.ts";
import { groupBy } from "../../formats/groups.ts";
import { getOwnProperty } from "../../formats/own.ts";
import { createCache, measureTextBytes } from "../cache.ts";
import { statementName } from "../read/prepared-statement.ts";
import { appendToPendingLog, canDeferLog, recordDerivedWrites, takePendingLog } from "./derived/derived.ts";
import type { ChangeLogContext } from "./group-commit/log-context.ts";
import { buildChangeLogInsert, type PendingLog } from "./log.ts";
import type { RowOperation, WriteContext } from "./write.ts";

/**
 * Sends the pending operations without waiting for results: the rows in one statement, the changes in another, and
 * then removals, because the log must read the rows before their removal. Derived writes wait for the end of the
 * transaction. The changes also wait if the log can still read the rows at the end.
 * @param before the last change number before this flush @returns the last change number after this flush
 */
export function flushPendingOperations(write: WriteContext, before: number, context: ChangeLogContext): number {
  const removals = write.operations.filter(isLate);
  const rows = write.operations.filter((operation) => !isLate(operation));
  const log = logOf(write, before, context);
  const waits = canDeferLog(write);
  const earlier = waits ? takePendingLog(write) : undefined;
  if (rows.length > 0) void write.trx.query(rowsStatement(rows));
  if (waits) appendToPendingLog(write.derived, earlier, log);
  else if (log.entries.length > 0) void write.trx.query(buildChangeLogInsert(log));
  recordDerivedWrites(write, before);
  if (removals.length > 0) void write.trx.query(rowsStatement(removals));
  for (const statement of write.followUps) void write.trx.query(statement);
  return before + write.entries.length;
}

/** Returns true if an operation must run after the log is written. */
const isLate = (operation: RowOperation): boolean =>
  operation.kind === "remove" || (operation.kind === "update" && operation.late === true);

function logOf(
  { scope, model, at, entries }: WriteContext,
  before: number,
  { urlKey, actor, known }: ChangeLogContext,
): PendingLog {
  const { userId } = scope;
  return {
    scope,
    model,
    urlKey,
    known,
    entries: entries.map((entry, n) => ({ ...entry, number: before + 1 + n, at, userId, actor })),
  };
}

/** A compiled statement, and the index of the value for each of its parameters. */
interface Compiled {
  text: string;
  name?: string;
  order: readonly number[];
}

/**
 * Maximum number of operations in a prepared statement. Larger batches are rare, so connections do not prepare
 * statements for these batches.
 */
const MAX_NAMED_OPERATIONS = 12;
const remembered = createCache<Compiled>({
  name: "row-statements",
  sizeOf: ({ text, order }) => measureTextBytes(text) + 8 * order.length,
});

/** Builds one statement for all row changes. knex compiles the statement at the first use of its shape. */
function rowsStatement(operations: readonly RowOperation[]): Statement {
  const groups = groupBy(operations, kindOf);
  const values = [...groups.values()].flatMap((group) =>
    group.length < MANY ? group.flatMap(valuesOf) : valuesOfMany(group),
  );
  const shape = [...groups].map(([key, { length }]) => `${key} ${length < MANY ? length : "many"}`).join(";");
  const known = remembered.get(shape);
  if (known) return filled(known, values, operations);
  const compiled = compileWithPositionalParameters((take) => rowsQuery([...groups.values()], take));
  const named = operations.length <= MAX_NAMED_OPERATIONS && { name: statementName("rows", compiled.text) };
  const fresh = { ...compiled, ...named };
  remembered.set(shape, fresh);
  return filled(fresh, values, operations);
}

/**
 * From this number of rows, a group is sent as one JSON parameter, so that the statement stays as short as for one
 * row.
 */
const MANY = 100;

const filled = (
  { order, ...statement }: Compiled,
  values: readonly unknown[],
  operations: readonly RowOperation[],
): Statement => ({
  ...statement,
  values: order.map((at) => values[at]),
  reads: [],
  writes: [...new Set(operations.map(({ table }) => table))],
});

/**
 * Returns the key by which operations are grouped: kind, table and columns. Every deletion forms a group of its own,
 * because one removal already contains all removed ids of a table.
 */
function kindOf(operation: RowOperation, at: number): string {
  const { kind, table } = operation;
  if (kind === "insert") return `insert ${table} ${operation.columns ? "whole" : Object.keys(operation.row)}`;
  if (kind === "update") return `update ${table} ${Object.keys(operation.patch)} ${Object.keys(operation.where)}`;
  const names = Object.entries(operation.where).map(([name, value]) => (Array.isArray(value) ? `${name} any` : name));
  return `${at} ${kind} ${table} ${names}`;
}

/** Returns the values of an operation, in the order in which `queriesOf` takes placeholders. */
function valuesOf(operation: RowOperation): unknown[] {
  if (operation.kind === "insert") {
    const { row, columns } = operation;
    return columns ? columns.map((name) => getOwnProperty(row, name)) : Object.values(row);
  }
  const patch = operation.kind === "update" ? Object.values(operation.patch) : [];
  return [...patch, ...Object.values(operation.where)];
}

/** Returns the values of a large group: the rows as one JSON text, and for updates also the organization's id. */
function valuesOfMany(group: readonly RowOperation[]): unknown[] {
  const rows = group.map((operation) =>
    operation.kind === "insert"
      ? operation.row
      : { ...(operation.kind === "update" && operation.patch), ...operation.where },
  );
  const [first] = group;
  return first?.kind === "update" ? [JSON.stringify(rows), Object.values(first.where)[0]] : [JSON.stringify(rows)];
}

function rowsQuery(groups: readonly RowOperation[][], take: () => Buffer): Knex.QueryBuilder | Knex.Raw {
  const parts = groups.flatMap((group) => queriesOf(group, take));
  const [only] = parts;
  if (only && parts.length === 1) return only;
  return parts.reduce<Knex.QueryBuilder>((all, part, at) => all.with(`o${at}`, part), knex.select(knex.raw("1")));
}

function queriesOf(group: readonly RowOperation[], take: () => Buffer): (Knex.QueryBuilder | Knex.Raw)[] {
  const [first] = group;
  if (!first) throw new Error("an empty group of operations");
  const rowOf = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, take()]));
  const { table } = first;
  if (first.kind === "insert") {
    const columns = first.columns ?? Object.keys(first.row);
    if (group.length >= MANY) return [manyRows(table, columns, take())];
    return [knex(table).insert(group.map(() => rowOf(columns)))];
  }
  if (first.kind === "update") {
    const columns = Object.keys(first.patch);
    if (group.length >= MANY) return [manyUpdates(table, columns, Object.keys(first.where), [take(), take()])];
    return group.map(() =>
      knex(table)
        .update(rowOf(columns))
        .where(rowOf(Object.keys(first.where))),
    );
  }
  const rows = knex(table);
  for (const [name, value] of Object.entries(first.where))
    Array.isArray(value) ? rows.whereRaw("?? = any(?)", [name, take()]) : rows.where(name, take());
  return [rows.delete()];
}

/**
 * Raw SQL: updates many rows from a JSON text that contains the new values of each row. The first column of the
 * condition is the tenant.
 */
const manyUpdates = (
  table: string,
  columns: readonly string[],
  [tenant = "", id = ""]: readonly string[],
  [rows, organizationId]: readonly [Buffer, Buffer],
): Knex.Raw =>
  knex.raw(
    `update ?? t set ${columns.map(() => "?? = v.??").join(", ")} from json_populate_recordset(null::??, ?::json) v
    where t.?? = ? and t.?? = v.??`,
    [table, ...columns.flatMap((name) => [name, name]), table, rows, tenant, organizationId, id, id],
  );

/** Raw SQL: inserts many rows from a JSON text. */
const manyRows = (table: string, columns: readonly string[], rows: Buffer): Knex.QueryBuilder =>
  knex(knex.raw("??(??)", [table, columns as string[]])).insert(
    knex.select(columns as string[]).from(knex.raw("json_populate_recordset(null::??, ?::json)", [table, rows])),
  );
