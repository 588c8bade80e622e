import pg from "pg";
import { valueParsers } from "../pool/types.ts";

/** Members of the driver's connection that the pipeline uses. */
export interface DriverConnection {
  stream: { writable: boolean; write(bytes: Buffer): unknown };
  /** Statements by name: prepared on the server, and sent for preparation. */
  parsedStatements: Record<string, string>;
  submittedNamedStatements: Record<string, string>;
}

/** The driver's reader of rows. */
export interface RowReader {
  rows: unknown[];
  addFields(fields: unknown): void;
  parseRow(fields: unknown): unknown;
  addRow(row: unknown): void;
}

/** Members of the driver that its types do not declare. */
const { Result: DriverResult, utils } = pg as unknown as {
  Result: new (rowMode: undefined, types: pg.CustomTypesConfig) => RowReader;
  utils: { prepareValue(value: unknown): unknown };
};

/**
 * Converts a value to the protocol's form. @throws Error for a value that cannot be converted, such as a circular
 * object
 */
export const { prepareValue } = utils;

/** Creates a reader of rows with these columns. */
export function createRowReader(fields: unknown[]): RowReader {
  const result = new DriverResult(undefined, valueParsers);
  result.addFields(fields);
  return result;
}
