import type { Part } from "./answers.ts";
import { type Connection, prepareValue } from "./driver.ts";

/** Writes the messages of all parts to the connection, and one Sync. Returns the error of a value that has no text. */
export function sendParts(
  connection: Connection,
  parts: readonly Part[],
  columns: ReadonlyMap<string, unknown>,
): Error | null {
  let values: unknown[][];
  try {
    values = parts.map((part) => (part.values ?? []).map((value) => prepareValue(value)));
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
  const messages = messagesOf(connection, parts, values, columns);
  const { stream } = connection;
  // One piece: dozens of small ones cost more to hand over than to join.
  stream.cork();
  if (stream.writable) stream.write(Buffer.concat(messages));
  connection.sync();
  stream.uncork();
  return null;
}

/** Parse where the server does not have the statement yet, Bind, Describe where its columns are not known, Execute. */
function messagesOf(
  connection: Connection,
  parts: readonly Part[],
  values: readonly unknown[][],
  columns: ReadonlyMap<string, unknown>,
): Buffer[] {
  const { parsedStatements, submittedNamedStatements } = connection;
  const messages: Buffer[] = [];
  const write = (message: Buffer) => messages.push(message);
  // The driver's own methods write the messages, to a stream that only collects them.
  const collecting: Connection = Object.create(connection, { stream: { value: { writable: true, write } } });
  for (const [at, { name, text }] of parts.entries()) {
    if (!name || (!parsedStatements[name] && !submittedNamedStatements[name])) {
      collecting.parse({ text, name });
      if (name) submittedNamedStatements[name] = text;
    }
    collecting.bind({ statement: name, values: values[at] ?? [] });
    if (!name || !columns.has(name)) collecting.describe({ type: "P" });
    collecting.execute({});
  }
  return messages;
}
