import { Readable } from "node:stream";
import { parse } from "csv-parse";
import { CommandFailure, EXIT_CODES } from "../../failure.ts";
import { readBytes } from "./file.ts";

/** A row of a CSV file, with its values by column name. Several columns may have the same name. */
export interface CsvRecord {
  /** Returns the first non-empty value among the named columns, without surrounding white space. */
  get(...names: string[]): string | undefined;
  /** Returns the first non-empty value among the named columns, including surrounding white space. */
  text(...names: string[]): string | undefined;
  /** Returns all non-empty values of the named columns. */
  all(...names: string[]): string[];
  /**
   * Finds all columns whose names begin with the given text. Returns the remainder of each column's name and the
   * column's value.
   */
  like(start: string): [rest: string, value: string][];
}

/** Maximum size of a row in bytes. A row can exceed this size only if a closing quote is missing. */
const MAX_RECORD = 32 * 1024 * 1024;

/**
 * Reads a CSV file row by row, so that the memory in use depends only on the longest row. The first row after the
 * header has the number 2, as in spreadsheets.
 * @throws CommandFailure if a required column is missing or a quote is not closed
 */
export async function* readCsvRecords(file: string, onBytes: (bytes: number) => void, needed: readonly string[][]) {
  const parser = parse({
    ...{ bom: true, relax_column_count: true, skip_empty_lines: true, relax_quotes: true },
    max_record_size: MAX_RECORD,
  });
  const rows = Readable.from(readBytes(file, onBytes))
    .on("error", (error) => parser.destroy(error))
    .pipe(parser);
  let columns: Map<string, number[]> | undefined;
  let at = 0;
  try {
    for await (const values of rows as AsyncIterable<string[]>) {
      at += 1;
      if (columns) yield { at, record: recordOf(columns, values) };
      else columns = checked(columnsOf(values), needed, file);
    }
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(`${file}, after row ${at}: ${(error as Error).message}`, {
      exit: EXIT_CODES.usage,
      cure: "close the quote, or export the file again",
    });
  }
}

function columnsOf(names: readonly string[]): Map<string, number[]> {
  const columns = new Map<string, number[]>();
  for (const [at, name] of names.entries()) {
    const key = name.trim().toLowerCase();
    columns.set(key, [...(columns.get(key) ?? []), at]);
  }
  return columns;
}

function checked(columns: Map<string, number[]>, needed: readonly string[][], file: string): Map<string, number[]> {
  for (const names of needed) {
    if (names.some((name) => columns.has(name.toLowerCase()))) continue;
    throw new CommandFailure(`${file} has no column ${names.join(" or ")}.`, {
      exit: EXIT_CODES.usage,
      cure: "use another format, or export all columns",
    });
  }
  return columns;
}

function recordOf(columns: ReadonlyMap<string, number[]>, values: readonly string[]): CsvRecord {
  const texts = (names: readonly string[]) =>
    names.flatMap((name) => columns.get(name.toLowerCase()) ?? []).flatMap((at) => values[at] || []);
  const all = (...names: string[]) => texts(names).flatMap((text) => text.trim() || []);
  return {
    all,
    get: (...names) => all(...names)[0],
    text: (...names) => texts(names)[0],
    like: (start) =>
      [...columns.keys()]
        .filter((name) => name.startsWith(start.toLowerCase()))
        .flatMap((name) => all(name).map((value): [string, string] => [name.slice(start.length), value])),
  };
}
