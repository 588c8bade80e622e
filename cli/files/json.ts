import { isDeepStrictEqual } from "node:util";
import { applyEdits, type JSONPath, modify, type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { isObject, removeByteOrderMark } from "../../formats/json.ts";
import { getOwnProperty } from "../../formats/own.ts";
import { CommandFailure } from "../failure.ts";

/**
 * A setting that Trackway adds to a JSON file. Without `ours`, the setting is the property at `path`. With `ours`, the
 * setting is an element of the array at `path`, and `ours` returns true for this element.
 */
export interface JsonPart {
  path: JSONPath;
  value: unknown;
  ours?: (element: unknown) => boolean;
  /** Returns true if the value alone shows that Trackway wrote the property. */
  mine?: (value: unknown) => boolean;
}

/** Syntax beyond plain JSON that the program which reads the file accepts. */
export interface JsonDialect {
  comments: boolean;
}

/**
 * Parses a JSON file. An empty file counts as an empty object.
 * @throws CommandFailure with the line number if the program that uses the file could not read the file
 */
export function parseJsonConfig(text: string, path: string, { comments }: JsonDialect): Record<string, unknown> {
  const body = removeByteOrderMark(text);
  if (body.trim() === "") return {};
  const errors: ParseError[] = [];
  const value: unknown = parse(body, errors, { disallowComments: !comments, allowTrailingComma: comments });
  const [first] = errors;
  if (first) {
    const line = body.slice(0, first.offset).split("\n").length;
    throw createMalformedFailure(path, `${printParseErrorCode(first.error)} in line ${line}`);
  }
  if (!isObject(value)) throw createMalformedFailure(path, "the file must contain an object");
  return value;
}

/**
 * Creates the failure for a malformed file, which the program that uses the file could not read. Trackway does not
 * change a malformed file.
 */
export const createMalformedFailure = (path: string, reason: string): CommandFailure =>
  new CommandFailure(`${path} is not valid: ${reason}. No changes were written.`, {
    cure: "correct the file, then run the command again",
  });

/** Adds settings to a text. The text must contain none of these settings yet. */
export const addJsonParts = (text: string, parts: readonly JsonPart[]): string =>
  parts.reduce(insert, text.trim() === "" && parts.length > 0 ? "{}\n" : text);

/** Returns true if a text contains all of the given settings. */
export const hasJsonParts = (text: string, parts: readonly JsonPart[]): boolean => {
  const value = parseLeniently(text);
  return parts.every((part) => isThere(value, part));
};

/**
 * Removes settings from a text, together with objects and arrays that become empty, and restores the values that the
 * original text `before` contained. Without `before`, removes only settings whose value alone shows that Trackway wrote
 * them.
 */
export const removeJsonParts = (text: string, parts: readonly JsonPart[], before: string | undefined): string => {
  const old = before === undefined ? undefined : parseLeniently(before);
  return parts.reduce((now, part) => remove(now, part, before === undefined ? undefined : { old }), text);
};

const parseLeniently = (text: string): unknown => parse(removeByteOrderMark(text), [], { allowTrailingComma: true });

const readAt = (value: unknown, path: JSONPath): unknown =>
  path.reduce<unknown>(
    (inner, key) => getOwnProperty(inner as Record<string, unknown> | undefined, String(key)),
    value,
  );

const readListAt = (value: unknown, path: JSONPath): unknown[] => {
  const found = readAt(value, path);
  return Array.isArray(found) ? found : [];
};

function isThere(value: unknown, { path, value: wanted, ours }: JsonPart): boolean {
  if (!ours) return isDeepStrictEqual(readAt(value, path), wanted);
  const mine = readListAt(value, path).filter(ours);
  return mine.length === 1 && isDeepStrictEqual(mine[0], wanted);
}

function insert(text: string, { path, value, ours }: JsonPart): string {
  return ours
    ? editAt(text, [...path, readListAt(parseLeniently(text), path).length], value, true)
    : editAt(text, path, value);
}

/** The value of the original text; undefined if the original text is not known. */
type Known = { old: unknown } | undefined;

function remove(text: string, part: JsonPart, known: Known): string {
  const { path, value, ours, mine } = part;
  if (ours) {
    const index = readListAt(parseLeniently(text), path).findIndex(ours);
    if (index < 0) return text;
    const without = editAt(text, [...path, index], undefined);
    return remove(withoutEmpty(without, [...path, index], known), part, known);
  }
  const there = readAt(parseLeniently(text), path);
  if (there === undefined || !(mine?.(there) || (known && isDeepStrictEqual(there, value)))) return text;
  const old = readAt(known?.old, path);
  return old === undefined ? withoutEmpty(editAt(text, path, undefined), path, known) : editAt(text, path, old);
}

/**
 * After a value was removed, also removes the objects and arrays that contained the value and are now empty. Begins
 * with the innermost. Keeps an object or array that the original text contained.
 */
function withoutEmpty(text: string, path: JSONPath, known: Known): string {
  const around = path.slice(0, -1);
  if (around.length === 0 || readAt(known?.old, around) !== undefined) return text;
  const left = readAt(parseLeniently(text), around);
  const empty = typeof left === "object" && left !== null && Object.keys(left).length === 0;
  return empty ? withoutEmpty(editAt(text, around, undefined), around, known) : text;
}

function editAt(text: string, path: JSONPath, value: unknown, isArrayInsertion = false): string {
  const body = removeByteOrderMark(text);
  const lead = text.slice(0, text.length - body.length);
  const formattingOptions = formattingOf(body);
  return lead + applyEdits(body, modify(body, path, value, { formattingOptions, isArrayInsertion }));
}

/** Returns the indentation and line ends that the file uses. */
function formattingOf(text: string) {
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
  return {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.startsWith("\t") ? 1 : indent.length,
    eol: /\r\n/.test(text) ? "\r\n" : "\n",
  };
}
