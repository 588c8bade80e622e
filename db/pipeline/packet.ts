import type pg from "pg";
import { completePart, describePart, expectPart, failParts, type Part, type Progress, readersOf } from "./answers.ts";
import type { Connection } from "./driver.ts";
import { sendParts } from "./encode.ts";

/** Several statements as one query of the driver's queue. After a failure PostgreSQL skips the rest up to the Sync. */
export function createPacket(parts: readonly Part[], done: () => void): pg.Submittable {
  const progress: Progress = { parts, at: 0, readers: new Map(), result: undefined, resolveLast() {} };
  const packet = {
    callback: done as (error?: unknown) => void,
    // The driver keeps a prepared statement under these when its Parse completes.
    get name() {
      return parts[progress.at]?.name;
    },
    get text() {
      return parts[progress.at]?.text;
    },
    submit(connection: Connection) {
      progress.readers = readersOf(connection);
      expectPart(progress);
      return sendParts(connection, parts, progress.readers);
    },
    handleRowDescription: ({ fields }: { fields: unknown[] }) => describePart(progress, fields),
    handleDataRow: ({ fields }: { fields: unknown }) => progress.result?.addRow(progress.result.parseRow(fields)),
    handleCommandComplete: ({ text }: { text: string }) => completePart(progress, text),
    handleReadyForQuery() {
      progress.resolveLast();
      packet.callback();
    },
    handleError(error: unknown, connection: Connection) {
      failParts(progress, error, connection);
      packet.callback(error);
    },
  };
  return packet as unknown as pg.Submittable;
}
