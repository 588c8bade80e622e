import type pg from "pg";
import { serialize } from "pg-protocol";
import { readOwn } from "../../formats/own.ts";
import { completePart, describePart, expectPart, failParts, type Part, type Progress, readersOf } from "./answers.ts";
import { type Connection, prepareValue } from "./driver.ts";
import { closeUnused } from "./prepared.ts";

/**
 * Writes the messages of all parts to the connection, and one Sync, as one piece: several small ones cost more to hand
 * over than to join. Returns the error of a value that has no text.
 */
function sendParts(connection: Connection, parts: readonly Part[], readers: Map<string, unknown>): Error | null {
  const { stream, submittedNamedStatements } = connection;
  const prepared = new Set<string>();
  const messages: Buffer[] = [];
  try {
    for (const part of parts) addMessages(messages, part, { connection, prepared, readers });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
  for (const { name, text } of parts) if (name && prepared.has(name)) submittedNamedStatements[name] = text;
  messages.push(serialize.sync());
  if (stream.writable) stream.write(Buffer.concat([...closeUnused(connection, parts, readers), ...messages]));
  return null;
}

/** The statements that the server knows: those it was sent, those of this packet, and known columns. */
interface Known {
  connection: Connection;
  prepared: Set<string>;
  readers: ReadonlyMap<string, unknown>;
}

/** Parse where the server does not have the statement yet, Bind, Describe where its columns are not known, Execute. */
function addMessages(messages: Buffer[], { name = "", text, values = [] }: Part, known: Known): void {
  const { parsedStatements, submittedNamedStatements } = known.connection;
  const isPrepared =
    readOwn(parsedStatements, name) || readOwn(submittedNamedStatements, name) || known.prepared.has(name);
  if (name === "" || !isPrepared) {
    messages.push(serialize.parse({ text, name }));
    if (name !== "") known.prepared.add(name);
  }
  messages.push(serialize.bind({ statement: name, values: values as unknown[], valueMapper: prepareValue }));
  if (name === "" || !known.readers.has(name)) messages.push(serialize.describe({ type: "P" }));
  messages.push(serialize.execute());
}

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
