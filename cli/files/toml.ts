import { type AST, getStaticTOMLValue, parseTOML } from "toml-eslint-parser";
import { malformed } from "./json.ts";

/** A table of a TOML file: `["hooks", "Stop", 0]` for the first `[[hooks.Stop]]`. */
export interface TomlTable {
  key: (string | number)[];
  /** Its members, without the tables inside it. */
  value: Record<string, unknown>;
}

type Table = AST.TOMLTable;

/**
 * The whole of a TOML file as a value.
 * @throws Failure naming the line, when it is no TOML.
 */
export function readToml(text: string, path: string): Record<string, unknown> {
  try {
    return getStaticTOMLValue(parseTOML(text)) as Record<string, unknown>;
  } catch (error) {
    const { message, lineNumber } = error as Error & { lineNumber?: number };
    throw malformed(path, `${message} in line ${lineNumber}`);
  }
}

/**
 * Takes out the tables that `ours` accepts, and nothing else: every other character stays. `ours` also accepts a table
 * that holds only tables of ours.
 */
export function removeTables(text: string, ours: (table: TomlTable) => boolean): string {
  const tables = tablesOf(text).filter((table) => ours(toTable(table)));
  return tables.reduceRight((now, { range: [from, to] }) => cutLines(now, from, to), text);
}

/** The text of the tables that are wanted. */
export const textOfTables = (text: string, wanted: (table: TomlTable) => boolean): string =>
  tablesOf(text)
    .filter((table) => wanted(toTable(table)))
    .map(({ range: [from, to] }) => `${text.slice(from, to)}\n`)
    .join("");

/** The tables of a text that parses, as they come. */
export const listTables = (text: string): TomlTable[] => tablesOf(text).map(toTable);

const tablesOf = (text: string): Table[] =>
  parseTOML(text).body[0].body.filter((node): node is Table => node.type === "TOMLTable");

const toTable = (table: Table): TomlTable => ({
  key: table.resolvedKey,
  value: Object.assign({}, ...table.body.map((pair) => getStaticTOMLValue(pair))) as Record<string, unknown>,
});

/** Cuts whole lines, and one empty line before them where it would be left doubled or at the end. */
function cutLines(text: string, from: number, to: number): string {
  const end = text.indexOf("\n", to);
  const after = end < 0 ? "" : text.slice(end + 1);
  const before = text.slice(0, from);
  const spaced = /\n\r?\n$/.test(before) && (after === "" || /^\r?\n/.test(after));
  return (spaced ? before.replace(/\r?\n$/, "") : before) + after;
}

/** Adds tables at the end, where they change no other. */
export function appendTables(text: string, block: string): string {
  const ended = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  return `${ended}${ended === "" ? "" : "\n"}${block}`;
}

/** A text as TOML writes it. JSON's escapes are TOML's too. */
export const tomlString = (text: string): string => JSON.stringify(text).replaceAll("\x7f", "\\u007f");
