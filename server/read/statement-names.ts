import { createHash } from "node:crypto";

/** Each is a prepared statement on every connection it meets, of both sides. */
const MAX_NAMED = 200;
/** Characters of SQL that have names, together. PostgreSQL 15 keeps 135 to 150 bytes for each of them a connection. */
const MAX_TEXT = 256 * 1024;

/**
 * Gives statements the names under which connections prepare them, and undefined when enough have one. A name follows
 * from the text, so a statement that was forgotten and written anew has the same. None is ever taken back: the
 * connections keep what they have prepared.
 */
export function statementNames(prefix: string): (text: string) => string | undefined {
  const named = new Set<string>();
  let characters = 0;
  return (text) => {
    const name = `${prefix}-${createHash("sha1").update(text).digest("base64url")}`;
    if (named.has(name)) return name;
    if (named.size >= MAX_NAMED || characters + text.length > MAX_TEXT) return undefined;
    named.add(name);
    characters += text.length;
    return name;
  };
}
