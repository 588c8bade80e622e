import type { Statement } from "../database.ts";
import { type Connection, createResult, type Result } from "./driver.ts";

/** The answer of a statement. */
export interface Answer {
  rows: unknown[];
  /** The command that ran, e.g. COMMIT. */
  command: string;
}

/** One statement of a packet, and who waits for its answer. */
export interface Part extends Statement {
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/** The progress of a packet's answers. */
export interface Progress {
  parts: readonly Part[];
  /** The part that is being answered. */
  at: number;
  readers: Readers;
  result: Result | undefined;
  /** Resolves the last part. Its caller may give the connection back at once, which must be ready by then. */
  resolveLast(): void;
}

/** Readers of the rows of prepared statements, by their names; undefined for those without rows. */
type Readers = Map<string, Result | undefined>;

const described = new WeakMap<Connection, Readers>();

/** The readers of those of a connection's prepared statements whose columns are known. */
export function readersOf(connection: Connection): Readers {
  const known = described.get(connection) ?? new Map<string, Result | undefined>();
  described.set(connection, known);
  return known;
}

/** Makes ready for the rows of the part that comes next. */
export function expectPart(progress: Progress): void {
  progress.result = progress.readers.get(progress.parts[progress.at]?.name ?? "");
  // It reads the rows of one part after the other.
  if (progress.result) progress.result.rows = [];
}

/** Takes in the columns of the part that is being answered. */
export function describePart(progress: Progress, fields: unknown[]): void {
  const { name } = progress.parts[progress.at] ?? {};
  progress.result = createResult(fields);
  if (name) progress.readers.set(name, progress.result);
}

/** Takes in the end of a part's answer. */
export function completePart(progress: Progress, command: string): void {
  const { parts, at, readers, result } = progress;
  const { name, resolve } = parts[at] ?? {};
  const answer = { rows: result?.rows ?? [], command };
  if (name && !readers.has(name)) readers.set(name, undefined);
  if (at < parts.length - 1) resolve?.(answer);
  else progress.resolveLast = () => resolve?.(answer);
  progress.at += 1;
  expectPart(progress);
}

/** Rejects the part that failed, and what was sent behind it, which PostgreSQL has skipped. */
export function failParts(progress: Progress, error: unknown, { submittedNamedStatements }: Connection): void {
  const { parts, at } = progress;
  progress.resolveLast();
  const left = parts.slice(at);
  for (const { name } of left) if (name) delete submittedNamedStatements[name];
  for (const [index, { reject }] of left.entries()) reject(index === 0 ? error : skipped());
  progress.at = parts.length;
}

/** PostgreSQL's error for a statement in a transaction that has failed. */
const skipped = () => Object.assign(new Error("a statement before it failed"), { code: "25P02" });
