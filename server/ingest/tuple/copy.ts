import type { ClientBase, Connection } from "pg";
import { createBufferPool } from "./buffer-pool.ts";
import { type Column, columnNamesSql } from "./columns.ts";
import { putBytes, putInt16, setInt32, type Writer, writtenBytes } from "./writer.ts";

/** COPY of rows into a table. */
export interface CopyStatement {
  text: string;
  putRows(to: Writer): void;
}

/** Raw SQL: a COPY of binary rows, which `putRows` writes. */
export const createCopyWithRowWriter = (
  table: string,
  names: string,
  putRows: CopyStatement["putRows"],
): CopyStatement => ({
  text: `copy ${table} (${names}) from stdin (format binary)`,
  putRows,
});

/** Creates a COPY of rows, all of which must be new. */
export const createCopyOfRows = <Row>(
  table: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): CopyStatement =>
  createCopyWithRowWriter(table, columnNamesSql(columns), (to) => {
    for (const row of rows) {
      putInt16(to, columns.length);
      for (const { put } of columns) put(to, row);
    }
  });

/** Beginning of a CopyData message: the message type, space for the length, and the header of the binary format. */
const HEADER = Buffer.from("d\0\0\0\0PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", "latin1");
const COPY_DONE = Buffer.from("c\0\0\0\x04", "latin1");
const messages = createBufferPool({ least: 0, most: 8 * 1024 * 1024 });
const MESSAGE_BYTES = 512 * 1024;

/**
 * Copies rows into tables, within the current transaction or within the statements that `around` adds. Fails if one of
 * the rows exists already. Sends everything in one message and gets one response. Never use on the embedded engine.
 */
export async function bulkInsertByCopy(
  client: ClientBase,
  copies: readonly CopyStatement[],
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
  await sendCopyMessage(client, statements, writtenBytes(to));
  // If the COPY failed, the message may still be in transmission, so its buffer is not returned to the pool.
  messages.give(to);
}

/**
 * Sends statements that include COPY … FROM STDIN, followed directly by the data: a CopyData message. With several
 * COPYs, a CopyDone follows the data of each COPY except the last. PostgreSQL ignores the data if an earlier statement
 * failed. Never call on the embedded engine, because COPY terminates that engine.
 * Implements the driver's query interface, so the driver queues the call like other queries and applies its timeout.
 */
export const sendCopyMessage = (client: ClientBase, statements: string, message: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    let failure: Error | undefined;
    const query = {
      // The driver replaces `callback` with a function that also stops the query's timer.
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
