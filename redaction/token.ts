import {
  type Alphabet,
  type CharacterRunRule,
  canTokenBeginAt,
  findCharacterRunEnd,
  getAlphabetBit,
  isInAlphabet,
  type TextReader,
} from "./reading.ts";
import { TOKEN_RULES, type TokenRule } from "./vendors.ts";

/** Part of a text that is a secret. */
export interface FoundSecret {
  start: number;
  end: number;
  kind: string;
}

type Part = string | CharacterRunRule;

interface Token {
  kind: string;
  /** Characters before the literal. */
  lead: CharacterRunRule | undefined;
  literal: string;
  parts: readonly Part[];
}

const PART = /\{(\w+):(\d+)(?:-(\d+))?\}|([^{]+)/g;

function compiled({ kind, spelling }: TokenRule): Token {
  const parts = [...spelling.matchAll(PART)].map(
    ([, name, least, most, text]): Part =>
      text === undefined
        ? { bit: getAlphabetBit(name as Alphabet), least: Number(least), most: Number(most ?? least) }
        : text,
  );
  const lead = typeof parts[0] === "object" ? parts.shift() : undefined;
  return { kind, lead: lead as CharacterRunRule | undefined, literal: String(parts.shift()), parts };
}

/** Compiled token rules, in the order of the spellings. */
const COMPILED: readonly Token[] = TOKEN_RULES.map(compiled);

/** The first literal text of each token rule. The trigger search looks for these literals. */
export const TOKEN_LITERALS: readonly string[] = COMPILED.map(({ literal }) => literal);

/** Returns the token at the position if the text there matches the token rule with this index; otherwise undefined. */
export function findToken(reading: TextReader, at: number, index: number): FoundSecret | undefined {
  const token = COMPILED[index];
  if (!token || !reading.text.startsWith(token.literal, at)) return undefined;
  const start = at - (token.lead?.least ?? 0);
  if (!leads(reading, start, token.lead) || !canTokenBeginAt(reading, start)) return undefined;
  let end = at + token.literal.length;
  for (const [place, part] of token.parts.entries()) {
    const next = token.parts[place + 1];
    end =
      typeof part === "string"
        ? overText(reading, end, part)
        : findCharacterRunEnd(reading, end, part, typeof next === "string" ? next : "");
    if (end < 0) return undefined;
  }
  const last = token.parts.at(-1);
  const runsOn = typeof last === "object" && last.bit !== PAD && isInAlphabet(reading.text.charCodeAt(end), last.bit);
  return runsOn ? undefined : { start, end, kind: token.kind };
}

const PAD = getAlphabetBit("pad");

function leads(reading: TextReader, start: number, lead: CharacterRunRule | undefined): boolean {
  if (!lead) return true;
  if (start < 0) return false;
  reading.steps += lead.least;
  for (let at = start; at < start + lead.least; at += 1)
    if (!isInAlphabet(reading.text.charCodeAt(at), lead.bit)) return false;
  return true;
}

/** Returns the end of a fixed text that must stand at the position or on the next line; -1 if the text is absent. */
function overText(reading: TextReader, at: number, part: string): number {
  const { text } = reading;
  if (text.startsWith(part, at)) {
    const end = at + part.length;
    return reading.lineStarts(end)[0] ?? end;
  }
  const next = reading.lineStarts(at).find((start) => text.startsWith(part, start));
  return next === undefined ? -1 : next + part.length;
}
