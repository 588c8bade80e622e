import { assignedAt } from "./assignment.ts";
import { cookieAt, privateKeyAt, schemeAt, urlPasswordAt, userOptionAt } from "./places.ts";
import type { Reading } from "./reading.ts";
import { NAME_WORDS } from "./rules.ts";
import { type Found, TOKEN_LITERALS, tokenAt } from "./token.ts";
import { bytesOf, type Literal, searchFor, type Trigger } from "./triggers.ts";

/** The secrets of a text, in order and apart, and the characters that were looked at behind triggers. */
export interface Finding {
  found: readonly Found[];
  steps: number;
}

type Detector = (state: State, at: number, literal: number) => Found | undefined;

/** Up to where names and lines of cookies were read in vain: they are not read again from within. */
interface State {
  reading: Reading;
  nameEnd: number;
  cookieEnd: number;
}

const tokens: Detector = ({ reading }, at, literal) => tokenAt(reading, at, literal);
const names: Detector = (state, at) => {
  if (at < state.nameEnd) return undefined;
  const { end, found } = assignedAt(state.reading, at);
  state.nameEnd = end;
  return found;
};
const cookies: Detector = (state, at) => {
  if (at < state.cookieEnd) return undefined;
  const { found, end } = cookieAt(state.reading, at);
  state.cookieEnd = end;
  return found;
};
const place =
  (detector: (reading: Reading, at: number) => Found | undefined): Detector =>
  ({ reading }, at) =>
    detector(reading, at);

const spelled = (texts: readonly string[], detector: Detector, anyCase = false) =>
  texts.map((text) => ({ text, anyCase, detector }));

/** Everything that is searched for; the places of tokens are those of their rules. */
const TRIGGERS: readonly (Literal & { detector: Detector })[] = [
  ...spelled(TOKEN_LITERALS, tokens),
  ...spelled(["-----BEGIN "], place(privateKeyAt)),
  ...spelled(["://", ":\\/\\/"], place(urlPasswordAt)),
  ...spelled(["cookie"], cookies, true),
  ...spelled(["bearer ", "basic ", "bearer%20", "basic%20"], place(schemeAt), true),
  ...spelled(["-u ", "--user "], place(userOptionAt)),
  ...spelled(NAME_WORDS, names, true),
  ...spelled(["_KEY", "_PASS", "AUTH"], names),
  // Escapes may spell any of the others, and marks are counted.
  ...spelled(["\\u00", "[redacted:"], () => undefined),
];

const search = searchFor(TRIGGERS);

/** Reports whether a range of bytes holds anything that may begin a secret: most texts hold nothing. */
export const mayHold = search.any;

/** The places in a range of bytes that may begin a secret. */
export const triggersIn = search.all;

/**
 * Finds the secrets of a text: one pass for triggers, and what is dearer at those alone. A caller that has made the pass
 * hands the triggers on.
 */
export function findSecrets(sent: string, first: readonly Trigger[] = search.all(bytesOf(sent))): Finding {
  if (first.length === 0) return { found: [], steps: 0 };
  const { text, places } = unescaped(sent);
  const state: State = { reading: { text, steps: 0 }, nameEnd: 0, cookieEnd: 0 };
  const found: Found[] = [];
  for (const { at, literal } of places ? search.all(bytesOf(text)) : first) {
    const next = TRIGGERS[literal]?.detector(state, at, literal);
    if (next && next.end > next.start && !text.startsWith("[redacted:", next.start)) add(found, next);
  }
  const moved = ({ start, end, kind }: Found) => ({ start: places?.[start] ?? start, end: places?.[end] ?? end, kind });
  return { found: places ? found.map(moved) : found, steps: state.reading.steps };
}

/** Adds what was found. Two that overlap are one: of the kind of the more telling, a token's own spelling. */
function add(found: Found[], next: Found): void {
  const before = found.at(-1);
  if (!before || next.start >= before.end) found.push({ ...next });
  else {
    if (next.start === before.start && before.kind === "secret") before.kind = next.kind;
    before.start = Math.min(before.start, next.start);
    before.end = Math.max(before.end, next.end);
  }
}

/** A text with escapes put for their characters, and the place of each of its characters in what it was. */
interface Unescaped {
  text: string;
  /** The place at which each character began, and the length behind them. Undefined: nothing moved. */
  places: Uint32Array | undefined;
}

const BACKSLASH = 92;

/** Puts `A` for `\u0041` and `/` for `\/`, however many backslashes stand before: JSON holds JSON as text. */
function unescaped(text: string): Unescaped {
  if (!text.includes("\\u00") && !text.includes("\\/")) return { text, places: undefined };
  const places = new Uint32Array(text.length + 1);
  const pieces: string[] = [];
  let length = 0;
  let copied = 0;
  const copy = (to: number) => {
    for (let at = copied; at < to; at += 1) places[length++] = at;
    pieces.push(text.slice(copied, to));
  };
  for (let at = text.indexOf("\\"); at >= 0; at = text.indexOf("\\", at)) {
    const start = at;
    while (text.charCodeAt(at) === BACKSLASH) at += 1;
    const [char, end] = escapeAt(text, at);
    if (char === "") continue;
    copy(start);
    places[length++] = start;
    pieces.push(char);
    copied = end;
    at = end;
  }
  copy(text.length);
  places[length] = text.length;
  return { text: pieces.join(""), places };
}

/** The character of an escape behind its backslashes, and its end; nothing for one that stays. */
function escapeAt(text: string, at: number): [string, number] {
  if (text.charAt(at) === "/") return ["/", at + 1];
  const hex = /^u00([2-7][0-9a-f])/i.exec(text.slice(at, at + 5));
  return hex?.[1] ? [String.fromCharCode(Number.parseInt(hex[1], 16)), at + 5] : ["", at];
}
