import type { Type } from "./types.ts";
import { putInt16, putInt32, reserve, setInt32, type Writer, writer, written } from "./writer.ts";

/** A column of a table and where a row keeps its value. */
export interface Column<Row> {
  name: string;
  sql: string;
  oid: number;
  put(to: Writer, row: Row): void;
}

/** Declares a column; `null` is written as NULL. */
export const column = <Row, Value>(name: string, type: Type<Value>, read: (row: Row) => Value | null): Column<Row> => ({
  name,
  sql: type.sql,
  oid: type.oid,
  put(to, row) {
    const value = read(row);
    if (value === null) putInt32(to, -1);
    else type.put(to, value);
  },
});

/** A CopyData message without its length, and what the binary format begins with. */
const COPY_HEADER = Buffer.from("d\0\0\0\0PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", "latin1");

/** Rows in the binary format of COPY, as one CopyData message of the protocol, written to a writer at its beginning. */
export function copyMessage<Row>(to: Writer, columns: readonly Column<Row>[], rows: readonly Row[]): Buffer {
  reserve(to, COPY_HEADER.length);
  to.at = COPY_HEADER.copy(to.buffer);
  for (const row of rows) {
    putInt16(to, columns.length);
    for (const { put } of columns) put(to, row);
  }
  putInt16(to, -1);
  setInt32(to.buffer, 1, to.at - 1);
  return written(to);
}

/** One binary array for each column: the parameters of `unnestList`. */
export const arrays = <Row>(columns: readonly Column<Row>[], rows: readonly Row[]): Buffer[] =>
  columns.map(({ oid, put }) => {
    const to = writer(rows.length * 24 + 20);
    putInt32(to, 1); // dimensions
    putInt32(to, 1); // may hold nulls
    putInt32(to, oid);
    putInt32(to, rows.length);
    putInt32(to, 1); // first subscript
    for (const row of rows) put(to, row);
    return written(to);
  });

/** `a, b, c`. */
export const nameList = (columns: readonly Column<never>[]): string => columns.map(({ name }) => name).join(", ");

/** `unnest($1::uuid[], $2::text[], …)`. */
export const unnestList = (columns: readonly Column<never>[]): string =>
  `unnest(${columns.map(({ sql }, index) => `$${index + 1}::${sql}[]`).join(", ")})`;
