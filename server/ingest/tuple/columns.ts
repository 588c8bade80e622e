import type { PostgresType } from "./types.ts";
import { createBufferWriter, putInt32, putNull, type Writer, writtenBytes } from "./writer.ts";

/** Column of a table, and how to write its value from a row. */
export interface Column<Row, Name extends string = string> {
  name: Name;
  sql: string;
  oid: number;
  put(to: Writer, row: Row): void;
}

/** Declares a column; `null` is written as NULL. */
export const column = <Row, Value, Name extends string>(
  name: Name,
  type: PostgresType<Value>,
  read: (row: Row) => Value | null,
): Column<Row, Name> => ({
  name,
  sql: type.sql,
  oid: type.oid,
  put(to, row) {
    const value = read(row);
    if (value === null) putNull(to);
    else type.put(to, value);
  },
});

/** Returns one binary array per column, as parameters of `unnestColumnsSql`. */
export const columnArrays = <Row>(columns: readonly Column<Row>[], rows: readonly Row[]): Buffer[] =>
  columns.map(({ oid, put }) => {
    const to = beginArray(oid, rows.length);
    for (const row of rows) put(to, row);
    return writtenBytes(to);
  });

/** Starts a binary array of the given length. */
export function beginArray(oid: number, length: number): Writer {
  const to = createBufferWriter(length * 24 + 20);
  putInt32(to, 1); // number of dimensions
  putInt32(to, 1); // may hold nulls
  putInt32(to, oid);
  putInt32(to, length);
  putInt32(to, 1); // first subscript
  return to;
}

/** Returns `a, b, c`. */
export const columnNamesSql = (columns: readonly Column<never>[]): string => columns.map(({ name }) => name).join(", ");

/** Returns `unnest($1::uuid[], $2::text[], …)`. */
export const unnestColumnsSql = (columns: readonly Column<never>[]): string =>
  `unnest(${columns.map(({ sql }, index) => `$${index + 1}::${sql}[]`).join(", ")})`;
