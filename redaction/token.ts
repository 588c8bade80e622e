import { type Alphabet, beginsAt, bitOf, isIn, type Reading, type Run, readRun } from "./reading.ts";
import { TOKENS, type TokenRule } from "./vendors.ts";

/** A part of a text that is a secret. */
export interface Found {
  start: number;
  end: number;
  kind: string;
}

type Part = string | Run;

interface Token {
  kind: string;
  /** Characters before the literal. */
  lead: Run | undefined;
  literal: string;
  parts: readonly Part[];
}

const PART = /\{(\w+):(\d+)(?:-(\d+))?\}|([^{]+)/g;

function compiled({ kind, spelling }: TokenRule): Token {
  const parts = [...spelling.matchAll(PART)].map(
    ([, name, least, most, text]): Part =>
      text === undefined ? { bit: bitOf(name as Alphabet), least: Number(least), most: Number(most ?? least) } : text,
  );
  const lead = typeof parts[0] === "object" ? parts.shift() : undefined;
  return { kind, lead: lead as Run | undefined, literal: String(parts.shift()), parts };
}

/** The spellings, in their order. */
const COMPILED: readonly Token[] = TOKENS.map(compiled);

/** The texts that are searched for, each of which begins one spelling. */
export const TOKEN_LITERALS: readonly string[] = COMPILED.map(({ literal }) => literal);

/** The token of a spelling whose literal stands here. */
export function tokenAt(reading: Reading, at: number, index: number): Found | undefined {
  const token = COMPILED[index];
  if (!token || !reading.text.startsWith(token.literal, at)) return undefined;
  const start = at - (token.lead?.least ?? 0);
  if (!leads(reading, start, token.lead) || !beginsAt(reading, start)) return undefined;
  let end = at + token.literal.length;
  for (const [place, part] of token.parts.entries()) {
    const next = token.parts[place + 1];
    end =
      typeof part === "string"
        ? overText(reading, end, part)
        : readRun(reading, end, part, typeof next === "string" ? next : "");
    if (end < 0) return undefined;
  }
  const last = token.parts.at(-1);
  const runsOn = typeof last === "object" && last.bit !== PAD && isIn(reading.text.charCodeAt(end), last.bit);
  return runsOn ? undefined : { start, end, kind: token.kind };
}

const PAD = bitOf("pad");

function leads(reading: Reading, start: number, lead: Run | undefined): boolean {
  if (!lead) return true;
  if (start < 0) return false;
  reading.steps += lead.least;
  for (let at = start; at < start + lead.least; at += 1) if (!isIn(reading.text.charCodeAt(at), lead.bit)) return false;
  return true;
}

/** The end of a text that must stand here, or on the next line; -1 where it does not. */
function overText(reading: Reading, at: number, part: string): number {
  const { text } = reading;
  if (text.startsWith(part, at)) {
    const end = at + part.length;
    return reading.lineStarts(end)[0] ?? end;
  }
  const next = reading.lineStarts(at).find((start) => text.startsWith(part, start));
  return next === undefined ? -1 : next + part.length;
}
