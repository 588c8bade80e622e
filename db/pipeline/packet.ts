import type pg from "pg";
import { completePart, describePart, expectPart, failParts, type Part, type Progress, readersOf } from "./answers.ts";
import type { Connection } from "./driver.ts";
import { sendParts } from "./encode.ts";

/** Several statements as one query of the driver's queue. After a failure PostgreSQL skips the rest up to the Sync. */
export function createPacket(parts: readonly Part[], done: () => void): pg.Submittable {
  const progress: Progress = { parts, at: 0, readers: new Map(), result: undefined, resolveLast() {} };
  const packet = {
    callback: done as (error?: unknown) => void,
    // The driver keeps a prepared statement under these when its Parse completes. They are no getters: an object with
    // getters has a shape of its own in V8, which keeps it, and what it refers to, until all of memory is collected.
    name: parts[0]?.name,
    text: parts[0]?.text,
    submit(connection: Connection) {
      progress.readers = readersOf(connection);
      expectPart(progress);
      return sendParts(connection, parts, progress.readers);
    },
    handleRowDescription: ({ fields }: { fields: unknown[] }) => describePart(progress, fields),
    handleDataRow: ({ fields }: { fields: unknown }) => progress.result?.addRow(progress.result.parseRow(fields)),
    handleCommandComplete({ text }: { text: string }) {
      completePart(progress, text);
      const next = parts[progress.at];
      packet.name = next?.name;
      packet.text = next?.text;
    },
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
