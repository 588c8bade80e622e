import { bitOf, isAlnum, isDrawn, type Reading } from "./reading.ts";
import { isPlaceholder } from "./rules.ts";

/** A value beside a name. */
export interface Value {
  start: number;
  end: number;
  isQuoted: boolean;
  /** The value goes on behind a blank, so that it is a sentence rather than a secret. */
  isBroken: boolean;
}

const QUOTE_SIGNS = `"'\``;
const ENV_STOPS = `${QUOTE_SIGNS}\\`;
/** Characters that end a value, beside blanks: of plain ones, of those of environment variables, and of quoted ones by their quote. */
const STOPS = [`${ENV_STOPS},;)}]&<>`, ENV_STOPS, ...[...QUOTE_SIGNS].flatMap((quote) => [quote, `${quote}\\`])].map(
  (stops) =>
    Uint8Array.from({ length: 128 }, (_, code) => (code <= 32 || stops.includes(String.fromCharCode(code)) ? 1 : 0)),
);
const [PLAIN, ENV, QUOTED] = [0, 1, 2];
const BACKSLASH = 92;

/** Reads the values of a text. It remembers where the last one of each form ended: names within it have the same end. */
export class Values {
  readonly #reading: Reading;
  /** By form. */
  readonly #from: number[] = [];
  readonly #end: number[] = [];

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  /** The value that begins here, perhaps with a quote. */
  at(from: number, isEnv: boolean): Value {
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

  /** A value that is broken within a line of more than seventy columns goes on in the next. */
  wholeEnd({ start, end, isQuoted }: Value): number {
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

const BASE64 = bitOf("base64");

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

/** The place of a value, as far as it counts. */
export interface Setting {
  /** It is beside a name in capitals, as environment variables have them. */
  isEnv: boolean;
  isQuoted: boolean;
  /** Its name is one of a name and a password in base64. */
  isBasic: boolean;
}

/** Characters by which a value is judged: a longer one is no word and stands for nothing. */
export const JUDGED = 64;

/** Reports whether a value beside a name that tells is worth hiding. Takes at most as many steps as its beginning has characters. */
export function isSecret(value: string, { isEnv, isQuoted, isBasic }: Setting): boolean {
  if (value.length < (isEnv ? 4 : 8)) return false;
  if (isBasic) return isCredentials(value);
  const head = value.slice(0, JUDGED);
  // An answer about a whole value is not true of one that is cut.
  const judged = value.length > JUDGED ? `${head},` : value;
  if (isPlaceholder(judged) || /\$\{|\{\{|\s/.test(judged)) return false;
  const isPath = /^\.{0,2}\//.test(judged) && !(/\d/.test(judged) && /[A-Z]/.test(judged));
  if (isPath || /^https?:/.test(judged)) return false;
  if (isEnv) return !/[()]|^[a-z]+(?:\.[A-Za-z]+)+$/.test(judged);
  if (isEncoded(value.length > JUDGED ? head : value)) return true;
  if (!isDrawn(judged)) return false;
  return isQuoted ? isVaried(judged) : value.length >= 10 && isVaried(judged) && !/[.(]|^[a-z]+\d+$/i.test(judged);
}

/** Reports whether a value with digits and letters is more than a word with a number: `oauth2token`, `sha256-legacy`. */
const isVaried = (value: string): boolean =>
  !/^[A-Za-z]+(?:[-_ .:/][A-Za-z]+)*\d{0,4}$/.test(value) &&
  ((value.match(/\d/g)?.length ?? 0) >= 3 || (/[a-z]/.test(value) && /[A-Z]/.test(value)) || /[!#%*@^~]/.test(value));

/** Reports whether a text is base64 of one that looks drawn, as the secrets of Kubernetes are written. */
function isEncoded(value: string): boolean {
  if (value.length < 12 || value.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return false;
  const plain = Buffer.from(value, "base64").toString("latin1");
  return /^[\x20-\x7e]+$/.test(plain) && isDrawn(plain);
}

/** Reports whether a text is a name and a password in base64. */
export function isCredentials(value: string): boolean {
  if (value.length < 8 || !/^[\w+/-]+={0,2}$/.test(value)) return false;
  return /^[\x20-\x39\x3b-\x7e]*:[\x20-\x7e]+$/.test(Buffer.from(value, "base64").toString("latin1"));
}
