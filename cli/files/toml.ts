import { type AST, getStaticTOMLValue, parseTOML } from "toml-eslint-parser";
import { createMalformedFailure } from "./json.ts";

/** A table of a TOML file. The key of the first `[[hooks.Stop]]` is `["hooks", "Stop", 0]`. */
export interface TomlTable {
  key: (string | number)[];
  /** Members of the table, without nested tables. */
  value: Record<string, unknown>;
}

type Table = AST.TOMLTable;

/**
 * Parses a TOML file.
 * @throws Failure with the line if the text is not valid
 */
export function parseTomlConfig(text: string, path: string): Record<string, unknown> {
  try {
    return getStaticTOMLValue(parseTOML(text)) as Record<string, unknown>;
  } catch (error) {
    const { message, lineNumber } = error as Error & { lineNumber?: number };
    throw createMalformedFailure(path, `${message} in line ${lineNumber}`);
  }
}

/**
 * Removes the tables for which `ours` returns true. All other characters stay unchanged. `ours` must also return true
 * for a table that contains nothing except such tables.
 */
export function removeTables(text: string, ours: (table: TomlTable) => boolean): string {
  const tables = parseTables(text).filter((table) => ours(toTable(table)));
  return tables.reduceRight((now, { range: [from, to] }) => cutLines(now, from, to), text);
}

/** Returns the text of the wanted tables. */
export const extractTables = (text: string, wanted: (table: TomlTable) => boolean): string =>
  parseTables(text)
    .filter((table) => wanted(toTable(table)))
    .map(({ range: [from, to] }) => `${text.slice(from, to)}\n`)
    .join("");

/** Returns the tables of a valid TOML text, in order. */
export const listTables = (text: string): TomlTable[] => parseTables(text).map(toTable);

const parseTables = (text: string): Table[] =>
  parseTOML(text).body[0].body.filter((node): node is Table => node.type === "TOMLTable");

const toTable = (table: Table): TomlTable => ({
  key: table.resolvedKey,
  value: Object.assign({}, ...table.body.map((pair) => getStaticTOMLValue(pair))) as Record<string, unknown>,
});

/**
 * Removes whole lines from a text. Also removes one empty line before them if the removal would otherwise leave two
 * consecutive empty lines, or an empty line at the end.
 */
function cutLines(text: string, from: number, to: number): string {
  const end = text.indexOf("\n", to);
  const after = end < 0 ? "" : text.slice(end + 1);
  const before = text.slice(0, from);
  const spaced = /\n\r?\n$/.test(before) && (after === "" || /^\r?\n/.test(after));
  return (spaced ? before.replace(/\r?\n$/, "") : before) + after;
}

/** Adds tables at the end of a text, because new tables at the end do not change the meaning of other tables. */
export function appendTables(text: string, block: string): string {
  const ended = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  return `${ended}${ended === "" ? "" : "\n"}${block}`;
}

/** Converts a text to a TOML string. JSON's escapes are valid in TOML. */
export const toTomlString = (text: string): string => JSON.stringify(text).replaceAll("\x7f", "\\u007f");
