import { assignedAt } from "./assignment.ts";
import { COMMAND_LITERALS, commandAt } from "./commands.ts";
import { authorizationAt, cookieAt, type Read, schemeAt } from "./headers.ts";
import { Hyphens, privateKeyAt, signatureAt, urlPasswordAt, userOptionAt } from "./places.ts";
import { type Plain, sentPart, withoutCodes, withoutEscapes } from "./plain.ts";
import { Reading } from "./reading.ts";
import { NAME_WORDS, SPACED_NAMES } from "./rules.ts";
import { type Found, TOKEN_LITERALS, tokenAt } from "./token.ts";
import { bytesOf, type Literal, searchFor, type Trigger } from "./triggers.ts";
import { Values } from "./value.ts";
import type { Work } from "./work.ts";

/** The secrets of a text, in order and apart, and the steps that it took to find them. */
export interface Finding {
  found: readonly Found[];
  steps: number;
}

/** A detector looks behind a trigger; `index` is that of the literal among its own. */
type Detector = (scan: Scan, at: number, index: number) => Found | readonly Found[] | undefined;

/** The state of the detectors on a text: each remembers how far it has read, so that it reads nothing twice. */
interface Scan {
  reading: Reading;
  values: Values;
  hyphens: Hyphens;
  /** Up to where names, cookies, headers and commands were read. */
  nameEnd: number;
  cookieEnd: number;
  headerEnd: number;
  signatureEnd: number;
  commandEnd: number;
}

const tokens: Detector = ({ reading }, at, index) => tokenAt(reading, at, index);
const namesOf =
  (words: readonly string[] = []): Detector =>
  (scan, at, index) => {
    if (at < scan.nameEnd) return undefined;
    const { end, found } = assignedAt(scan.reading, scan.values, at, words[index]?.length ?? 0);
    scan.nameEnd = end;
    return found;
  };
const upTo =
  (
    end: "cookieEnd" | "headerEnd" | "signatureEnd",
    read: (reading: Reading, at: number, values: Values) => Read,
  ): Detector =>
  (scan, at) => {
    if (at < scan[end]) return undefined;
    const next = read(scan.reading, at, scan.values);
    scan[end] = next.end;
    return next.found;
  };
const commands: Detector = (scan, at, index) => {
  if (at < scan.commandEnd) return undefined;
  const { found, end } = commandAt(scan.reading, at, index);
  scan.commandEnd = end;
  return found;
};
const place =
  (detector: (reading: Reading, at: number) => Found | undefined): Detector =>
  ({ reading }, at) =>
    detector(reading, at);

const spelled = (texts: readonly string[], detector: Detector, anyCase = false) =>
  texts.map((text, index) => ({ text, anyCase, detector, index }));

const CAPITAL_WORDS = ["_KEY", "_PASS", "AUTH"];
const SIGNATURES = ["?sig=", "&sig=", ";sig=", "Signature="];
/** Escapes and spelled codes of terminals may hide any of the others, and marks are counted. */
const HINTS = ["\\u00", "\\x1b[", "\\x1B[", "\\033[", "\\e[", "^[[", "[redacted:"];

/** Everything that is searched for. */
const TRIGGERS: readonly (Literal & { detector: Detector; index: number })[] = [
  ...spelled(TOKEN_LITERALS, tokens),
  ...spelled(["-----BEGIN "], ({ reading, hyphens }, at) => privateKeyAt(reading, hyphens, at)),
  ...spelled(["://", ":\\/\\/"], place(urlPasswordAt)),
  ...spelled(SIGNATURES, upTo("signatureEnd", signatureAt)),
  ...spelled(["cookie"], upTo("cookieEnd", cookieAt), true),
  ...spelled(
    ["authorization"],
    upTo("headerEnd", (reading, at, values) => authorizationAt(reading, values, at)),
    true,
  ),
  ...spelled(["bearer ", "basic ", "bearer%20", "basic%20"], place(schemeAt), true),
  ...spelled(["-u ", "--user "], place(userOptionAt)),
  ...spelled(COMMAND_LITERALS, commands),
  ...spelled(NAME_WORDS, namesOf(), true),
  ...spelled(SPACED_NAMES, namesOf(SPACED_NAMES), true),
  ...spelled(CAPITAL_WORDS, namesOf()),
  ...spelled(HINTS, () => undefined),
];

/** The texts that are searched for. */
export const TRIGGER_TEXTS: readonly string[] = TRIGGERS.map(({ text }) => text);

const search = searchFor(TRIGGERS);

/** Reports whether a range of bytes holds anything that may begin a secret: most texts hold nothing. */
export const mayHold = search.any;

/** The places in a range of bytes that may begin a secret. */
export const triggersIn = search.all;

/** The triggers of a text. Looking for them takes a step for every four characters. */
const triggersOf = (text: string): readonly Trigger[] => search.all(bytesOf(text));
const CHARS_OF_STEP = 4;

/** Characters before a trigger at which a secret may begin. */
const LEAD = 64;

/** Looks for the secrets that the built-in rules know in one reading of a text. */
class Search implements Work {
  readonly #plain: Plain;
  readonly #triggers: readonly Trigger[];
  readonly #scan: Scan;
  readonly #found: Found[] = [];
  #next = 0;
  /** A detector read ahead, and another found something before. */
  #isMixed = false;

  constructor(plain: Plain, triggers: readonly Trigger[] = triggersOf(plain.text)) {
    const reading = new Reading(plain.text, plain.places);
    reading.steps = Math.ceil(plain.text.length / CHARS_OF_STEP);
    this.#plain = plain;
    this.#triggers = triggers;
    const ends = { nameEnd: 0, cookieEnd: 0, headerEnd: 0, signatureEnd: 0, commandEnd: 0 };
    this.#scan = { reading, values: new Values(reading), hyphens: new Hyphens(), ...ends };
  }

  get steps(): number {
    return this.#scan.reading.steps;
  }

  get at(): number {
    const trigger = this.#triggers[this.#next];
    const from = trigger ? Math.max(0, trigger.at - LEAD) : this.#plain.text.length;
    return sentPart(this.#plain, from, from).start;
  }

  found(): Found[] {
    const found = this.#isMixed ? merged(this.#found) : this.#found;
    if (!this.#plain.places) return found;
    return found.map(({ start, end, kind }) => ({ ...sentPart(this.#plain, start, end), kind }));
  }

  advance(steps: number): boolean {
    const { reading } = this.#scan;
    const triggers = this.#triggers;
    while (this.#next < triggers.length && reading.steps < steps) {
      const { at, literal } = triggers[this.#next] as Trigger;
      this.#next += 1;
      reading.steps += 1;
      const trigger = TRIGGERS[literal];
      const next = trigger?.detector(this.#scan, at, trigger.index);
      if (next === undefined) continue;
      if ("length" in next) for (const each of next) this.#keep(each);
      else this.#keep(next as Found);
    }
    return this.#next >= triggers.length;
  }

  #keep(next: Found): void {
    if (next.end <= next.start || this.#scan.reading.text.startsWith("[redacted:", next.start)) return;
    const before = this.#found.at(-1);
    if (before && next.start < before.start) this.#isMixed = true;
    if (before && next.end <= before.start) this.#found.push({ ...next });
    else add(this.#found, next);
  }
}

/**
 * The work of finding the secrets of a text: one pass for triggers, and what is dearer at those alone. A caller that has made the
 * pass hands the triggers on. A text with codes of terminals is read with them, where they part words, and without them.
 */
export function searchesOf(sent: string, first: readonly Trigger[] = triggersOf(sent)): Searches | undefined {
  if (first.length === 0 && !sent.includes(ESCAPE)) return undefined;
  const base = withoutEscapes(sent);
  const short = withoutCodes(base);
  const works = [base.places ? new Search(base) : new Search(base, first)];
  if (short !== base) works.push(new Search(short));
  return { plain: short, works };
}

/** A text without escapes and codes, and the work on it and on what it was. */
export interface Searches {
  plain: Plain;
  works: readonly Work[];
}

const ESCAPE = "\u001b[";

/** Finds the secrets of a text that the built-in rules know. */
export function findSecrets(sent: string, first?: readonly Trigger[]): Finding {
  const works = searchesOf(sent, first)?.works ?? [];
  for (const work of works) work.advance(Number.POSITIVE_INFINITY);
  const [one, other] = works;
  const found = !one ? [] : !other ? one.found() : merged([...one.found(), ...other.found()]);
  return { found, steps: works.reduce((sum, { steps }) => sum + steps, 0) };
}

/** Puts finds of several works in order. */
export function merged(all: Found[]): Found[] {
  const found: Found[] = [];
  for (const each of all.sort((one, other) => one.start - other.start)) add(found, each);
  return found;
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
