import type { Statement } from "../database.ts";
import { createRowReader, type DriverConnection, type RowReader } from "./driver.ts";

export interface StatementResult {
  rows: unknown[];
  /** Command that ran, such as COMMIT. */
  command: string;
}

/** A statement of a packet, with the callbacks for its result. */
export interface PacketStatement extends Statement {
  resolve(answer: StatementResult): void;
  reject(error: unknown): void;
}

/** State of a packet whose results are being read. */
export interface PacketProgress {
  parts: readonly PacketStatement[];
  /** Index of the part whose result is being read. */
  at: number;
  readers: Readers;
  result: RowReader | undefined;
  /**
   * Resolves the result of the last statement. Called only when the connection is idle, because the caller may release
   * the connection immediately.
   */
  resolveLast(): void;
}

/** Row readers by the name of the prepared statement. The value is undefined for a statement that returns no rows. */
type Readers = Map<string, RowReader | undefined>;

const described = new WeakMap<DriverConnection, Readers>();

/** Returns the row readers of a connection's prepared statements. */
export function getRowReaders(connection: DriverConnection): Readers {
  const known = described.get(connection) ?? new Map<string, RowReader | undefined>();
  described.set(connection, known);
  return known;
}

/** Selects the row reader for the next statement of the packet. */
export function beginStatementResult(progress: PacketProgress): void {
  progress.result = progress.readers.get(progress.parts[progress.at]?.name ?? "");
  // The same reader may have read the rows of an earlier statement, so the list of rows starts empty.
  if (progress.result) progress.result.rows = [];
}

/**
 * Creates a row reader for the columns of the current statement. If the statement has a name, stores the reader for
 * later packets.
 */
export function setStatementColumns(progress: PacketProgress, fields: unknown[]): void {
  const { name } = progress.parts[progress.at] ?? {};
  progress.result = createRowReader(fields);
  if (name) progress.readers.set(name, progress.result);
}

/** Completes the result of the current statement and moves on to the next statement. */
export function completeStatementResult(progress: PacketProgress, command: string): void {
  const { parts, at, readers, result } = progress;
  const { name, resolve } = parts[at] ?? {};
  const answer = { rows: result?.rows ?? [], command };
  if (name && !readers.has(name)) readers.set(name, undefined);
  if (at < parts.length - 1) resolve?.(answer);
  else progress.resolveLast = () => resolve?.(answer);
  progress.at += 1;
  beginStatementResult(progress);
}

/** Rejects the failed part and all later parts, which PostgreSQL skipped. */
export function rejectRemainingStatements(
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

/** Creates an error with the code that PostgreSQL uses for a statement in a failed transaction. */
const skipped = () => Object.assign(new Error("a statement before it failed"), { code: "25P02" });
