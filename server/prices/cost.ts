import type { Rate, Rates } from "./rates.ts";

/** Sums of costs are in billionths of a dollar, so that they are exact. */
export const NANO = 1e9;

/** The tokens of an event, as its agent counts them. */
export interface Tokens {
  input?: number | null | undefined;
  output?: number | null | undefined;
  cacheRead?: number | null | undefined;
  cacheWrite?: number | null | undefined;
  /** Tokens of thought, where the agent reports them. */
  thoughts?: number | null | undefined;
}

/** Sources that count cached tokens beside their input. Others count them in it, as the GenAI conventions do. */
const CACHE_BESIDE: ReadonlySet<string> = new Set(["claude-code"]);

/** Sources that count tokens of thought beside their output, of which providers bill them as part. */
const THOUGHTS_BESIDE: ReadonlySet<string> = new Set(["gemini-cli"]);

/** Reports whether tokens were reported, so that there is something to cost. */
export const haveTokens = ({ input, output, cacheRead, cacheWrite }: Tokens): boolean =>
  (input ?? output ?? cacheRead ?? cacheWrite ?? null) !== null;

/**
 * The tokens of a prompt that were neither read from a cache nor written to it. More cached tokens than input cannot be
 * part of it, whatever the source.
 */
function freshOf(source: string | null, { input, cacheRead, cacheWrite }: Tokens): number {
  const [all, cached] = [input ?? 0, (cacheRead ?? 0) + (cacheWrite ?? 0)];
  const isBeside = cached > all || (source !== null && CACHE_BESIDE.has(source));
  return isBeside ? all : all - cached;
}

const MILLION = 1e6;
/** A larger cost is left out, as one that an agent reports. */
const MOST = 1e7;

/** Computes a cost in US dollars; undefined where the rates lack one that is needed. */
export function costBy(rates: Rates, source: string | null, tokens: Tokens): number | undefined {
  const [read, write] = [tokens.cacheRead ?? 0, tokens.cacheWrite ?? 0];
  const thoughts = source !== null && THOUGHTS_BESIDE.has(source) ? (tokens.thoughts ?? 0) : 0;
  const output = (tokens.output ?? 0) + thoughts;
  const fresh = freshOf(source, tokens);
  if (output > 0 && rates.output === undefined) return undefined;
  const prompt = fresh + read + write;
  const of = (rate: Rate = rates.input) => rateFor(rate, prompt);
  const sum = fresh * of() + read * of(rates.cacheRead) + write * of(rates.cacheWrite) + output * of(rates.output);
  return sum < MOST * MILLION ? sum / MILLION : undefined;
}

/** The whole of a long prompt, and its answer, costs the rate of the last step that it exceeds. */
function rateFor(rate: Rate, prompt: number): number {
  if (typeof rate === "number") return rate;
  return rate.tiers.reduce((price, tier) => (prompt > tier.start ? tier.price : price), rate.base);
}
