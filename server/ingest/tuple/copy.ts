import type { ClientBase, Connection } from "pg";
import { bufferPool } from "./buffer-pool.ts";
import { type Column, nameList } from "./columns.ts";
import { putBytes, putInt16, setInt32, type Writer, written } from "./writer.ts";

/** A COPY of rows into a table. */
export interface Copy {
  text: string;
  putRows(to: Writer): void;
}

/** Raw SQL: a COPY of binary rows, which `putRows` writes. */
export const copyInto = (table: string, names: string, putRows: Copy["putRows"]): Copy => ({
  text: `copy ${table} (${names}) from stdin (format binary)`,
  putRows,
});

/** A COPY of these rows, all of which are new. */
export const copyOf = <Row>(table: string, columns: readonly Column<Row>[], rows: readonly Row[]): Copy =>
  copyInto(table, nameList(columns), (to) => {
    for (const row of rows) {
      putInt16(to, columns.length);
      for (const { put } of columns) put(to, row);
    }
  });

/** A CopyData message without its length, and what the binary format begins with. */
const HEADER = Buffer.from("d\0\0\0\0PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", "latin1");
/** The message that ends one table's rows. */
const COPY_DONE = Buffer.from("c\0\0\0\x04", "latin1");
const messages = bufferPool({ least: 0, most: 8 * 1024 * 1024 });
const MESSAGE_BYTES = 512 * 1024;

/**
 * Copies rows into tables, in the transaction at hand or in that which `around` writes around the COPYs. It fails when one
 * of them is already there. All goes out together, and the database answers once. Never on the embedded engine.
 */
export async function copyAll(
  client: ClientBase,
  copies: readonly Copy[],
  around: (copies: string) => string | Promise<string> = (text) => text,
): Promise<void> {
  if (copies.length === 0) return;
  const statements = await around(copies.map(({ text }) => text).join("; "));
  const to = messages.take(MESSAGE_BYTES);
  for (const [place, { putRows }] of copies.entries()) {
    if (place > 0) putBytes(to, COPY_DONE);
    const from = to.at;
    putBytes(to, HEADER);
    putRows(to);
    putInt16(to, -1);
    setInt32(to.buffer, from + 1, to.at - from - 1);
  }
  await copyIn(client, statements, written(to));
  // A message that was not stored may still be on its way out, and is let go.
  messages.give(to);
}

/**
 * Sends statements, among them COPY … FROM STDIN, and right behind them its data: a CopyData message. Of several COPYs each
 * but the last has a CopyDone behind its own. PostgreSQL ignores the data when a statement before it failed. Never call it on the embedded engine, which COPY ends.
 * It speaks the driver's own interface for queries, so it is queued among them and has their time-out.
 */
export const copyIn = (client: ClientBase, statements: string, message: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    let failure: Error | undefined;
    const query = {
      // The driver wraps it to stop its timer, hence a member.
      callback(error?: Error) {
        if (error) reject(error);
        else resolve();
      },
      submit(connection: CopyConnection) {
        connection.stream.cork();
        connection.query(statements);
        connection.stream.write(message);
        connection.endCopyFrom();
        connection.stream.uncork();
      },
      handleError(error: Error) {
        failure = error;
        query.callback(error);
      },
      handleReadyForQuery() {
        query.callback(failure);
      },
      handleCopyInResponse() {},
      handleRowDescription() {},
      handleDataRow() {},
      handleCommandComplete() {},
    };
    client.query(query as unknown as { submit(connection: Connection): void });
  });

interface CopyConnection {
  query(text: string): void;
  stream: { cork(): void; uncork(): void; write(bytes: Buffer): void };
  endCopyFrom(): void;
}
