import { createHash } from "node:crypto";

/** Each is prepared on every connection that runs it, which takes memory here and in PostgreSQL. */
const MAX_NAMED = 200;
/** Characters of SQL that have names, together. PostgreSQL 15 keeps 135 to 150 bytes for each of them a connection. */
const MAX_TEXT = 256 * 1024;

/**
 * Gives statements the names under which connections prepare them, and undefined when enough have one. A name follows
 * from the text, so a statement that was dropped from a cache and written again has the same. No name is
 * ever freed: the connections keep what they have prepared.
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
