import { readOwn } from "../../../../formats/own.ts";
import type { Wording } from "../../../agents/tools.ts";
import { AGENTS, KEYS, PROGRAMS } from "./wording.ts";

/**
 * Number of characters in which a result's message is searched: at the beginning, and at the end unless the result is
 * long.
 */
const HEAD = 8_000;
const TAIL = 4_000;
const LONG = 64 * 1024;
/** Number of lines that are read at the beginning and at the end. */
const [FIRST, LAST] = [300, 200];
/** Maximum characters of a compared line, and of a stored message. */
const LINE = 400;
const MESSAGE = 300;
/** Maximum depth of JSON within JSON strings. */
const LEVELS = 3;

const sourcesOf = (part: keyof Wording, ...tables: (typeof AGENTS)[]): string =>
  tables
    .flatMap((table) => Object.values(table).flatMap((each) => (each[part] ?? []).map(({ source }) => source)))
    .join("|");

const LEAD = new RegExp(`^(?:\\s*(?:${sourcesOf("leads", AGENTS, PROGRAMS)}))+`);
const AGENTS_LEAD = new RegExp(`^(?:${sourcesOf("leads", AGENTS)})+`);
const SILENT = new RegExp(`^(?:${sourcesOf("silent", AGENTS, PROGRAMS)})$`);
const TELLING = new RegExp(`^(?:${sourcesOf("telling", AGENTS, PROGRAMS)})$`);
const PLACE = new RegExp(`^(?:${sourcesOf("places", AGENTS, PROGRAMS)})$`);
/** A line that marks part of the source line above. */
const MARKS = /^(?:\d* *\|)?[ ~^]*[~^][ ~^]*$/;
const TAG = new RegExp(sourcesOf("tags", AGENTS), "g");

/** Terminal escapes, also in JSON spelling; invisible characters; characters that change the direction of text. */
const [ESC, CSI, BELL] = ["\u001b", "\u009b", "\u0007"];
const ESCAPES = new RegExp(
  `(?:[${ESC}${CSI}]|\\\\u001[bB]|\\\\x1[bB]|\\\\033)(?:\\[[0-9;:?]*[ -/]*[@-~]|\\][^${BELL}${ESC}\n]{0,200}(?:${BELL}|${ESC}\\\\)?)?`,
  "g",
);
const UNSEEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}]/gu;

const clean = (text: string): string => text.replaceAll(/\r\n?/g, "\n").replaceAll(ESCAPES, "").replaceAll(UNSEEN, "");

/**
 * Returns the message of a failed call's result, as a single line: the message within JSON, else the first line that
 * reports an error, else the first line with content. The message contains no characters that control a terminal or
 * are invisible on a page.
 */
export function extractMessage(result: string): string {
  const line = lineIn(result, LEVELS) || clean(result.slice(0, HEAD)).trim().split("\n", 1)[0] || "";
  const bare = shortened(line, 2 * LINE).trim();
  if (!/[\p{L}\p{N}]/u.test(bare)) return "";
  return shortened(bare.replace(LEAD, "").replaceAll(TAG, "").replaceAll(/\s+/g, " ").trim() || bare, MESSAGE);
}

/** Cuts a text without splitting a surrogate pair. */
const shortened = (text: string, most: number): string => text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "");

function lineIn(result: string, levels: number): string | undefined {
  const isWhole = result.length <= HEAD + TAIL;
  const end = result.length <= LONG ? `\n${result.slice(-TAIL)}` : "";
  const all = clean(isWhole ? result : result.slice(0, HEAD) + end).split("\n");
  const lines = all.length > FIRST + LAST ? [...all.slice(0, FIRST), ...all.slice(-LAST)] : all;
  let first: string | undefined;
  for (const [index, line] of lines.entries()) {
    const said = line.trim().replace(AGENTS_LEAD, "").trim();
    if (first === undefined && levels > 0 && /^[[{]\s*(?:["[{\]}]|$)/.test(said)) {
      return lineIn(inJson([said, ...lines.slice(index + 1)].join("\n")), levels - 1);
    }
    if (isSilent(lines, index, shortened(said, LINE))) continue;
    if (TELLING.test(shortened(said, LINE))) return said;
    first ??= said;
  }
  return first;
}

function isSilent(lines: readonly string[], index: number, said: string): boolean {
  if (SILENT.test(said) || PLACE.test(said)) return true;
  const before = lines[index - 1];
  const isBelow = before !== undefined && /^\s/.test(lines[index] ?? "") && PLACE.test(shortened(before.trim(), LINE));
  return isBelow || MARKS.test(shortened(lines[index + 1]?.trim() ?? "", LINE));
}

/** Returns the message within JSON, else the JSON's values. The JSON may be truncated, or other lines may follow. */
function inJson(text: string): string {
  for (const end of [text.length, Math.max(text.lastIndexOf("}"), text.lastIndexOf("]")) + 1]) {
    try {
      const value = JSON.parse(text.slice(0, end));
      return textOf(value, 0) ?? withoutMarks(text.slice(0, end));
    } catch {}
  }
  for (const key of KEYS) {
    const [, found] = new RegExp(`"${key}"\\s*:\\s*"((?:[^"\\\\]|\\\\.)+)`, "s").exec(text) ?? [];
    if (found !== undefined) return unescaped(found);
  }
  return withoutMarks(text);
}

const withoutMarks = (json: string): string => json.replaceAll(/["[\]{}\\\s]+/g, " ").replaceAll(/ (?=[:,])/g, "");

function unescaped(text: string): string {
  try {
    return JSON.parse(`"${text.replaceAll("\n", "\\n")}"`);
  } catch {
    return text.replaceAll("\\n", "\n").replaceAll('\\"', '"');
  }
}

/** Maximum depth of JSON that is searched. */
const DEEP = 8;

function textOf(value: unknown, level: number): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  if (typeof value !== "object" || value === null || level > DEEP) return undefined;
  const values = Array.isArray(value)
    ? value.slice(0, DEEP)
    : KEYS.map((key) => readOwn(value as Record<string, unknown>, key));
  for (const each of values) {
    const found = textOf(each, level + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Characters that are invisible or reorder text, in PostgreSQL's spelling. */
const HIDDEN = "[\\u0001-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff]";

/**
 * Variable parts of messages, with their replacements. The order matters, because an earlier pattern would hide later
 * parts.
 */
const VARYING: readonly [pattern: string, sign: string][] = [
  ["^(Uncaught )?Error: ", ""],
  [`"[^"]*"|(?<!\\w)'[^']*'(?!\\w)|\`[^\`]*\`|“[^”]*”|‘[^’]*’`, "‹text›"],
  ["\\m[a-zA-Z][a-zA-Z0-9+.-]*://\\S+", "‹url›"],
  ["\\m\\d{4}-\\d\\d-\\d\\d[Tt ]\\d\\d:\\d\\d(:\\d\\d)?[0-9.:Z+-]*", "‹time›"],
  ["(?<![\\w/])(~|\\.{1,2})?(/[\\w.@%+-]+)+/?|[\\w.@-]+(/[\\w.@-]+)+|\\m[A-Za-z]:\\\\[^\\s]+", "‹path›"],
  [
    "\\[redacted:[a-z0-9-]+:[0-9a-f]{4}\\]|\\m0x[0-9a-fA-F]+|\\m[0-9a-fA-F]{8}-?[0-9a-fA-F-]{4,}|\\m(?=\\w*\\d)(?=\\w*[A-Za-z])\\w{12,}\\M",
    "‹id›",
  ],
  // A status, and the number in an error code, distinguish causes and stay.
  ["(?<![A-Z]|(?:status|code|HTTP) |[A-Z][0-9]+|(?:status|code|HTTP) [0-9]+)[0-9]+(\\.[0-9]+)?", "‹n›"],
  ["\\s+", " "],
];

const literal = (text: string): string => `E'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

/** SQL for the message of a failed event. */
export const failureLineSql = (event: string): string => `coalesce(${event}.message, '')`;

/**
 * Raw SQL: a fragment for the read planner and a job. The message of a failed event without variable parts: quoted
 * text, URLs, times, paths, ids and numbers.
 */
export const failureMessageSql = (line: string): string =>
  `btrim(${VARYING.reduce(
    (sql, [pattern, sign]) => `regexp_replace(${sql}, ${literal(pattern)}, '${sign}', 'g')`,
    line,
  )})`;

/** Maximum characters of a message in a title. */
const TITLE = 120;

/** SQL for the title of an issue about a failure, from the name of the failed call and the message. */
export const failureTitleSql = (tool: string, line: string): string =>
  `regexp_replace(${tool}, ${literal(HIDDEN)}, '', 'g') || ': ' || case when char_length(${line}) > ${TITLE}
    then left(${line}, ${TITLE}) || '…' else coalesce(nullif(${line}, ''), 'failed') end`;

/** SQL for the id of the failure group with a name and a message. The id never changes. */
export const failureGroupIdSql = (organization: string, tool: string, message: string): string =>
  `md5(${organization}::text || E'\\n' || ${tool} || E'\\n' || lower(${message}))::uuid`;
