import type pg from "pg";
import { serialize } from "pg-protocol";
import { getOwnProperty } from "../../formats/own.ts";
import {
  beginStatementResult,
  completeStatementResult,
  getRowReaders,
  type PacketProgress,
  type PacketStatement,
  rejectRemainingStatements,
  setStatementColumns,
} from "./answers.ts";
import { type DriverConnection, prepareValue } from "./driver.ts";
import { evictPreparedStatements } from "./prepared.ts";

/**
 * Writes the messages of all statements and a Sync to the connection with a single write, because several small writes
 * cost more than joining the messages. Returns an error if a value cannot be converted to text; otherwise null.
 */
function sendParts(
  connection: DriverConnection,
  parts: readonly PacketStatement[],
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
  if (stream.writable)
    stream.write(Buffer.concat([...evictPreparedStatements(connection, parts, readers), ...messages]));
  return null;
}

/**
 * Statements that the server already has. The statements of `connection` were prepared earlier, and the statements in
 * `prepared` are sent in the current packet. `readers` tells for which statements the columns are known.
 */
interface Known {
  connection: DriverConnection;
  prepared: Set<string>;
  readers: ReadonlyMap<string, unknown>;
}

/**
 * Adds the protocol messages of a statement: Parse, Bind, Describe and Execute. Leaves out Parse if the server already
 * has the statement, and Describe if the columns are known.
 */
function addMessages(messages: Buffer[], { name = "", text, values = [] }: PacketStatement, known: Known): void {
  const { parsedStatements, submittedNamedStatements } = known.connection;
  const isPrepared =
    getOwnProperty(parsedStatements, name) ||
    getOwnProperty(submittedNamedStatements, name) ||
    known.prepared.has(name);
  if (name === "" || !isPrepared) {
    messages.push(serialize.parse({ text, name }));
    if (name !== "") known.prepared.add(name);
  }
  messages.push(serialize.bind({ statement: name, values: values as unknown[], valueMapper: prepareValue }));
  if (name === "" || !known.readers.has(name)) messages.push(serialize.describe({ type: "P" }));
  messages.push(serialize.execute());
}

/**
 * Creates a single query for the driver's queue from several statements. After a failure, PostgreSQL skips the
 * remaining statements up to the Sync.
 */
export function createPacket(parts: readonly PacketStatement[], done: () => void): pg.Submittable {
  const progress: PacketProgress = { parts, at: 0, readers: new Map(), result: undefined, resolveLast() {} };
  const packet = {
    callback: done as (error?: unknown) => void,
    // When the server has completed a Parse message, the driver stores the prepared statement under this name and text.
    get name() {
      return parts[progress.at]?.name;
    },
    get text() {
      return parts[progress.at]?.text;
    },
    submit(connection: DriverConnection) {
      progress.readers = getRowReaders(connection);
      beginStatementResult(progress);
      return sendParts(connection, parts, progress.readers);
    },
    handleRowDescription: ({ fields }: { fields: unknown[] }) => setStatementColumns(progress, fields),
    handleDataRow: ({ fields }: { fields: unknown }) => progress.result?.addRow(progress.result.parseRow(fields)),
    handleCommandComplete: ({ text }: { text: string }) => completeStatementResult(progress, text),
    handleReadyForQuery() {
      progress.resolveLast();
      packet.callback();
    },
    handleError(error: unknown, connection: DriverConnection) {
      rejectRemainingStatements(progress, error, connection);
      packet.callback(error);
    },
  };
  return packet as unknown as pg.Submittable;
}
