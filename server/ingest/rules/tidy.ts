import { toUSVString } from "node:util";
import { readOwn } from "../../../formats/own.ts";
import type { Redactor } from "../../../redaction/index.ts";
import type { Prices } from "../../prices/prices.ts";

/** The context in which events are read: beside their free-form parts, what they cost. */
export interface EventReading extends Reading {
  prices: Prices;
}

/** The context in which the free-form parts of a request are read. */
export interface Reading {
  /** When the request arrived, epoch ms. */
  now: number;
  /** True when the body spelled an escape that PostgreSQL cannot store; otherwise strings need no search. */
  suspicious: boolean;
  /** The organization: a session id that is no UUID becomes a UUID in its namespace. */
  organizationId?: string;
  /** Keys, in lower case, whose string values are secrets. */
  redact: ReadonlySet<string>;
  redactor: Redactor;
}

/** The bounds of an object on the way to its column. */
export interface Bounds {
  levels: number;
  bytes: number;
  redact: boolean;
}

/**
 * An object as JSON text, the number of replaced characters, and true where any text is another one; or the text after the
 * field's name in a reason.
 */
export type Tidied = { json: string; replaced: number; isChanged: boolean } | { words: string };

/** Replaces U+0000 and lone surrogates, which PostgreSQL stores nowhere, by U+FFFD; counts them. */
export function cleanText(value: string, counter: { replaced: number }): string {
  // Built-in functions over the whole: one call of ours for each character takes long when there are a million.
  const clean = toUSVString(value).replace(/\0/g, "\uFFFD");
  if (clean === value) return value;
  for (let at = 0; at < value.length; at += 1) {
    if (value.charCodeAt(at) !== clean.charCodeAt(at)) counter.replaced += 1;
  }
  return clean;
}

/** Walks a parsed object once, in place: cleans strings and keys, redacts secrets, finds what cannot be kept. */
export function tidy(object: Record<string, unknown>, bounds: Bounds, reading: Reading): Tidied {
  // Member by member: V8 adds each one behind a spread by a call of its runtime, which takes ten times the rest of a small walk.
  const { suspicious, redact, redactor } = reading;
  const walk: Walk = { suspicious, redact, redactor, bounds, size: 0, replaced: 0, isChanged: false, words: "" };
  visitMembers(object, 1, false, walk);
  if (walk.words !== "") return { words: walk.words };
  const json = JSON.stringify(object);
  const fits = json.length * 3 <= bounds.bytes || Buffer.byteLength(json) <= bounds.bytes;
  return fits ? { json, replaced: walk.replaced, isChanged: walk.isChanged } : { words: tooLarge(bounds) };
}

const tooLarge = ({ bytes }: Bounds) => `must be at most ${bytes / 1024} KiB of JSON`;

interface Walk extends Pick<Reading, "suspicious" | "redact" | "redactor"> {
  bounds: Bounds;
  /** The least bytes that what was kept so far takes as JSON: its characters, and a comma for each value. */
  size: number;
  replaced: number;
  isChanged: boolean;
  words: string;
}

/** Counts what is kept. What is over the bound is refused before the rest is cleaned and serialized. */
function keep(characters: number, walk: Walk): boolean {
  walk.size += characters + 1;
  if (walk.size > walk.bounds.bytes) walk.words = tooLarge(walk.bounds);
  return walk.words === "";
}

/** Assigning to an own key is safe even when it is `__proto__`: JSON.parse made it an ordinary member. */
function visitMembers(members: Record<string, unknown>, level: number, secret: boolean, walk: Walk): void {
  if (walk.suspicious) cleanKeys(members, walk);
  if (walk.words !== "") return;
  for (const key in members) {
    const value = readOwn(members, key);
    const hidden = secret || (walk.bounds.redact && walk.redact.has(key.toLowerCase()));
    const kept = typeof value === "string" ? textOf(value, hidden, key, walk) : visit(value, level, hidden, walk);
    if (kept !== value) members[key] = kept;
    if (!keep((walk.suspicious ? 0 : key.length) + lengthOf(kept), walk)) return;
    const name = key.length < SHORTEST ? key : walk.redactor.text(key);
    if (name !== key) rename(members, key, name, walk);
  }
}

/** No text with fewer characters is known as a secret by itself. */
const SHORTEST = 16;

/** The member comes last under its new name, where a walk of the members as they were does not meet it. */
function rename(members: object, key: string, name: string, walk: Walk): void {
  walk.isChanged = true;
  const value = Reflect.get(members, key);
  Reflect.deleteProperty(members, key);
  Object.defineProperty(members, name, { value, enumerable: true, writable: true, configurable: true });
}

function visitItems(items: unknown[], level: number, secret: boolean, walk: Walk): void {
  for (const [index, item] of items.entries()) {
    const kept = typeof item === "string" ? textOf(item, secret, "", walk) : visit(item, level, secret, walk);
    items[index] = kept;
    if (!keep(lengthOf(kept), walk)) return;
  }
}

const lengthOf = (value: unknown): number => (typeof value === "string" ? value.length : 0);

/** The text to keep: a mark for one that its key hides, else without the secrets in it. */
function textOf(text: string, secret: boolean, key: string, walk: Walk): string {
  // A longer one is refused anyway, and cleaning would not shorten it.
  if (!secret && text.length > walk.bounds.bytes) return text;
  const kept = secret
    ? walk.redactor.mark("header", text)
    : walk.redactor.member(key, walk.suspicious ? cleanText(text, walk) : text);
  if (kept !== text) walk.isChanged = true;
  return kept;
}

/** The value to keep instead of `value`, no text, which lies in an object or array of this level. */
function visit(value: unknown, level: number, secret: boolean, walk: Walk): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) walk.words = "must hold only numbers a double can hold";
  if (typeof value !== "object" || value === null) return value;
  if (level >= walk.bounds.levels) walk.words = `must be nested at most ${walk.bounds.levels} levels deep`;
  else if (Array.isArray(value)) visitItems(value, level + 1, secret, walk);
  else visitMembers(value as Record<string, unknown>, level + 1, secret, walk);
  return value;
}

/** A text without what is over so many bytes of UTF-8: a mark may be longer than what it stands for. */
export function cutText(text: string, bytes: number): string {
  if (text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes) return text;
  return Buffer.from(text)
    .subarray(0, bytes)
    .toString()
    .replace(/\uFFFD+$/, "");
}

function cleanKeys(object: object, walk: Walk): void {
  for (const key of Object.keys(object)) {
    if (!keep(key.length, walk)) return;
    const clean = cleanText(key, walk);
    if (clean !== key) rename(object, key, clean, walk);
  }
}
