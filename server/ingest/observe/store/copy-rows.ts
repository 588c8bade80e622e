import type { ClientBase } from "pg";
import {
  bufferPool,
  type column,
  copyIn,
  nameList,
  putInt16,
  reserve,
  setInt32,
  type Writer,
} from "../../tuple/index.ts";

type Column<Row> = ReturnType<typeof column<Row, never, string>>;

/** From so many rows on, COPY is cheaper than an INSERT. */
export const MANY = 8;

/** A COPY of rows into a table. */
export interface Copy {
  text: string;
  put(to: Writer): void;
}

/** Raw SQL, as all of this: docs/database.md says why. A COPY of these rows, all of which are new. */
export const copyOf = <Row>(table: string, columns: readonly Column<Row>[], rows: readonly Row[]): Copy => ({
  text: `copy ${table} (${nameList(columns)}) from stdin (format binary)`,
  put(to) {
    const from = to.at;
    putBytes(to, HEADER);
    for (const row of rows) {
      putInt16(to, columns.length);
      for (const { put } of columns) put(to, row);
    }
    putInt16(to, -1);
    setInt32(to.buffer, from + 1, to.at - from - 1);
  },
});

/** A CopyData message without its length, and what the binary format begins with. */
const HEADER = Buffer.from("d\0\0\0\0PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", "latin1");
/** The message that ends one table's rows. */
const COPY_DONE = Buffer.from("c\0\0\0\x04", "latin1");
const messages = bufferPool({ least: 0, most: 8 * 1024 * 1024 });
const MESSAGE_BYTES = 512 * 1024;

/**
 * Copies rows into tables, in the transaction at hand, which fails when one of them is already there. They go out together,
 * and the database answers once. Never on the embedded engine.
 */
export async function copyAll(client: ClientBase, copies: readonly Copy[]): Promise<void> {
  if (copies.length === 0) return;
  const to = messages.take(MESSAGE_BYTES);
  for (const [at, { put }] of copies.entries()) {
    if (at > 0) putBytes(to, COPY_DONE);
    put(to);
  }
  await copyIn(client, copies.map(({ text }) => text).join("; "), to.buffer.subarray(0, to.at));
  // A message that was not stored may still be on its way out, and is let go.
  messages.give(to);
}

function putBytes(to: Writer, bytes: Buffer): void {
  reserve(to, bytes.length);
  to.at += bytes.copy(to.buffer, to.at);
}
