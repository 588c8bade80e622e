import type { Statement } from "../database.ts";
import { createRowReader, type DriverConnection, type RowReader } from "./driver.ts";

export interface StatementResult {
  rows: unknown[];
  /** Command that ran, such as COMMIT. */
  command: string;
}

/** A statement of a packet, with the callbacks for its result. */
export interface PacketPart extends Statement {
  resolve(answer: StatementResult): void;
  reject(error: unknown): void;
}

/** Progress of the results of a packet. */
export interface PacketProgress {
  parts: readonly PacketPart[];
  /** Index of the part whose result is being read. */
  at: number;
  readers: Readers;
  result: RowReader | undefined;
  /**
   * Resolves the last result. Called only when the connection is idle, because the caller may release it immediately.
   */
  resolveLast(): void;
}

/** Readers of rows by the name of the prepared statement; undefined for a statement without rows. */
type Readers = Map<string, RowReader | undefined>;

const described = new WeakMap<DriverConnection, Readers>();

/** Returns the row readers of a connection's prepared statements. */
export function getRowReaders(connection: DriverConnection): Readers {
  const known = described.get(connection) ?? new Map<string, RowReader | undefined>();
  described.set(connection, known);
  return known;
}

/** Prepares for the rows of the next part. */
export function expectPart(progress: PacketProgress): void {
  progress.result = progress.readers.get(progress.parts[progress.at]?.name ?? "");
  // One reader reads the rows of successive parts.
  if (progress.result) progress.result.rows = [];
}

/** Stores the columns of the current part. */
export function describePart(progress: PacketProgress, fields: unknown[]): void {
  const { name } = progress.parts[progress.at] ?? {};
  progress.result = createRowReader(fields);
  if (name) progress.readers.set(name, progress.result);
}

/** Completes the result of the current part. */
export function completePart(progress: PacketProgress, command: string): void {
  const { parts, at, readers, result } = progress;
  const { name, resolve } = parts[at] ?? {};
  const answer = { rows: result?.rows ?? [], command };
  if (name && !readers.has(name)) readers.set(name, undefined);
  if (at < parts.length - 1) resolve?.(answer);
  else progress.resolveLast = () => resolve?.(answer);
  progress.at += 1;
  expectPart(progress);
}

/** Rejects the failed part and all later parts, which PostgreSQL skipped. */
export function failParts(
  progress: PacketProgress,
  error: unknown,
  { submittedNamedStatements }: DriverConnection,
): void {
  const { parts, at } = progress;
  progress.resolveLast();
  const left = parts.slice(at);
  for (const { name } of left) if (name) delete submittedNamedStatements[name];
  for (const [index, { reject }] of left.entries()) reject(index === 0 ? error : skipped());
  progress.at = parts.length;
}

/** Creates PostgreSQL's error for a statement in a failed transaction. */
const skipped = () => Object.assign(new Error("a statement before it failed"), { code: "25P02" });
