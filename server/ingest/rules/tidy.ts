import { toUSVString } from "node:util";
import { getOwnProperty } from "../../../formats/own.ts";
import type { Redactor } from "../../../redaction/index.ts";
import type { CostCalculator } from "../../prices/prices.ts";

/** Data that reading an event needs: the data for reading metadata and other free-form fields, and the prices. */
export interface EventReadingContext extends ReadingContext {
  prices: CostCalculator;
}

/** Data that reading metadata and other free-form fields of a request needs. */
export interface ReadingContext {
  /** Arrival of the request, epoch ms. */
  now: number;
  /**
   * True if the body contained an escape sequence for a character that PostgreSQL cannot store. If false, strings need
   * no check.
   */
  suspicious: boolean;
  /** Id of the organization. Determines the UUID for a session id that is not a UUID. */
  organizationId?: string;
  /** Names of properties whose string values must be redacted, in lower case. */
  redact: ReadonlySet<string>;
  redactor: Redactor;
}

/** Limits of an object that is stored in a database column. */
export interface ObjectLimits {
  levels: number;
  bytes: number;
  redact: boolean;
}

/**
 * Result of cleaning an object. On success: the JSON text, the number of replaced characters, and whether any text
 * changed. On failure: the end of a sentence that begins with the name of the field.
 */
export type CleanedObject = { json: string; replaced: number; isChanged: boolean } | { words: string };

/** Replaces U+0000 and lone surrogates, which PostgreSQL cannot store, by U+FFFD, and counts the replacements. */
export function cleanText(value: string, counter: { replaced: number }): string {
  // Uses built-in functions for the whole text. A call per character would take long for a million characters.
  const clean = toUSVString(value).replace(/\0/g, "\uFFFD");
  if (clean === value) return value;
  for (let at = 0; at < value.length; at += 1) {
    if (value.charCodeAt(at) !== clean.charCodeAt(at)) counter.replaced += 1;
  }
  return clean;
}

/**
 * Cleans a parsed object in place, in one pass. Replaces characters in strings and names, redacts secrets, and finds
 * values that cannot be stored.
 */
export function cleanObject(
  object: Record<string, unknown>,
  bounds: ObjectLimits,
  reading: ReadingContext,
): CleanedObject {
  // Lists each property instead of using a spread. After a spread, V8 adds each further property with a runtime call,
  // which takes ten times as long as the rest of cleaning a small object.
  const { suspicious, redact, redactor } = reading;
  const walk: Walk = { suspicious, redact, redactor, bounds, size: 0, replaced: 0, isChanged: false, words: "" };
  visitMembers(object, 1, false, walk);
  if (walk.words !== "") return { words: walk.words };
  const json = JSON.stringify(object);
  const fits = json.length * 3 <= bounds.bytes || Buffer.byteLength(json) <= bounds.bytes;
  return fits ? { json, replaced: walk.replaced, isChanged: walk.isChanged } : { words: tooLarge(bounds) };
}

const tooLarge = ({ bytes }: ObjectLimits) => `must be at most ${bytes / 1024} KiB of JSON`;

interface Walk extends Pick<ReadingContext, "suspicious" | "redact" | "redactor"> {
  bounds: ObjectLimits;
  /**
   * Minimum size in bytes of the JSON text that was visited so far: the characters of names and strings, and one comma
   * per value.
   */
  size: number;
  replaced: number;
  isChanged: boolean;
  words: string;
}

/**
 * Adds to the size of the object. If the size exceeds the limit, the object is rejected at once, before the remaining
 * values are cleaned and serialized. Returns false if the object is rejected.
 */
function keep(characters: number, walk: Walk): boolean {
  walk.size += characters + 1;
  if (walk.size > walk.bounds.bytes) walk.words = tooLarge(walk.bounds);
  return walk.words === "";
}

/**
 * The assignment below is safe even for a property with the name `__proto__`, because JSON.parse created the property
 * as an ordinary one.
 */
function visitMembers(members: Record<string, unknown>, level: number, secret: boolean, walk: Walk): void {
  if (walk.suspicious) cleanKeys(members, walk);
  if (walk.words !== "") return;
  for (const key in members) {
    const value = getOwnProperty(members, key);
    const hidden = secret || (walk.bounds.redact && walk.redact.has(key.toLowerCase()));
    const kept = typeof value === "string" ? textOf(value, hidden, key, walk) : visit(value, level, hidden, walk);
    if (kept !== value) members[key] = kept;
    if (!keep((walk.suspicious ? 0 : key.length) + lengthOf(kept), walk)) return;
    const name = key.length < SHORTEST ? key : walk.redactor.text(key);
    if (name !== key) rename(members, key, name, walk);
  }
}

/**
 * Minimum length of a name that is scanned for secrets. A shorter text is never recognized as a secret without context.
 */
const SHORTEST = 16;

/**
 * Renames a property. The renamed property moves to the end of the object, and the loop that is running does not visit
 * the property again.
 */
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

/**
 * Returns the text to store. If the name of the property requires redaction, returns a mark; otherwise, returns the
 * text with secrets redacted.
 */
function textOf(text: string, secret: boolean, key: string, walk: Walk): string {
  // Longer text is rejected anyway, and cleaning would not shorten the text.
  if (!secret && text.length > walk.bounds.bytes) return text;
  const kept = secret
    ? walk.redactor.mark("header", text)
    : walk.redactor.member(key, walk.suspicious ? cleanText(text, walk) : text);
  if (kept !== text) walk.isChanged = true;
  return kept;
}

/**
 * Returns the value to store, and cleans objects and lists in place. `value` is not a string. `level` is the nesting
 * level of the object or list that contains the value.
 */
function visit(value: unknown, level: number, secret: boolean, walk: Walk): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) walk.words = "must hold only numbers a double can hold";
  if (typeof value !== "object" || value === null) return value;
  if (level >= walk.bounds.levels) walk.words = `must be nested at most ${walk.bounds.levels} levels deep`;
  else if (Array.isArray(value)) visitItems(value, level + 1, secret, walk);
  else visitMembers(value as Record<string, unknown>, level + 1, secret, walk);
  return value;
}

/**
 * Truncates text to a maximum number of bytes of UTF-8. Necessary after redaction, because a mark may be longer than
 * the secret that it replaces.
 */
export function truncateText(text: string, bytes: number): string {
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
