import { excessOf, isDeeper } from "../../../../formats/json.ts";
import type { Value } from "../model.ts";
import type { Reading, Take } from "./convention.ts";
import { messageText } from "./messages.ts";
import { type Getter, getter, type Item } from "./places.ts";

/** Takes the value a table asks for, as text; undefined where there is none. */
export type Taker = (item: Item) => string | undefined;

/** A taker, made once for each entry of a table. */
export function taker(take: Take): Taker {
  const { at, path, match, as, or, less = 0, within } = take;
  const getters = at.map(getter);
  const otherwise = or && taker(or);
  const around = within && taker(within);
  return (item) => {
    for (const get of getters) {
      const found = get(item);
      const inner = found !== undefined && path ? walk(parsed(found), path) : found;
      const text = inner === undefined ? undefined : matched(read(inner, as), match);
      if (text === undefined) continue;
      const whole = less === 0 ? text : String(Number(text) - less);
      if (!around) return whole;
      const before = around(item);
      if (before !== undefined) return `${before}/${whole}`;
    }
    return otherwise?.(item);
  };
}

/** A taker for numbers, which may be written as text. */
export function numberTaker(take: Take): (item: Item) => number | undefined {
  const text = taker(take);
  // Most are numbers at the first place, and need no text.
  const plain = take.path || take.match || take.or ? undefined : take.at.map(getter);
  return (item) => {
    const quick = plain && firstNumber(plain, item);
    if (quick !== undefined) return quick;
    const number = Number(text(item) ?? Number.NaN);
    return Number.isFinite(number) ? number : undefined;
  };
}

function firstNumber(getters: readonly Getter[], item: Item): number | undefined {
  for (const get of getters) {
    const value = get(item);
    if (typeof value === "number") return value;
    if (value !== undefined) return undefined;
  }
  return undefined;
}

function matched(text: string, match: RegExp | undefined): string | undefined {
  if (!match) return text;
  const found = match.exec(text);
  return found ? (found[1] ?? found[0]) : undefined;
}

function read(value: Value, as: Reading | undefined): string {
  if (as === "json") return textOf(parsed(value));
  if (as === undefined) return textOf(value);
  return messageText(parsed(value), as === "prompt") ?? textOf(value);
}

const textOf = (value: Value): string => (typeof value === "string" ? value : JSON.stringify(value));

/** JSON in a text is walked and written again: what nests deeper than this, or holds more, stays the text that it is. */
const MAX_LEVELS = 64;
const EXTENT = { levels: MAX_LEVELS, values: 65_536 };
const SMALL_CHARS = 32 * 1024;

/** The text that was parsed last: several entries of a table read the same one. */
let last: { text: string; value: Value } = { text: "", value: "" };

/** The value of a JSON text; any other value as it is. */
function parsed(value: Value): Value {
  if (typeof value !== "string" || !/^\s*[[{"]/.test(value)) return value;
  if (last.text !== value) last = { text: value, value: parseJson(value) };
  return last.value;
}

function parseJson(text: string): Value {
  if (text.length > SMALL_CHARS && excessOf(Buffer.from(text), EXTENT)) return text;
  try {
    const value: Value = JSON.parse(text);
    return isDeeper(value, MAX_LEVELS) ? text : value;
  } catch {
    return text;
  }
}

function walk(value: Value, path: readonly string[]): Value | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return value === "" || value === null ? undefined : value;
  if (typeof value !== "object" || value === null) return undefined;
  if (!Array.isArray(value)) return Object.hasOwn(value, name) ? walk(value[name] ?? null, rest) : undefined;
  if (name !== "*") return undefined;
  for (const item of value) {
    const found = walk(item, rest);
    if (found !== undefined) return found;
  }
  return undefined;
}
