/** Names of metadata members whose values must be redacted. */
export interface MetadataRedaction {
  /** In lower case. */
  keys: ReadonlySet<string>;
  /**
   * For each name, a number computed from the length and the first letter of the name. Comparing this number first is
   * quick and rules out nearly all names that need no redaction.
   */
  hints: ReadonlySet<number>;
}

const SECRETS = "authorization,proxy-authorization,cookie,set-cookie,x-api-key";

/** Parses a list such as `authorization,cookie`. With `off`, no value is redacted because of its name. */
export function parseRedaction(setting: string = SECRETS): MetadataRedaction {
  const keys = setting === "off" ? [] : setting.split(",").map((key) => key.trim().toLowerCase());
  return {
    keys: new Set(keys),
    hints: new Set(keys.map((key) => hint(key.length, key.charCodeAt(0)))),
  };
}

/**
 * Returns true if the value of a property must be redacted because of the property's name. The name is the ASCII text
 * between `start` and `stop` in `bytes`. Upper and lower case are equal.
 */
export function isRedactedName(
  { keys, hints }: MetadataRedaction,
  bytes: Buffer,
  start: number,
  stop: number,
): boolean {
  return (
    hints.has(hint(stop - start, bytes[start] ?? 0)) && keys.has(bytes.toString("latin1", start, stop).toLowerCase())
  );
}

/** Returns the same number for an upper-case and a lower-case first letter. */
const hint = (length: number, first: number): number => length * 256 + (first | 32);
