import { isDeepStrictEqual } from "node:util";
import { applyEdits, type JSONPath, modify, type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { Failure } from "../failure.ts";

/** Something of ours in a JSON file: a property, or an element of the array at the path when `ours` tells it. */
export interface JsonPart {
  path: JSONPath;
  value: unknown;
  ours?: (element: unknown) => boolean;
  /** Of a property: whether what stands there is ours to take out. It always is, unless this is given. */
  mine?: (value: unknown) => boolean;
}

/** What the program that reads the file takes beside plain JSON. */
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
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw malformed(path, "it is no object");
  return value as Record<string, unknown>;
}

/** A file that its own program could not read is left as it is. */
export const malformed = (path: string, reason: string): Failure =>
  new Failure(`${path} is not well-formed: ${reason}; nothing was written.`, {
    cure: "correct that file, then the same command again",
  });

/** Adds our parts to a text, or leaves the text as it is when all are there already. */
export function addParts(text: string, parts: readonly JsonPart[]): string {
  if (parts.every((part) => isThere(parsed(text), part))) return text;
  return parts.reduce((now, part) => insert(remove(now, part), part), text.trim() === "" ? "{}\n" : text);
}

/** Takes our parts out, with the objects and arrays that stand empty without them. */
export const removeParts = (text: string, parts: readonly JsonPart[]): string => parts.reduce(remove, text);

const parsed = (text: string): unknown => parse(text.replace(BOM, ""), [], { allowTrailingComma: true });

const at = (value: unknown, path: JSONPath): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value);

const isDefined = (value: unknown): boolean => value !== undefined;

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

function remove(text: string, { path, ours, mine = isDefined }: JsonPart): string {
  if (!ours) return mine(at(parsed(text), path)) ? withoutEmpty(edit(text, path, undefined), path) : text;
  const index = listAt(parsed(text), path).findIndex(ours);
  if (index < 0) return text;
  const without = edit(text, [...path, index], undefined);
  return remove(withoutEmpty(without, [...path, index]), { path, value: undefined, ours });
}

/** Drops the objects and arrays around a place that was emptied, from the inside out. */
function withoutEmpty(text: string, path: JSONPath): string {
  const around = path.slice(0, -1);
  if (around.length === 0) return text;
  const left = at(parsed(text), around);
  const empty = typeof left === "object" && left !== null && Object.keys(left).length === 0;
  return empty ? withoutEmpty(edit(text, around, undefined), around) : text;
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
