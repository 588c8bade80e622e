/** Names of metadata members whose values must be redacted. */
export interface Redaction {
  /** In lower case. */
  keys: ReadonlySet<string>;
  /** Length and first letter of each name. A quick check that rules out nearly all other names. */
  hints: ReadonlySet<number>;
}

const SECRETS = "authorization,proxy-authorization,cookie,set-cookie,x-api-key";

/** Parses a list such as `authorization,cookie`. With `off`, no value is redacted because of its name. */
export function parseRedaction(setting: string = SECRETS): Redaction {
  const keys = setting === "off" ? [] : setting.split(",").map((key) => key.trim().toLowerCase());
  return {
    keys: new Set(keys),
    hints: new Set(keys.map((key) => hint(key.length, key.charCodeAt(0)))),
  };
}

/** Returns true if the ASCII name between `start` and `stop` must have its value redacted. Ignores case. */
export function isRedactedName({ keys, hints }: Redaction, bytes: Buffer, start: number, stop: number): boolean {
  return (
    hints.has(hint(stop - start, bytes[start] ?? 0)) && keys.has(bytes.toString("latin1", start, stop).toLowerCase())
  );
}

/** The hint is equal for a letter in upper and lower case. */
const hint = (length: number, first: number): number => length * 256 + (first | 32);
