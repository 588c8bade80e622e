import { isDeepStrictEqual } from "node:util";
import { applyEdits, type JSONPath, modify, type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { isObject } from "../../formats/json.ts";
import { readOwn } from "../../formats/own.ts";
import { Failure } from "../failure.ts";

/** Something of ours in a JSON file: a property, or an element of the array at the path when `ours` tells it. */
export interface JsonPart {
  path: JSONPath;
  value: unknown;
  ours?: (element: unknown) => boolean;
  /** Tells a property that shows by itself that it is ours. */
  mine?: (value: unknown) => boolean;
}

/** Syntax that the reading program accepts beside plain JSON. */
export interface JsonDialect {
  comments: boolean;
}

const BOM = "\uFEFF";

/**
 * The value of a JSON file; an empty one counts as an empty object.
 * @throws Failure naming the line, when it is not what its program could read.
 */
export function readJson(text: string, path: string, { comments }: JsonDialect): Record<string, unknown> {
  const body = text.startsWith(BOM) ? text.slice(1) : text;
  if (body.trim() === "") return {};
  const errors: ParseError[] = [];
  const value: unknown = parse(body, errors, { disallowComments: !comments, allowTrailingComma: comments });
  const [first] = errors;
  if (first) {
    const line = body.slice(0, first.offset).split("\n").length;
    throw malformed(path, `${printParseErrorCode(first.error)} in line ${line}`);
  }
  if (!isObject(value)) throw malformed(path, "it is no object");
  return value;
}

/** A file that its own program could not read is left as it is. */
export const malformed = (path: string, reason: string): Failure =>
  new Failure(`${path} is not well-formed: ${reason}; nothing was written.`, {
    cure: "correct that file, then the same command again",
  });

/** Adds our parts to a text that has none of them. */
export const addParts = (text: string, parts: readonly JsonPart[]): string =>
  parts.reduce(insert, text.trim() === "" && parts.length > 0 ? "{}\n" : text);

/** Answers if a text has all of our parts. */
export const hasParts = (text: string, parts: readonly JsonPart[]): boolean => {
  const value = parsed(text);
  return parts.every((part) => isThere(value, part));
};

/**
 * Takes our parts out, with the objects and arrays that stand empty without them, and puts back what stood there in the text
 * from before. Without one, only what shows by itself that it is ours goes.
 */
export const removeParts = (text: string, parts: readonly JsonPart[], before: string | undefined): string => {
  const old = before === undefined ? undefined : parsed(before);
  return parts.reduce((now, part) => remove(now, part, before === undefined ? undefined : { old }), text);
};

const parsed = (text: string): unknown => parse(text.replace(BOM, ""), [], { allowTrailingComma: true });

const at = (value: unknown, path: JSONPath): unknown =>
  path.reduce<unknown>((inner, key) => readOwn(inner as Record<string, unknown> | undefined, String(key)), value);

const listAt = (value: unknown, path: JSONPath): unknown[] => {
  const found = at(value, path);
  return Array.isArray(found) ? found : [];
};

function isThere(value: unknown, { path, value: wanted, ours }: JsonPart): boolean {
  if (!ours) return isDeepStrictEqual(at(value, path), wanted);
  const mine = listAt(value, path).filter(ours);
  return mine.length === 1 && isDeepStrictEqual(mine[0], wanted);
}

function insert(text: string, { path, value, ours }: JsonPart): string {
  return ours ? edit(text, [...path, listAt(parsed(text), path).length], value, true) : edit(text, path, value);
}

/** The value of the text from before, where there is one. */
type Known = { old: unknown } | undefined;

function remove(text: string, part: JsonPart, known: Known): string {
  const { path, value, ours, mine } = part;
  if (ours) {
    const index = listAt(parsed(text), path).findIndex(ours);
    if (index < 0) return text;
    const without = edit(text, [...path, index], undefined);
    return remove(withoutEmpty(without, [...path, index], known), part, known);
  }
  const there = at(parsed(text), path);
  if (there === undefined || !(mine?.(there) || (known && isDeepStrictEqual(there, value)))) return text;
  const old = at(known?.old, path);
  return old === undefined ? withoutEmpty(edit(text, path, undefined), path, known) : edit(text, path, old);
}

/** Drops the objects and arrays around a place that was emptied, from the inside out, unless they were there before. */
function withoutEmpty(text: string, path: JSONPath, known: Known): string {
  const around = path.slice(0, -1);
  if (around.length === 0 || at(known?.old, around) !== undefined) return text;
  const left = at(parsed(text), around);
  const empty = typeof left === "object" && left !== null && Object.keys(left).length === 0;
  return empty ? withoutEmpty(edit(text, around, undefined), around, known) : text;
}

function edit(text: string, path: JSONPath, value: unknown, isArrayInsertion = false): string {
  const lead = text.startsWith(BOM) ? BOM : "";
  const body = text.slice(lead.length);
  const formattingOptions = formattingOf(body);
  return lead + applyEdits(body, modify(body, path, value, { formattingOptions, isArrayInsertion }));
}

/** The file's own way of indenting and of ending lines. */
function formattingOf(text: string) {
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
  return {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.startsWith("\t") ? 1 : indent.length,
    eol: /\r\n/.test(text) ? "\r\n" : "\n",
  };
}
