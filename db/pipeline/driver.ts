import pg from "pg";
import { valueParsers } from "../pool/types.ts";

/** Members of the driver's connection that the pipeline uses. */
export interface DriverConnection {
  stream: { writable: boolean; write(bytes: Buffer): unknown };
  /**
   * Texts of prepared statements by name. `parsedStatements` contains the statements that the server has prepared, and
   * `submittedNamedStatements` the statements that were sent for preparation.
   */
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
 * Converts a value to the form that PostgreSQL's protocol needs. @throws Error for a value that cannot be converted,
 * such as a circular object
 */
export const { prepareValue } = utils;

/** Creates a row reader for the given columns. */
export function createRowReader(fields: unknown[]): RowReader {
  const result = new DriverResult(undefined, valueParsers);
  result.addFields(fields);
  return result;
}
