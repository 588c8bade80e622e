import type { Found } from "../token.ts";
import { type Compiled, compilePattern, matchAt, mayBeginAt, PatternRefused } from "./pattern.ts";

/** A pattern of an organization's own: its matches are taken out as secrets of a kind of this name. */
export interface OwnPattern {
  name: string;
  pattern: string;
}

/** The matches of a pattern, in order and apart, and the characters that were looked at. */
export function ownMatches(name: string, pattern: Compiled, text: string): { found: Found[]; steps: number } {
  const found: Found[] = [];
  let steps = 0;
  const next = (from: number) =>
    pattern.isLed ? text.indexOf(pattern.literal, from) : mayBeginAt(pattern, text, from);
  if (!text.includes(pattern.literal)) return { found, steps };
  for (let at = next(0); at >= 0 && at < text.length; ) {
    const attempt = matchAt(pattern, text, at);
    steps += attempt.steps;
    if (attempt.end > at) found.push({ start: at, end: attempt.end, kind: name });
    const before = Math.max(at + 1, attempt.end);
    at = next(before);
    steps += Math.max(0, at - before);
  }
  return { found, steps };
}

/** Prepares patterns; those of an organization were checked when they were set. */
export const compiledPatterns = (patterns: readonly OwnPattern[]) =>
  patterns.map(({ name, pattern }) => ({ name, pattern: compilePattern(pattern) }));

/** Says why a pattern cannot be taken, and what to write instead; undefined for one that can. */
export function patternFault(pattern: string): string | undefined {
  try {
    compilePattern(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof PatternRefused) return error.message;
    throw error;
  }
}
