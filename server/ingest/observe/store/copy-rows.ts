import type { ClientBase } from "pg";
import { bufferPool, type column, copyIn, nameList, putInt16, reserve, setInt32 } from "../../tuple/index.ts";

type Column<Row> = ReturnType<typeof column<Row, never, string>>;

/** From so many rows on, COPY is cheaper than an INSERT. */
export const MANY = 8;

/** A CopyData message without its length, and what the binary format begins with. */
const HEADER = Buffer.from("d\0\0\0\0PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", "latin1");
const messages = bufferPool({ least: 0, most: 4 * 1024 * 1024, count: 2 });
const MESSAGE_BYTES = 512 * 1024;

/**
 * Raw SQL, as all of this: docs/database.md says why. Copies rows into a table, in the transaction at hand, which fails
 * when one of them is already there. Never on the embedded engine.
 */
export async function copyRows<Row>(
  client: ClientBase,
  table: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): Promise<void> {
  const to = messages.take(MESSAGE_BYTES);
  reserve(to, HEADER.length);
  to.at = HEADER.copy(to.buffer);
  for (const row of rows) {
    putInt16(to, columns.length);
    for (const { put } of columns) put(to, row);
  }
  putInt16(to, -1);
  setInt32(to.buffer, 1, to.at - 1);
  await copyIn(client, `copy ${table} (${nameList(columns)}) from stdin (format binary)`, to.buffer.subarray(0, to.at));
  // A message that was not stored may still be on its way out, and is let go.
  messages.give(to);
}
