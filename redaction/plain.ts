/**
 * Text after escapes were decoded or terminal codes removed, with the position of each character in the text that the
 * client sent.
 */
export interface PlainText {
  text: string;
  /**
   * Position of each character in the sent text, followed by the length of the sent text. Undefined if no character
   * changed its position.
   */
  places: Uint32Array | undefined;
  /** Positions of removed terminal codes in the sent text: maps the end of each code to its start. */
  codes?: ReadonlyMap<number, number>;
}

/**
 * Converts a range of this text to a range of the sent text. If a terminal code was removed right after the range, the
 * result ends before the code.
 */
export function toSentRange({ places, codes }: PlainText, start: number, end: number): { start: number; end: number } {
  if (!places) return { start, end };
  let last = places[end] ?? end;
  for (let code = codes?.get(last); code !== undefined; code = codes?.get(last)) last = code;
  return { start: places[start] ?? start, end: last };
}

const BACKSLASH = 92;
const ESCAPE = "\u001b";

/**
 * Alternative spellings of the escape character that begins a terminal code. The spelling `\u001b` is a JSON escape and
 * is handled separately.
 */
const SPELLED_CODE = /\\{1,4}(?:x1b|033|e)(?=\[[\d;:?]{0,32}[A-Za-z])|\^\[(?=\[[\d;:?]{0,32}[A-Za-z])/iy;

/**
 * Every spelling that `decodeEscapes` decodes contains one of these texts. A quick check for these texts skips texts
 * without escapes.
 */
const MAY_BE_ESCAPED = ["\\u00", "\\/", "\\x1", "\\033", "\\e[", "^[["];

/**
 * Decodes `\u0041` to `A` and `\/` to `/`, with any number of backslashes, because JSON strings may contain JSON. Also
 * decodes every spelling of the escape character that begins a terminal code.
 */
export function decodeEscapes(text: string): PlainText {
  if (!MAY_BE_ESCAPED.some((spelling) => text.includes(spelling))) return { text, places: undefined };
  const copy = new Copy(text);
  let caret = text.indexOf("^[[");
  for (let at = 0; at >= 0; ) {
    const backslash = text.indexOf("\\", at);
    if (caret >= 0 && caret < at) caret = text.indexOf("^[[", at);
    at = backslash < 0 || (caret >= 0 && caret < backslash) ? caret : backslash;
    if (at < 0) break;
    const [char, end] = codeAt(text, at) ?? escapeAt(text, at);
    if (char !== "") copy.put(char, at, end);
    at = end;
  }
  return copy.whole();
}

/** Removes terminal codes: colors, styles and cursor movements. */
export function removeTerminalCodes(plain: PlainText): PlainText {
  const { text, places } = plain;
  if (!text.includes(ESCAPE)) return plain;
  const copy = new Copy(text);
  const codes = new Map<number, number>();
  const sent = (at: number) => places?.[at] ?? at;
  for (let at = text.indexOf(ESCAPE); at >= 0; at = text.indexOf(ESCAPE, at + 1)) {
    CODE.lastIndex = at;
    if (!CODE.test(text)) continue;
    copy.put("", at, CODE.lastIndex);
    codes.set(sent(CODE.lastIndex), sent(at));
  }
  const short = copy.whole();
  if (!short.places) return plain;
  return { text: short.text, places: places ? short.places.map(sent) : short.places, codes };
}

/** Matches a terminal code, such as a control sequence or the selection of a character set. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what is searched for
const CODE = /\u001b(?:\[[0-?]{0,64}[ -/]{0,4}[@-~]|[()*+][0-9A-Z]|[=>78cM])/y;

function codeAt(text: string, at: number): [string, number] | undefined {
  SPELLED_CODE.lastIndex = at;
  return SPELLED_CODE.test(text) ? [ESCAPE, SPELLED_CODE.lastIndex] : undefined;
}

/**
 * Returns the character that an escape sequence stands for, and the position after the sequence. The character is an
 * empty string if the sequence stays as it is.
 */
function escapeAt(text: string, from: number): [string, number] {
  let at = from;
  while (text.charCodeAt(at) === BACKSLASH) at += 1;
  if (at === from) return ["", from + 1];
  if (text.charAt(at) === "/") return ["/", at + 1];
  const hex = /^u00([2-7][0-9a-f]|1b)/i.exec(text.slice(at, at + 5));
  return hex?.[1] ? [String.fromCharCode(Number.parseInt(hex[1], 16)), at + 5] : ["", at];
}

/** Copy of a text with some characters replaced. */
class Copy {
  readonly #text: string;
  readonly #places: Uint32Array;
  readonly #pieces: string[] = [];
  #length = 0;
  #copied = 0;

  constructor(text: string) {
    this.#text = text;
    this.#places = new Uint32Array(text.length + 1);
  }

  /** Replaces a part of the text by at most one character. */
  put(char: string, from: number, to: number): void {
    this.#copy(from);
    if (char !== "") this.#places[this.#length++] = from;
    this.#pieces.push(char);
    this.#copied = to;
  }

  whole(): PlainText {
    this.#copy(this.#text.length);
    this.#places[this.#length] = this.#text.length;
    return this.#pieces.length === 1
      ? { text: this.#text, places: undefined }
      : { text: this.#pieces.join(""), places: this.#places.subarray(0, this.#length + 1) };
  }

  #copy(to: number): void {
    for (let at = this.#copied; at < to; at += 1) this.#places[this.#length++] = at;
    this.#pieces.push(this.#text.slice(this.#copied, to));
  }
}
