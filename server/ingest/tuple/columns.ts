import type { Type } from "./types.ts";
import { putInt32, putNull, type Writer, writer, written } from "./writer.ts";

/** A column of a table and where a row keeps its value. */
export interface Column<Row, Name extends string = string> {
  name: Name;
  sql: string;
  oid: number;
  put(to: Writer, row: Row): void;
}

/** Declares a column; `null` is written as NULL. */
export const column = <Row, Value, Name extends string>(
  name: Name,
  type: Type<Value>,
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

/** One binary array for each column: the parameters of `unnestList`. */
export const arrays = <Row>(columns: readonly Column<Row>[], rows: readonly Row[]): Buffer[] =>
  columns.map(({ oid, put }) => {
    const to = arrayOf(oid, rows.length);
    for (const row of rows) put(to, row);
    return written(to);
  });

/** The beginning of a binary array of so many values. */
export function arrayOf(oid: number, length: number): Writer {
  const to = writer(length * 24 + 20);
  putInt32(to, 1); // dimensions
  putInt32(to, 1); // may hold nulls
  putInt32(to, oid);
  putInt32(to, length);
  putInt32(to, 1); // first subscript
  return to;
}

/** `a, b, c`. */
export const nameList = (columns: readonly Column<never>[]): string => columns.map(({ name }) => name).join(", ");

/** `unnest($1::uuid[], $2::text[], …)`. */
export const unnestList = (columns: readonly Column<never>[]): string =>
  `unnest(${columns.map(({ sql }, index) => `$${index + 1}::${sql}[]`).join(", ")})`;
