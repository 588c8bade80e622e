import type pg from "pg";
import { serialize } from "pg-protocol";
import { readOwn } from "../../formats/own.ts";
import {
  completePart,
  describePart,
  expectPart,
  failParts,
  getRowReaders,
  type PacketPart,
  type PacketProgress,
} from "./answers.ts";
import { type DriverConnection, prepareValue } from "./driver.ts";
import { closeUnused } from "./prepared.ts";

/**
 * Writes the messages of all parts and a Sync to the connection in a single piece, because several small writes cost
 * more than joining the messages. Returns the error of a value that cannot be converted to text.
 */
function sendParts(
  connection: DriverConnection,
  parts: readonly PacketPart[],
  readers: Map<string, unknown>,
): Error | null {
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

/** Statements that the server has: prepared earlier, or sent in this packet. `readers` contains the known columns. */
interface Known {
  connection: DriverConnection;
  prepared: Set<string>;
  readers: ReadonlyMap<string, unknown>;
}

/**
 * Adds the messages of a statement: Parse if the server does not have the statement, Bind, Describe if the columns are
 * not known, Execute.
 */
function addMessages(messages: Buffer[], { name = "", text, values = [] }: PacketPart, known: Known): void {
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

/**
 * Creates a query for the driver's queue that consists of several statements. After a failure, PostgreSQL skips the
 * remaining statements up to the Sync.
 */
export function createPacket(parts: readonly PacketPart[], done: () => void): pg.Submittable {
  const progress: PacketProgress = { parts, at: 0, readers: new Map(), result: undefined, resolveLast() {} };
  const packet = {
    callback: done as (error?: unknown) => void,
    // The driver stores a prepared statement under these values when its Parse completes.
    get name() {
      return parts[progress.at]?.name;
    },
    get text() {
      return parts[progress.at]?.text;
    },
    submit(connection: DriverConnection) {
      progress.readers = getRowReaders(connection);
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
    handleError(error: unknown, connection: DriverConnection) {
      failParts(progress, error, connection);
      packet.callback(error);
    },
  };
  return packet as unknown as pg.Submittable;
}
