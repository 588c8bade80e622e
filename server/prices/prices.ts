import { costBy, haveTokens, type Tokens } from "./cost.ts";
import { type Rates, tableRates } from "./rates.ts";

/** A price of an organization's own, for models whose names match from a date on; US dollars for a million tokens. */
export interface OwnPrice {
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
export interface Uncosted extends Tokens {
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
