import { type Rate, type Rates, tableRates } from "./rates.ts";

/** Sums of costs are in billionths of a dollar, so that they are exact. */
export const NANO = 1e9;

/** The tokens of an event, as its agent counts them. */
interface Tokens {
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
const haveTokens = ({ input, output, cacheRead, cacheWrite }: Tokens): boolean =>
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
function costBy(rates: Rates, source: string | null, tokens: Tokens): number | undefined {
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

/** A price of an organization's own, for models whose names match from a date on; US dollars for a million tokens. */
interface OwnPrice {
  /** A name, in which `*` stands for any characters. */
  model: string;
  input: number;
  output: number;
  cacheRead?: number | null;
  cacheWrite?: number | null;
  /** The first day, in UTC, as `2026-01-31`. */
  from: string;
}

/** The switches of an organization: how costs are computed that no agent reported. */
export interface PriceOptions {
  /** False computes none. */
  enabled: boolean;
  own: readonly OwnPrice[];
}

/** An event without a cost. */
interface Uncosted extends Tokens {
  source: string | null;
  model: string | null;
  /** Epoch ms. */
  at: number;
}

/** The prices of an organization. */
export interface Prices {
  /** The cost of an event in US dollars; undefined without tokens, a model, or a price of it. */
  costOf(event: Uncosted): number | undefined;
}

/** The switches of an organization that has set none. */
export const DEFAULT_PRICES: PriceOptions = { enabled: true, own: [] };

/** The prices of an organization by its switches: its own go before the table. */
export function pricesFor({ enabled, own }: PriceOptions): Prices {
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

/** The more of a name a pattern spells, the sooner it counts; of two alike the later. */
function ratesBy(own: readonly OwnPrice[]): (model: string, at: number) => Rates | undefined {
  if (own.length === 0) return tableRates;
  const spelled = ({ model }: OwnPrice) => model.replaceAll("*", "").length;
  const sorted = own
    .map((price) => ({ price, matches: matcherOf(price.model), since: Date.parse(price.from) }))
    .sort((a, b) => spelled(b.price) - spelled(a.price) || b.since - a.since);
  return (model, at) => {
    const found = sorted.find(({ matches, since }) => since <= at && matches(model));
    return found ? ratesOf(found.price) : tableRates(model, at);
  };
}

const ratesOf = ({ input, output, cacheRead, cacheWrite }: OwnPrice): Rates => ({
  input,
  output,
  cacheRead: cacheRead ?? undefined,
  cacheWrite: cacheWrite ?? undefined,
});

/** Finds each piece behind the one before: no expression, so no name takes long. */
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
