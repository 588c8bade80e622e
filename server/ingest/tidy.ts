/** How the free-form parts of a request are read. */
export interface Reading {
  /** When the request arrived, epoch ms. */
  now: number;
  /** Whether the body spelled an escape that PostgreSQL cannot store; when not, strings need no search. */
  suspicious: boolean;
  /** Keys, in lower case, whose string values are secrets. */
  redact: ReadonlySet<string>;
}

/** What is held against an object on the way to its column. */
export interface Bounds {
  levels: number;
  bytes: number;
  redact: boolean;
}

/** An object as JSON text and how many characters were replaced in it; or the words after the field's name. */
export type Tidied = { json: string; replaced: number } | { words: string };

const UNSTORABLE = /[\0\p{Surrogate}]/gu;
const REDACTED = "[redacted]";

/** Replaces U+0000 and lone surrogates, which PostgreSQL stores nowhere, by U+FFFD; counts them. */
export function cleanText(value: string, counter: { replaced: number }): string {
  return value.replace(UNSTORABLE, () => {
    counter.replaced += 1;
    return "\uFFFD";
  });
}

/** Walks a parsed object once, in place: cleans strings and keys, redacts secrets, finds what cannot be kept. */
export function tidy(object: Record<string, unknown>, bounds: Bounds, reading: Reading): Tidied {
  const walk: Walk = { suspicious: reading.suspicious, redact: reading.redact, bounds, replaced: 0, words: "" };
  visitMembers(object, 1, false, walk);
  if (walk.words !== "") return { words: walk.words };
  const json = JSON.stringify(object);
  const fits = json.length * 3 <= bounds.bytes || Buffer.byteLength(json) <= bounds.bytes;
  return fits ? { json, replaced: walk.replaced } : { words: `must be at most ${bounds.bytes / 1024} KiB of JSON` };
}

interface Walk {
  suspicious: boolean;
  redact: ReadonlySet<string>;
  bounds: Bounds;
  replaced: number;
  words: string;
}

/** Assigning to an own key is safe even when it is `__proto__`: JSON.parse made it an ordinary member. */
function visitMembers(members: Record<string, unknown>, level: number, secret: boolean, walk: Walk): void {
  if (walk.suspicious) cleanKeys(members, walk);
  for (const key in members) {
    const value = members[key];
    const hidden = secret || (walk.bounds.redact && walk.redact.has(key.toLowerCase()));
    if (typeof value === "string" ? hidden || walk.suspicious : typeof value !== "boolean") {
      members[key] = visit(value, level, hidden, walk);
    }
  }
}

/** The value to keep instead of `value`, which lies in an object or array of this level. */
function visit(value: unknown, level: number, secret: boolean, walk: Walk): unknown {
  if (typeof value === "string") {
    if (secret) return REDACTED;
    return walk.suspicious ? cleanText(value, walk) : value;
  }
  if (typeof value === "number" && !Number.isFinite(value)) walk.words = "must hold only numbers a double can hold";
  if (typeof value !== "object" || value === null) return value;
  if (level >= walk.bounds.levels) walk.words = `must be nested at most ${walk.bounds.levels} levels deep`;
  else if (!Array.isArray(value)) visitMembers(value as Record<string, unknown>, level + 1, secret, walk);
  else for (const [index, item] of value.entries()) value[index] = visit(item, level + 1, secret, walk);
  return value;
}

function cleanKeys(object: object, walk: Walk): void {
  for (const [key, value] of Object.entries(object)) {
    const clean = cleanText(key, walk);
    if (clean === key) continue;
    Reflect.deleteProperty(object, key);
    Object.defineProperty(object, clean, { value, enumerable: true, writable: true, configurable: true });
  }
}
