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
/** Further statements are described each time they run. */
const MAX_DESCRIBED = 1_000;

interface Result {
  rows: unknown[];
  addFields(fields: unknown): void;
  parseRow(fields: unknown): unknown;
  addRow(row: unknown): void;
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

/** How far the answers of a packet have come. */
interface Progress {
  parts: readonly Part[];
  /** The COMMIT that the end of the packet stands for. */
  commit: Part | undefined;
  /** The part that is being answered. */
  at: number;
  columns: Map<string, unknown[]>;
  result: Result | undefined;
  /** Tells the last answer. Who hears it may give the connection back, which must be ready by then. */
  tellLast(): void;
}

/** Several statements as one query of the driver's queue. After a failure PostgreSQL skips the rest up to the Sync. */
function submittable(all: readonly Part[], done: () => void): pg.Submittable {
  const [parts, commit] = unwrapped(all);
  const progress: Progress = { parts, commit, at: 0, columns: new Map(), result: undefined, tellLast() {} };
  const batch = {
    callback: done as (error?: unknown) => void,
    // The driver notes a prepared statement under these when its Parse completes.
    get name() {
      return parts[progress.at]?.name;
    },
    get text() {
      return parts[progress.at]?.text;
    },
    submit(connection: Connection) {
      progress.columns = described.get(connection) ?? progress.columns;
      described.set(connection, progress.columns);
      expectPart(progress);
      return submit(connection, parts, progress.columns);
    },
    handleRowDescription({ fields }: { fields: unknown[] }) {
      const { name } = parts[progress.at] ?? {};
      if (name) note(progress.columns, name, fields);
      progress.result = resultOf(fields);
    },
    handleDataRow({ fields }: { fields: unknown }) {
      progress.result?.addRow(progress.result.parseRow(fields));
    },
    handleCommandComplete: ({ text }: { text: string }) => complete(progress, text),
    handleReadyForQuery() {
      progress.tellLast();
      commit?.resolve({ rows: [], command: commit.text.toUpperCase() });
      batch.callback();
    },
    handleError(error: unknown, connection: Connection) {
      fail(progress, error, connection);
      batch.callback(error);
    },
  };
  return batch as unknown as pg.Submittable;
}

function note(columns: Map<string, unknown[]>, name: string, fields: unknown[]): void {
  if (columns.size < MAX_DESCRIBED) columns.set(name, fields);
}

function expectPart(progress: Progress): void {
  const known = progress.columns.get(progress.parts[progress.at]?.name ?? "");
  progress.result = known && known.length > 0 ? resultOf(known) : undefined;
}

function complete(progress: Progress, command: string): void {
  const { parts, at, columns, result } = progress;
  const { name, resolve } = parts[at] ?? {};
  const answer = { rows: result?.rows ?? [], command };
  if (name && !columns.has(name)) note(columns, name, []);
  if (at < parts.length - 1) resolve?.(answer);
  else progress.tellLast = () => resolve?.(answer);
  progress.at += 1;
  expectPart(progress);
}

function fail(progress: Progress, error: unknown, { submittedNamedStatements }: Connection): void {
  const { parts, at, commit } = progress;
  progress.tellLast();
  const left = [...parts.slice(at), ...(commit ? [commit] : [])];
  for (const { name } of left) if (name) delete submittedNamedStatements[name];
  for (const [index, { reject }] of left.entries()) reject(index === 0 ? error : skipped());
  progress.at = parts.length;
}

/** A transaction that travels whole needs no BEGIN and COMMIT: PostgreSQL takes what is before a Sync as one. */
function unwrapped(parts: readonly Part[]): [parts: readonly Part[], commit?: Part] {
  const [first, last] = [parts[0], parts.at(-1)];
  if (first?.text !== "begin" || last?.text !== "commit") return [parts];
  first.resolve({ rows: [], command: "BEGIN" });
  return [parts.slice(1, -1), last];
}

function resultOf(fields: unknown[]): Result {
  const result = new newResult(undefined, types);
  result.addFields(fields);
  return result;
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
