import { findAgent } from "../agents/index.ts";
import { findBuiltInRates, type Rate, type Rates } from "./rates.ts";

/** Costs are summed in billionths of a US dollar, so that sums are exact. */
export const NANODOLLARS_PER_DOLLAR = 1e9;

/** Token counts of an event, as the agent reports them. */
interface Tokens {
  input?: number | null | undefined;
  output?: number | null | undefined;
  cacheRead?: number | null | undefined;
  cacheWrite?: number | null | undefined;
  /**
   * Number of cache-write tokens that are kept for an hour, if the agent reports this number. `cacheWrite` includes
   * these tokens.
   */
  hourWrite?: number | null | undefined;
  /** Thinking tokens, if the agent reports them. */
  thoughts?: number | null | undefined;
}

const haveTokens = ({ input, output, cacheRead, cacheWrite }: Tokens): boolean =>
  (input ?? output ?? cacheRead ?? cacheWrite ?? null) !== null;

/**
 * Returns the prompt's tokens that were neither read from nor written to a cache. If there are more cached tokens than
 * input tokens, the input cannot include the cached tokens, whatever the source.
 */
function freshOf(source: string | null, { input, cacheRead, cacheWrite }: Tokens): number {
  const [all, cached] = [input ?? 0, (cacheRead ?? 0) + (cacheWrite ?? 0)];
  const isBeside = cached > all || findAgent(source)?.hasCacheBeside === true;
  return isBeside ? all : all - cached;
}

/** A cache write for an hour costs this many times the input price, as Anthropic bills. */
const HOUR_WRITE_TIMES = 2;

const MILLION = 1e6;
/** Maximum cost in US dollars. Larger costs are left out, as with costs that an agent reports. */
const MOST = 1e7;

/** Computes a cost in US dollars; undefined if a required rate is unknown. */
function costBy(rates: Rates, source: string | null, tokens: Tokens): number | undefined {
  const [read, write] = [tokens.cacheRead ?? 0, tokens.cacheWrite ?? 0];
  const hour = Math.min(write, tokens.hourWrite ?? 0);
  const thoughts = findAgent(source)?.hasThoughtsBeside ? (tokens.thoughts ?? 0) : 0;
  const output = (tokens.output ?? 0) + thoughts;
  const fresh = freshOf(source, tokens);
  if (output > 0 && rates.output === undefined) return undefined;
  const prompt = fresh + read + write;
  const of = (rate: Rate = rates.input) => rateFor(rate, prompt);
  const cached = read * of(rates.cacheRead) + (write - hour) * of(rates.cacheWrite) + hour * HOUR_WRITE_TIMES * of();
  const sum = fresh * of() + cached + output * of(rates.output);
  return sum < MOST * MILLION ? sum / MILLION : undefined;
}

/**
 * Returns the rate for a prompt of the given length. If a long prompt exceeds one or more tiers, the rate of the last
 * exceeded tier applies to the whole prompt and its response.
 */
function rateFor(rate: Rate, prompt: number): number {
  if (typeof rate === "number") return rate;
  return rate.tiers.reduce((price, tier) => (prompt > tier.start ? tier.price : price), rate.base);
}

/** Price that an organization defines for matching models from a date on, in US dollars per million tokens. */
interface OwnPrice {
  /** Model name; `*` stands for any characters. */
  model: string;
  input: number;
  output: number;
  cacheRead?: number | null;
  cacheWrite?: number | null;
  /** First day in UTC, as `2026-01-31`. */
  from: string;
}

/** Price settings of an organization, for events without a reported cost. */
export interface PriceOptions {
  /** False to compute no costs. */
  enabled: boolean;
  own: readonly OwnPrice[];
}

/** Event without a cost. */
interface Uncosted extends Tokens {
  source: string | null;
  model: string | null;
  /** Epoch ms. */
  at: number;
}

export interface CostCalculator {
  /** Returns the cost of an event in US dollars; undefined without token counts, a model or a price. */
  costOf(event: Uncosted): number | undefined;
}

/** Default price settings, for an organization that has not changed the settings. */
export const DEFAULT_PRICE_OPTIONS: PriceOptions = { enabled: true, own: [] };

/** Creates the prices of an organization. The organization's own prices take precedence over the built-in table. */
export function createCostCalculator({ enabled, own }: PriceOptions): CostCalculator {
  if (!enabled) return { costOf: () => undefined };
  const rates = ratesBy(own);
  return {
    costOf(event) {
      const { model, source, at } = event;
      if (model === null || !haveTokens(event)) return undefined;
      const found = rates(model, at);
      return found && costBy(found, source, event);
    },
  };
}

/**
 * Returns a function that finds the rates of a model. Of several matching patterns, the pattern with more literal
 * characters takes precedence, then the pattern with the later date.
 */
function ratesBy(own: readonly OwnPrice[]): (model: string, at: number) => Rates | undefined {
  if (own.length === 0) return findBuiltInRates;
  const spelled = ({ model }: OwnPrice) => model.replaceAll("*", "").length;
  const sorted = own
    .map((price) => ({ price, matches: matcherOf(price.model), since: Date.parse(price.from) }))
    .sort((a, b) => spelled(b.price) - spelled(a.price) || b.since - a.since);
  return (model, at) => {
    const found = sorted.find(({ matches, since }) => since <= at && matches(model));
    return found ? ratesOf(found.price) : findBuiltInRates(model, at);
  };
}

const ratesOf = ({ input, output, cacheRead, cacheWrite }: OwnPrice): Rates => ({
  input,
  output,
  cacheRead: cacheRead ?? undefined,
  cacheWrite: cacheWrite ?? undefined,
});

/**
 * Searches the pieces of the pattern in order. Uses no regular expression, so that no model name takes long to match.
 */
function matcherOf(pattern: string): (model: string) => boolean {
  const [first = "", ...rest] = pattern.toLowerCase().split("*");
  const last = rest.pop();
  return (name) => {
    const model = name.toLowerCase();
    if (last === undefined) return model === first;
    if (!model.startsWith(first) || model.length < first.length + last.length || !model.endsWith(last)) return false;
    const end = model.length - last.length;
    let at = first.length;
    for (const piece of rest) {
      const found = model.indexOf(piece, at);
      if (found < 0 || found + piece.length > end) return false;
      at = found + piece.length;
    }
    return true;
  };
}
