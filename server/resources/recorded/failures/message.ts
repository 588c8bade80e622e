import { getOwnProperty } from "../../../../formats/own.ts";
import type { Wording } from "../../../agents/tools.ts";
import { AGENT_WORDINGS, ERROR_MESSAGE_JSON_KEYS, PROGRAM_WORDINGS } from "./wording.ts";

/**
 * The message is searched in the first HEAD and in the last TAIL characters of a result. If the result is longer than
 * LONG, only the first HEAD characters are searched.
 */
const HEAD = 8_000;
const TAIL = 4_000;
const LONG = 64 * 1024;
/** Number of lines that are read at the beginning and at the end. */
const [FIRST, LAST] = [300, 200];
/** Maximum number of characters of a line that are compared with patterns. Maximum length of a stored message. */
const LINE = 400;
const MESSAGE = 300;
/** Maximum depth of JSON within JSON strings. */
const LEVELS = 3;

const sourcesOf = (part: keyof Wording, ...tables: (typeof AGENT_WORDINGS)[]): string =>
  tables
    .flatMap((table) => Object.values(table).flatMap((each) => (each[part] ?? []).map(({ source }) => source)))
    .join("|");

const LEAD = new RegExp(`^(?:\\s*(?:${sourcesOf("leads", AGENT_WORDINGS, PROGRAM_WORDINGS)}))+`);
const AGENTS_LEAD = new RegExp(`^(?:${sourcesOf("leads", AGENT_WORDINGS)})+`);
const SILENT = new RegExp(`^(?:${sourcesOf("silent", AGENT_WORDINGS, PROGRAM_WORDINGS)})$`);
const TELLING = new RegExp(`^(?:${sourcesOf("telling", AGENT_WORDINGS, PROGRAM_WORDINGS)})$`);
const PLACE = new RegExp(`^(?:${sourcesOf("places", AGENT_WORDINGS, PROGRAM_WORDINGS)})$`);
/** Matches a line such as `^^^^` or `~~~~`, which marks part of the source line above. */
const MARKS = /^(?:\d* *\|)?[ ~^]*[~^][ ~^]*$/;
const TAG = new RegExp(sourcesOf("tags", AGENT_WORDINGS), "g");

/**
 * `ESCAPES` matches terminal escape sequences, also as JSON writes them. `UNSEEN` matches invisible characters and
 * characters that change the direction of text.
 */
const [ESC, CSI, BELL] = ["\u001b", "\u009b", "\u0007"];
const ESCAPES = new RegExp(
  `(?:[${ESC}${CSI}]|\\\\u001[bB]|\\\\x1[bB]|\\\\033)(?:\\[[0-9;:?]*[ -/]*[@-~]|\\][^${BELL}${ESC}\n]{0,200}(?:${BELL}|${ESC}\\\\)?)?`,
  "g",
);
const UNSEEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}]/gu;

const clean = (text: string): string => text.replaceAll(/\r\n?/g, "\n").replaceAll(ESCAPES, "").replaceAll(UNSEEN, "");

/**
 * Returns the error message in the result of a failed call, as a single line. The message comes from JSON in the
 * result, else from the first line that reports an error, else from the first line with content. The message contains
 * no characters that control a terminal or are invisible on a page.
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

/**
 * Returns the message in a JSON text. If no known key contains a message, returns the values without quotes and
 * brackets. The JSON may be truncated, or other lines may follow the JSON.
 */
function inJson(text: string): string {
  for (const end of [text.length, Math.max(text.lastIndexOf("}"), text.lastIndexOf("]")) + 1]) {
    try {
      const value = JSON.parse(text.slice(0, end));
      return textOf(value, 0) ?? withoutMarks(text.slice(0, end));
    } catch {}
  }
  for (const key of ERROR_MESSAGE_JSON_KEYS) {
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
    : ERROR_MESSAGE_JSON_KEYS.map((key) => getOwnProperty(value as Record<string, unknown>, key));
  for (const each of values) {
    const found = textOf(each, level + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Character class, in the syntax of PostgreSQL, with characters that are invisible or change the direction of text. */
const HIDDEN = "[\\u0001-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff]";

/**
 * Patterns for the variable parts of messages, with the replacement of each part. The order matters, because a
 * replacement changes the text in which later patterns search.
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
  // Numbers are variable parts. A status and the number in an error code are not replaced, because these numbers
  // distinguish causes.
  ["(?<![A-Z]|(?:status|code|HTTP) |[A-Z][0-9]+|(?:status|code|HTTP) [0-9]+)[0-9]+(\\.[0-9]+)?", "‹n›"],
  ["\\s+", " "],
];

const literal = (text: string): string => `E'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

/** SQL for the message of a failed event. */
export const storedFailureMessageSql = (event: string): string => `coalesce(${event}.message, '')`;

/**
 * Raw SQL: a fragment for the read planner and a job. SQL for the message of a failed event, in which all variable
 * parts are replaced: quoted text, URLs, times, paths, ids and numbers.
 */
export const normalizedFailureMessageSql = (line: string): string =>
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

/**
 * SQL for the id of the failure group with the given name of a call and the given message: a hash of the organization,
 * the name and the message. The id of a group never changes.
 */
export const failureGroupIdSql = (organization: string, tool: string, message: string): string =>
  `md5(${organization}::text || E'\\n' || ${tool} || E'\\n' || lower(${message}))::uuid`;
