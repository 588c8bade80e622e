/** How the free-form parts of a request are read. */
export interface Reading {
  /** When the request arrived, epoch ms. */
  now: number;
  /** Whether the body spelled an escape that PostgreSQL cannot store; when not, strings need no search. */
  suspicious: boolean;
  /** Keys, in lower case, whose string values are secrets. */
  redact: ReadonlySet<string>;
}

/** What is held against an object on the way to jsonb. */
export interface Bounds {
  levels: number;
  bytes: number;
  redact: boolean;
}

/** The words after the field's name when the object cannot be kept. */
export interface Untidy {
  words: string;
}

const UNSTORABLE = /[\0\p{Surrogate}]/gu;
const REDACTED = "[redacted]";

/** Replaces U+0000 and lone surrogates, which PostgreSQL stores nowhere, by U+FFFD; counts them. */
export function cleanText(value: string, counter: { replaced: number }): string {
  return value.replace(UNSTORABLE, () => {
    counter.replaced += 1;
    return "\uFFFD";
  });
}

/**
 * Walks a parsed object once, in place: cleans strings and keys, redacts secrets, finds what cannot be kept.
 * @returns the number of characters replaced, or what is wrong
 */
export function tidy(object: Record<string, unknown>, bounds: Bounds, reading: Reading): number | Untidy {
  const walk: Walk = { reading, bounds, replaced: 0, words: "" };
  visit(object, 1, false, walk);
  if (walk.words === "" && Buffer.byteLength(JSON.stringify(object)) > bounds.bytes) {
    walk.words = `must be at most ${bounds.bytes / 1024} KiB of JSON`;
  }
  return walk.words === "" ? walk.replaced : { words: walk.words };
}

interface Walk {
  reading: Reading;
  bounds: Bounds;
  replaced: number;
  words: string;
}

/** The value to keep instead of `value`. Assigning to an own key is safe even when it is `__proto__`. */
function visit(value: unknown, level: number, secret: boolean, walk: Walk): unknown {
  if (typeof value === "string") {
    if (secret) return REDACTED;
    return walk.reading.suspicious ? cleanText(value, walk) : value;
  }
  if (typeof value === "number" && !Number.isFinite(value)) walk.words = "must hold only numbers a double can hold";
  if (typeof value !== "object" || value === null) return value;
  if (level > walk.bounds.levels) {
    walk.words = `must be nested at most ${walk.bounds.levels} levels deep`;
    return value;
  }
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) value[index] = visit(value[index], level + 1, secret, walk);
    return value;
  }
  if (walk.reading.suspicious) cleanKeys(value, walk);
  const members = value as Record<string, unknown>;
  for (const key of Object.keys(members)) {
    const hidden = secret || (walk.bounds.redact && walk.reading.redact.has(key.toLowerCase()));
    members[key] = visit(members[key], level + 1, hidden, walk);
  }
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
