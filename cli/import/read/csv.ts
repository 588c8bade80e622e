import { Readable } from "node:stream";
import { parse } from "csv-parse";
import { EXIT, Failure } from "../../failure.ts";
import { readBytes } from "./file.ts";

/** A row of a CSV file, with its values by column name. Several columns may have the same name. */
export interface CsvRecord {
  /** Returns the first value of the named columns that is not empty. */
  get(...names: string[]): string | undefined;
  /** Returns the same value with surrounding white space. */
  text(...names: string[]): string | undefined;
  /** Returns all values of the named columns that are not empty. */
  all(...names: string[]): string[];
  /** Returns the values of columns whose names begin with a text, with the remainder of each name. */
  like(start: string): [rest: string, value: string][];
}

/** Maximum size of a row in bytes. A row becomes longer only if a quote is not closed. */
const MAX_RECORD = 32 * 1024 * 1024;

/**
 * Returns the rows of a CSV file. The first row after the header has the number 2, as in spreadsheets. Memory is
 * limited by the longest row.
 * @throws Failure if required columns are missing or quotes do not match
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
    if (error instanceof Failure) throw error;
    throw new Failure(`${file}, after row ${at}: ${(error as Error).message}`, {
      exit: EXIT.usage,
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
    throw new Failure(`${file} has no column ${names.join(" or ")}.`, {
      exit: EXIT.usage,
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
