import { serialize } from "pg-protocol";
import type { PacketStatement } from "./answers.ts";
import type { DriverConnection } from "./driver.ts";

/** Maximum number of prepared statements per connection. */
const MAX_PREPARED = 800;
/**
 * Maximum length of the texts of all prepared statements of a connection, in characters. PostgreSQL 15 stores 135 to
 * 150 bytes for each character.
 */
const MAX_CHARACTERS = 768 * 1024;

/** Prepared statements of a connection. */
interface Prepared {
  /** Length of each statement's text in characters, by statement name, in order of last use. */
  lengths: Map<string, number>;
  characters: number;
}

const sent = new WeakMap<DriverConnection, Prepared>();

/**
 * Records which prepared statements a packet uses. If the connection has too many prepared statements, returns the
 * messages that close the least recently used statements. The caller must send the messages before the packet, because
 * a failure in the packet must not prevent the closing of the statements.
 */
export function evictPreparedStatements(
  connection: DriverConnection,
  parts: readonly PacketStatement[],
  readers: Map<string, unknown>,
): Buffer[] {
  const prepared = sent.get(connection) ?? { lengths: new Map<string, number>(), characters: 0 };
  sent.set(connection, prepared);
  for (const { name, text } of parts) if (name) use(prepared, name, text.length);
  const messages: Buffer[] = [];
  for (const [name, length] of prepared.lengths) {
    if (prepared.lengths.size <= MAX_PREPARED && prepared.characters <= MAX_CHARACTERS) break;
    if (parts.some((part) => part.name === name)) break;
    prepared.lengths.delete(name);
    prepared.characters -= length;
    delete connection.parsedStatements[name];
    delete connection.submittedNamedStatements[name];
    readers.delete(name);
    messages.push(serialize.close({ type: "S", name }));
  }
  return messages;
}

function use(prepared: Prepared, name: string, length: number): void {
  if (!prepared.lengths.delete(name)) prepared.characters += length;
  prepared.lengths.set(name, length);
}
