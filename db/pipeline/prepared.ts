import { serialize } from "pg-protocol";
import type { Part } from "./answers.ts";
import type { Connection } from "./driver.ts";

/** Statements that a connection keeps prepared. */
const MAX_PREPARED = 800;
/** Their characters, together. PostgreSQL 15 keeps 135 to 150 bytes for each of them. */
const MAX_CHARACTERS = 768 * 1024;

/** The statements that a connection was sent to be prepared. */
interface Prepared {
  /** The length of each text by its name; the one that was used last comes last. */
  lengths: Map<string, number>;
  characters: number;
}

const sent = new WeakMap<Connection, Prepared>();

/**
 * Notes that a packet uses its prepared statements. Answers the messages that close those which were not used for longest,
 * where the connection has too many. They go ahead of the packet: a failure in it does not keep them from being closed.
 */
export function closeUnused(connection: Connection, parts: readonly Part[], readers: Map<string, unknown>): Buffer[] {
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
