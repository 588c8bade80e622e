import { findAssignedSecret } from "./assignment.ts";
import { COMMAND_LITERALS, findCommandSecrets } from "./commands.ts";
import { findAuthorization, findCookie, findSchemeCredentials, type HeaderSearchResult } from "./headers.ts";
import { findPrivateKey, findUrlPassword, findUrlSignature, findUserPassword, HyphensPositionCache } from "./places.ts";
import { decodeEscapes, type PlainText, removeTerminalCodes, toSentRange } from "./plain.ts";
import { TextReader } from "./reading.ts";
import { SECRET_NAME_LITERALS, SPACED_NAMES } from "./rules.ts";
import { type FoundSecret, findToken, TOKEN_LITERALS } from "./token.ts";
import { createSearch, type LiteralMatch, type SearchLiteral, toLatin1ByteRange } from "./triggers.ts";
import { NamedValueReader } from "./value.ts";
import type { PausableTextScan } from "./work.ts";

/** Secrets of a text, sorted and without overlap, and the steps that the search took. */
export interface SecretSearchResult {
  found: readonly FoundSecret[];
  steps: number;
}

/**
 * Function that examines the text at a trigger and returns the secrets found. `index` is the index of the trigger's
 * literal in the detector's own list of literals.
 */
type Detector = (scan: Scan, at: number, index: number) => FoundSecret | readonly FoundSecret[] | undefined;

/** State of the detectors on one text. Each detector remembers how far it has read, so that no text is read twice. */
interface Scan {
  reading: TextReader;
  values: NamedValueReader;
  hyphens: HyphensPositionCache;
  /** Positions up to which the detectors have read names, cookies, headers, signatures and commands. */
  nameEnd: number;
  cookieEnd: number;
  headerEnd: number;
  signatureEnd: number;
  commandEnd: number;
}

const tokens: Detector = ({ reading }, at, index) => findToken(reading, at, index);
const createNameDetector =
  (words: readonly string[] = []): Detector =>
  (scan, at, index) => {
    const word = words[index]?.length ?? 0;
    // A two-word name such as `secret key` is examined even if its first word was already examined as a name.
    if (word > 0 ? at + word <= scan.nameEnd : at < scan.nameEnd) return undefined;
    const { end, found } = findAssignedSecret(scan.reading, scan.values, at, word);
    scan.nameEnd = end;
    return found;
  };
const createRangeDetector =
  (
    end: "cookieEnd" | "headerEnd" | "signatureEnd",
    read: (reading: TextReader, at: number, values: NamedValueReader) => HeaderSearchResult,
  ): Detector =>
  (scan, at) => {
    if (at < scan[end]) return undefined;
    const next = read(scan.reading, at, scan.values);
    scan[end] = next.end;
    return next.found;
  };
const commands: Detector = (scan, at, index) => {
  if (at < scan.commandEnd) return undefined;
  const { found, end } = findCommandSecrets(scan.reading, at, index);
  scan.commandEnd = end;
  return found;
};
const place =
  (detector: (reading: TextReader, at: number) => FoundSecret | undefined): Detector =>
  ({ reading }, at) =>
    detector(reading, at);

const spelled = (texts: readonly string[], detector: Detector, anyCase = false) =>
  texts.map((text, index) => ({ text, anyCase, detector, index }));

const CAPITAL_WORDS = ["_KEY", "_PASS", "AUTH"];
const SIGNATURES = ["?sig=", "&sig=", ";sig=", "Signature="];
/**
 * Escape sequences and spelled-out terminal codes may hide any other trigger, and existing marks must be counted. The
 * text must therefore be examined, so these literals also count as triggers.
 */
const HINTS = ["\\u00", "\\x1b[", "\\x1B[", "\\033[", "\\e[", "^[[", "[redacted:"];

/** All literals that the trigger search looks for, with their detectors. */
const TRIGGERS: readonly (SearchLiteral & { detector: Detector; index: number })[] = [
  ...spelled(TOKEN_LITERALS, tokens),
  ...spelled(["-----BEGIN "], ({ reading, hyphens }, at) => findPrivateKey(reading, hyphens, at)),
  ...spelled(["://", ":\\/\\/"], place(findUrlPassword)),
  ...spelled(SIGNATURES, createRangeDetector("signatureEnd", findUrlSignature)),
  ...spelled(["cookie"], createRangeDetector("cookieEnd", findCookie), true),
  ...spelled(
    ["authorization"],
    createRangeDetector("headerEnd", (reading, at, values) => findAuthorization(reading, values, at)),
    true,
  ),
  ...spelled(["bearer ", "basic ", "bearer%20", "basic%20"], place(findSchemeCredentials), true),
  ...spelled(["-u ", "--user "], place(findUserPassword)),
  ...spelled(COMMAND_LITERALS, commands),
  ...spelled(SECRET_NAME_LITERALS, createNameDetector(), true),
  ...spelled(SPACED_NAMES, createNameDetector(SPACED_NAMES), true),
  ...spelled(CAPITAL_WORDS, createNameDetector()),
  ...spelled(HINTS, () => undefined),
];

export const TRIGGER_TEXTS: readonly string[] = TRIGGERS.map(({ text }) => text);

const search = createSearch(TRIGGERS);

/** Returns true if a byte range contains any trigger. Most texts contain none. */
export const mayContainTrigger = search.any;

export const findTriggers = search.all;

/** Returns the triggers of a text. The search costs one step per four characters. */
const triggersOf = (text: string): readonly LiteralMatch[] => search.all(toLatin1ByteRange(text));
const CHARS_OF_STEP = 4;

/** A secret that begins before its trigger begins at most this number of characters before the trigger. */
const LEAD = 64;

/**
 * Search of one version of a text, with or without terminal codes, for the secrets that the built-in rules recognize.
 */
class Search implements PausableTextScan {
  readonly #plain: PlainText;
  readonly #triggers: readonly LiteralMatch[];
  readonly #scan: Scan;
  readonly #found: FoundSecret[] = [];
  #next = 0;
  /**
   * True if a detector found a secret that begins before an earlier find, which happens when a detector has read ahead.
   */
  #isMixed = false;

  constructor(plain: PlainText, triggers: readonly LiteralMatch[] = triggersOf(plain.text)) {
    const reading = new TextReader(plain.text, plain.places);
    reading.steps = Math.ceil(plain.text.length / CHARS_OF_STEP);
    this.#plain = plain;
    this.#triggers = triggers;
    const ends = { nameEnd: 0, cookieEnd: 0, headerEnd: 0, signatureEnd: 0, commandEnd: 0 };
    this.#scan = { reading, values: new NamedValueReader(reading), hyphens: new HyphensPositionCache(), ...ends };
  }

  get steps(): number {
    return this.#scan.reading.steps;
  }

  get at(): number {
    const trigger = this.#triggers[this.#next];
    const from = trigger ? Math.max(0, trigger.at - LEAD) : this.#plain.text.length;
    return toSentRange(this.#plain, from, from).start;
  }

  found(): FoundSecret[] {
    const found = this.#isMixed ? mergeFinds(this.#found) : this.#found;
    if (!this.#plain.places) return found;
    return found.map(({ start, end, kind }) => ({ ...toSentRange(this.#plain, start, end), kind }));
  }

  advance(steps: number): boolean {
    const { reading } = this.#scan;
    const triggers = this.#triggers;
    while (this.#next < triggers.length && reading.steps < steps) {
      const { at, literal } = triggers[this.#next] as LiteralMatch;
      this.#next += 1;
      reading.steps += 1;
      const trigger = TRIGGERS[literal];
      const next = trigger?.detector(this.#scan, at, trigger.index);
      if (next === undefined) continue;
      if ("length" in next) for (const each of next) this.#keep(each);
      else this.#keep(next as FoundSecret);
    }
    return this.#next >= triggers.length;
  }

  #keep(next: FoundSecret): void {
    if (next.end <= next.start || this.#scan.reading.text.startsWith("[redacted:", next.start)) return;
    const before = this.#found.at(-1);
    if (before && next.start < before.start) this.#isMixed = true;
    if (before && next.end <= before.start) this.#found.push({ ...next });
    else add(this.#found, next);
  }
}

/**
 * Creates the searches for the secrets of a text. Each search finds the triggers in one pass and makes costlier checks
 * only at the triggers; a caller that already has the triggers passes `first`. A text with terminal codes gets two
 * searches: one with the codes, where the codes separate words, and one without the codes.
 */
export function createSearches(
  sent: string,
  first: readonly LiteralMatch[] = triggersOf(sent),
): TextSearches | undefined {
  if (first.length === 0 && !sent.includes(ESCAPE)) return undefined;
  const base = decodeEscapes(sent);
  const short = removeTerminalCodes(base);
  const works = [base.places ? new Search(base) : new Search(base, first)];
  if (short !== base) works.push(new Search(short));
  return { plain: short, works };
}

/**
 * Text without escapes and terminal codes, with its searches. One search reads the text with terminal codes, the other
 * reads the text without.
 */
export interface TextSearches {
  plain: PlainText;
  works: readonly PausableTextScan[];
}

const ESCAPE = "\u001b[";

/** Finds the secrets that the built-in rules recognize. */
export function findSecrets(sent: string, first?: readonly LiteralMatch[]): SecretSearchResult {
  const works = createSearches(sent, first)?.works ?? [];
  for (const work of works) work.advance(Number.POSITIVE_INFINITY);
  const [one, other] = works;
  const found = !one ? [] : !other ? one.found() : mergeFinds([...one.found(), ...other.found()]);
  return { found, steps: works.reduce((sum, { steps }) => sum + steps, 0) };
}

/** Sorts the finds of several searches and merges overlaps. */
export function mergeFinds(all: FoundSecret[]): FoundSecret[] {
  const found: FoundSecret[] = [];
  for (const each of all.sort((one, other) => one.start - other.start)) add(found, each);
  return found;
}

/**
 * Adds a find to the list. A find that overlaps the previous find is merged with the previous find. If both begin at
 * the same position, the new kind replaces the general kind `secret`.
 */
function add(found: FoundSecret[], next: FoundSecret): void {
  const before = found.at(-1);
  if (!before || next.start >= before.end) found.push({ ...next });
  else {
    if (next.start === before.start && before.kind === "secret") before.kind = next.kind;
    before.start = Math.min(before.start, next.start);
    before.end = Math.max(before.end, next.end);
  }
}
