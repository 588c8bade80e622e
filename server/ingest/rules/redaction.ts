/** The keys of metadata that hide their values. */
export interface Redaction {
  /** In lower case. */
  keys: ReadonlySet<string>;
  /** The length and first letter of each, which rule out nearly all other keys at once. */
  hints: ReadonlySet<number>;
}

const SECRETS = "authorization,proxy-authorization,cookie,set-cookie,x-api-key";

/** Reads a list such as `authorization,cookie`; `off` hides no value for its key. */
export function redaction(setting: string = SECRETS): Redaction {
  const keys = setting === "off" ? [] : setting.split(",").map((key) => key.trim().toLowerCase());
  return {
    keys: new Set(keys),
    hints: new Set(keys.map((key) => hint(key.length, key.charCodeAt(0)))),
  };
}

/** Reports whether an ASCII key that lies in bytes hides its value, in whatever case. */
export function hides({ keys, hints }: Redaction, bytes: Buffer, start: number, stop: number): boolean {
  return (
    hints.has(hint(stop - start, bytes[start] ?? 0)) && keys.has(bytes.toString("latin1", start, stop).toLowerCase())
  );
}

/** The same for a letter in either case. */
const hint = (length: number, first: number): number => length * 256 + (first | 32);
