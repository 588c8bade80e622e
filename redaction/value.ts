import { getAlphabetBit, isAlnum, looksRandom, type TextReader } from "./reading.ts";
import { isPlaceholder } from "./rules.ts";

/** Value next to a name. */
export interface NamedValue {
  start: number;
  end: number;
  isQuoted: boolean;
  /**
   * True if a space follows the value instead of the closing quote. The quoted text is then a sentence rather than a
   * secret.
   */
  isBroken: boolean;
}

const QUOTE_SIGNS = `"'\``;
const ENV_STOPS = `${QUOTE_SIGNS}\\`;
/**
 * Characters that end a value, in addition to whitespace: for plain values, for environment variables, and for values
 * in each kind of quote.
 */
const STOPS = [`${ENV_STOPS},;)}]&<>`, ENV_STOPS, ...[...QUOTE_SIGNS].flatMap((quote) => [quote, `${quote}\\`])].map(
  (stops) =>
    Uint8Array.from({ length: 128 }, (_, code) => (code <= 32 || stops.includes(String.fromCharCode(code)) ? 1 : 0)),
);
const [PLAIN, ENV, QUOTED] = [0, 1, 2];
const BACKSLASH = 92;

/**
 * Reads the values in a text. Remembers the end of the last value of each form, because the value of a name inside that
 * value ends at the same position.
 */
export class NamedValueReader {
  readonly #reading: TextReader;
  /** Arrays by form. */
  readonly #from: number[] = [];
  readonly #end: number[] = [];

  constructor(reading: TextReader) {
    this.#reading = reading;
  }

  /** Returns the value that begins at `from`, with or without a quote. */
  at(from: number, isEnv: boolean): NamedValue {
    const { text } = this.#reading;
    const open = isAlnum(text.charCodeAt(from)) ? null : /^(\\{0,7})(["'`])/.exec(text.slice(from, from + 8));
    if (!open) {
      const end = this.#endOf(from, isEnv ? ENV : PLAIN);
      return { start: from, end, isQuoted: false, isBroken: false };
    }
    const start = from + open[0].length;
    const form = QUOTED + 2 * QUOTE_SIGNS.indexOf(open[2] ?? "") + (open[1] === "" ? 0 : 1);
    const end = this.#endOf(start, form);
    return { start, end, isQuoted: true, isBroken: text.charAt(end) === " " || text.charAt(end) === "\t" };
  }

  /**
   * Returns the end of a value, including a continuation on the next line if there is one. Only unquoted values of 40
   * or more characters can continue.
   */
  wholeEnd({ start, end, isQuoted }: NamedValue): number {
    const reading = this.#reading;
    if (isQuoted || end - start < 40) return end;
    for (const next of reading.lineStarts(end)) {
      const piece = reading.lineRun(next, BASE64);
      const follows = /^=*\s/.exec(`${reading.text.slice(piece.end, piece.end + 3)}\n`);
      if (piece.end - next >= 12 && piece.isDrawn && follows) return piece.end + follows[0].length - 1;
    }
    return end;
  }

  #endOf(from: number, form: number): number {
    const reading = this.#reading;
    reading.steps += 1;
    const known = this.#end[form] ?? 0;
    if (from >= (this.#from[form] ?? 0) && from < known) return known;
    const end = endOfValue(reading.text, from, form);
    reading.steps += end - from;
    this.#from[form] = from;
    this.#end[form] = end;
    return end;
  }
}

const BASE64 = getAlphabetBit("base64");

function endOfValue(text: string, from: number, form: number): number {
  const stops = STOPS[form] as Uint8Array;
  const skips = form >= QUOTED && form % 2 === 0;
  let at = from;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 128 && stops[code] === 1) break;
    if (skips && code === BACKSLASH) at += 1;
  }
  return Math.min(at, text.length);
}

/** Properties of a value's surroundings that help to decide whether the value is a secret. */
export interface ValueContext {
  /** True if the value stands next to a name in capitals, like the name of an environment variable. */
  isEnv: boolean;
  isQuoted: boolean;
  /** True if the name announces a user name and password in base64. */
  isBasic: boolean;
}

/** Number of characters that are examined to judge a value. A longer value is neither a word nor a placeholder. */
export const MAX_INSPECTED_CHARS = 64;

/**
 * Returns true if a value is a secret. The value stands next to a name that announces a secret. Takes at most one step
 * per character of the first `MAX_INSPECTED_CHARS` characters.
 */
export function isSecret(value: string, { isEnv, isQuoted, isBasic }: ValueContext): boolean {
  if (value.length < (isEnv ? 4 : 8)) return false;
  if (isBasic) return isBase64BasicCredentials(value);
  const head = value.slice(0, MAX_INSPECTED_CHARS);
  // The appended comma prevents patterns for whole values from matching a truncated value.
  const judged = value.length > MAX_INSPECTED_CHARS ? `${head},` : value;
  if (isPlaceholder(judged) || /\$\{|\{\{|\s/.test(judged)) return false;
  const isPath = /^\.{0,2}\//.test(judged) && !(/\d/.test(judged) && /[A-Z]/.test(judged));
  if (isPath || /^https?:/.test(judged)) return false;
  if (isEnv) return !/[()]|^[a-z]+(?:\.[A-Za-z]+)+$/.test(judged);
  if (isEncoded(value.length > MAX_INSPECTED_CHARS ? head : value)) return true;
  if (!looksRandom(judged)) return false;
  return isQuoted ? isVaried(judged) : value.length >= 10 && isVaried(judged) && !/[.(]|^[a-z]+\d+$/i.test(judged);
}

/**
 * Returns true if a value with digits and letters is more than a word with a number, such as `oauth2token` or
 * `sha256-legacy`.
 */
const isVaried = (value: string): boolean =>
  !/^[A-Za-z]+(?:[-_ .:/][A-Za-z]+)*\d{0,4}$/.test(value) &&
  ((value.match(/\d/g)?.length ?? 0) >= 3 || (/[a-z]/.test(value) && /[A-Z]/.test(value)) || /[!#%*@^~]/.test(value));

/** Returns true if a text is base64 of a text that looks random, as in secrets of Kubernetes. */
function isEncoded(value: string): boolean {
  if (value.length < 12 || value.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return false;
  const plain = Buffer.from(value, "base64").toString("latin1");
  return /^[\x20-\x7e]+$/.test(plain) && looksRandom(plain);
}

/** Returns true if a text is a user name and password in base64. */
export function isBase64BasicCredentials(value: string): boolean {
  if (value.length < 8 || !/^[\w+/-]+={0,2}$/.test(value)) return false;
  return /^[\x20-\x39\x3b-\x7e]*:[\x20-\x7e]+$/.test(Buffer.from(value, "base64").toString("latin1"));
}
