import { Readable } from "node:stream";
import { parse } from "csv-parse";
import { EXIT, Failure } from "../../failure.ts";
import { bytesOf } from "./file.ts";

/** A row of a CSV file by the names of its columns; a name may come several times. */
export interface CsvRecord {
  /** The first value of a column of one of these names that is not empty. */
  get(...names: string[]): string | undefined;
  /** The same with the white space around it. */
  text(...names: string[]): string | undefined;
  /** All values of the columns of a name that are not empty. */
  all(...names: string[]): string[];
  /** Values of columns whose names begin so, with what the names end with. */
  like(start: string): [rest: string, value: string][];
}

/** A longer row than any: what a quote that nobody closes comes to. */
const MAX_RECORD = 32 * 1024 * 1024;

/**
 * The rows of a CSV file, the first after the header being 2, as spreadsheets number them. Memory is bounded by the longest.
 * @throws Failure for a file without the columns that are needed, or whose quotes do not match
 */
export async function* csvRecords(file: string, onBytes: (bytes: number) => void, needed: readonly string[][]) {
  const parser = parse({
    ...{ bom: true, relax_column_count: true, skip_empty_lines: true, relax_quotes: true },
    max_record_size: MAX_RECORD,
  });
  const rows = Readable.from(bytesOf(file, onBytes))
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
      cure: "another format, or an export with all columns",
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
