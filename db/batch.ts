import pg, { type PoolClient } from "pg";
import type { Statement } from "./database.ts";
import { types } from "./types.ts";

/** What a statement answered. */
export interface Answer {
  rows: unknown[];
  /** The command that ran, e.g. COMMIT. */
  command: string;
}

/** One statement on its way. */
interface Part extends Statement {
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/** What the driver's connection can send: the messages of the extended protocol. */
interface Connection {
  stream: { writable: boolean; cork(): void; write(bytes: Buffer): unknown; uncork(): void };
  /** Statements by name: what the server has, and what was sent to be prepared. */
  parsedStatements: Record<string, string>;
  submittedNamedStatements: Record<string, string>;
  parse(statement: { text: string; name: string | undefined }): void;
  bind(values: { statement: string | undefined; values: unknown[] }): void;
  describe(what: { type: "P" }): void;
  execute(what: object): void;
  sync(): void;
}

/** What is known of the result of prepared statements, so that nobody asks again: their columns, none for no rows. */
const described = new WeakMap<Connection, Map<string, unknown[]>>();

interface Result extends Answer {
  addFields(fields: unknown): void;
  parseRow(fields: unknown): unknown;
  addRow(row: unknown): void;
  addCommandComplete(message: unknown): void;
}

/** Parts of the driver that its types leave out. */
const { Result: newResult, utils } = pg as unknown as {
  Result: new (rowMode: undefined, types: pg.CustomTypesConfig) => Result;
  utils: { prepareValue(value: unknown): unknown };
};

/**
 * Sends statements over a connection: those of one turn of the event loop, and those that wait for the answers to
 * others, go out as one packet that ends with one Sync, and are answered with one. On a small statement most of the
 * CPU is packets, of both sides.
 */
export function batching(client: PoolClient): (statement: Statement) => Promise<Answer> {
  let waiting: Part[] = [];
  let busy = false;
  const flush = () => {
    if (busy || waiting.length === 0) return;
    busy = true;
    const parts = waiting;
    waiting = [];
    const done = () => {
      busy = false;
      flush();
    };
    void client.query(submittable(parts, done));
  };
  return (statement) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) process.nextTick(flush);
      waiting.push({ ...statement, resolve, reject });
    });
}

/** Several statements as one query of the driver's queue. After a failure PostgreSQL skips the rest up to the Sync. */
function submittable(parts: readonly Part[], done: () => void): pg.Submittable {
  let at = 0;
  let columns = new Map<string, unknown[]>();
  const fresh = () => {
    const made = new newResult(undefined, types);
    const { name = "" } = parts[at] ?? {};
    const known = columns.get(name);
    if (known) made.addFields(known);
    return made;
  };
  let result = new newResult(undefined, types);
  const fail = (error: unknown) => {
    for (const [index, { reject }] of parts.slice(at).entries()) reject(index === 0 ? error : skipped());
    at = parts.length;
  };
  const batch = {
    callback: done as (error?: unknown) => void,
    // The driver notes a prepared statement under these when its Parse completes.
    get name() {
      return parts[at]?.name;
    },
    get text() {
      return parts[at]?.text;
    },
    submit(connection: Connection) {
      columns = described.get(connection) ?? new Map();
      described.set(connection, columns);
      const error = submit(connection, parts, columns);
      result = fresh();
      return error;
    },
    handleRowDescription({ fields }: { fields: unknown[] }) {
      const { name } = parts[at] ?? {};
      if (name) columns.set(name, fields);
      result.addFields(fields);
    },
    handleDataRow: ({ fields }: { fields: unknown }) => result.addRow(result.parseRow(fields)),
    handleCommandComplete(message: unknown) {
      result.addCommandComplete(message);
      const { name, resolve } = parts[at] ?? {};
      if (name && !columns.has(name)) columns.set(name, []);
      resolve?.(result);
      at += 1;
      result = fresh();
    },
    handleReadyForQuery: () => batch.callback(),
    handleError(error: unknown, connection: Connection) {
      for (const { name } of parts.slice(at)) if (name) delete connection.submittedNamedStatements[name];
      fail(error);
      batch.callback(error);
    },
  };
  return batch as unknown as pg.Submittable;
}

function submit(connection: Connection, parts: readonly Part[], columns: ReadonlyMap<string, unknown>): Error | null {
  const { stream, parsedStatements, submittedNamedStatements } = connection;
  let values: unknown[][];
  try {
    values = parts.map((part) => (part.values ?? []).map((value) => utils.prepareValue(value)));
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
  const messages: Buffer[] = [];
  const write = (message: Buffer) => messages.push(message);
  const paper: Connection = Object.create(connection, { stream: { value: { writable: true, write } } });
  for (const [at, { name, text }] of parts.entries()) {
    if (!name || (!parsedStatements[name] && !submittedNamedStatements[name])) {
      paper.parse({ text, name });
      if (name) submittedNamedStatements[name] = text;
    }
    paper.bind({ statement: name, values: values[at] ?? [] });
    if (!name || !columns.has(name)) paper.describe({ type: "P" });
    paper.execute({});
  }
  // One piece: dozens of small ones cost more to hand over than to join.
  stream.cork();
  if (stream.writable) stream.write(Buffer.concat(messages));
  connection.sync();
  stream.uncork();
  return null;
}

/** What PostgreSQL says of everything behind a failure. */
const skipped = () => Object.assign(new Error("a statement before it failed"), { code: "25P02" });
