import pg from "pg";
import { types } from "../pool/types.ts";

/** The used parts of the driver's connection. */
export interface Connection {
  stream: { writable: boolean; write(bytes: Buffer): unknown };
  /** Statements by name: what the server has, and what was sent to be prepared. */
  parsedStatements: Record<string, string>;
  submittedNamedStatements: Record<string, string>;
}

/** The driver's reader of rows. */
export interface Result {
  rows: unknown[];
  addFields(fields: unknown): void;
  parseRow(fields: unknown): unknown;
  addRow(row: unknown): void;
}

/** Parts of the driver that its types leave out. */
const { Result: DriverResult, utils } = pg as unknown as {
  Result: new (rowMode: undefined, types: pg.CustomTypesConfig) => Result;
  utils: { prepareValue(value: unknown): unknown };
};

/** A value as the protocol takes it. @throws when it cannot be written, such as a circular object */
export const { prepareValue } = utils;

/** A reader of rows with these columns. */
export function createResult(fields: unknown[]): Result {
  const result = new DriverResult(undefined, types);
  result.addFields(fields);
  return result;
}
