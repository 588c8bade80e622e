import { calcPrice, findProvider, type TieredPrices } from "@pydantic/genai-prices";
import { createCache } from "../cache.ts";

/** US dollars per million tokens, with tiers if long prompts cost more. */
export type Rate = number | Pick<TieredPrices, "base" | "tiers">;

/**
 * Rates of a model. Cache tokens without their own rate cost the input rate. Without an output rate, no cost is
 * computed for output.
 */
export interface Rates {
  input: Rate;
  output?: Rate | undefined;
  cacheRead?: Rate | undefined;
  cacheWrite?: Rate | undefined;
}

/** Rates may depend on the time of day. Rates change only at full and half hours. */
const HALF_HOUR_MS = 30 * 60 * 1000;
const RATES_BYTES = 500;

/**
 * Cache of rates by model and half hour. Rates are cached because finding rates takes longer than the rest of the cost
 * computation.
 */
const known = createCache<{ rates: Rates | undefined }>({ name: "rates", sizeOf: () => RATES_BYTES });

/** Returns the rates of a model at a time from the built-in table; undefined for an unknown model. */
export function findBuiltInRates(model: string, at: number): Rates | undefined {
  const halfHour = Math.floor(at / HALF_HOUR_MS);
  const key = `${halfHour} ${model}`;
  const found = known.get(key) ?? { rates: findRates(model, new Date(halfHour * HALF_HOUR_MS)) };
  known.set(key, found);
  return found.rates;
}

/** Amazon Bedrock's model names: `us.anthropic.claude-…`. */
const BEDROCK = /^(?:[a-z]{2,6}\.)?(?:ai21|amazon|anthropic|cohere|deepseek|meta|mistral)\./;

/**
 * Finds the rates of a model by its whole name, or by the part of the name after the last slash. Gateways write names
 * such as `openai/gpt-5`.
 */
function findRates(model: string, timestamp: Date): Rates | undefined {
  const plain = model.slice(model.lastIndexOf("/") + 1);
  for (const name of new Set([model, plain])) {
    const providerId = BEDROCK.test(name) ? "aws" : undefined;
    // Computes the price of zero tokens, in order to find the model's prices.
    const price = calcPrice({}, name, { timestamp, ...(providerId && { providerId }) })?.model_price;
    const {
      input_mtok: input,
      output_mtok: output,
      cache_read_mtok: cacheRead,
      cache_write_mtok: cacheWrite,
    } = price ?? {};
    if (input !== undefined) return { input, output, cacheRead, cacheWrite };
  }
  return undefined;
}

/** Providers whose models are listed. The table also contains resellers of the same models. */
const PROVIDERS = [
  ...["anthropic", "openai", "google", "mistral", "x-ai", "deepseek", "cohere", "perplexity"],
  ...["aws", "azure", "groq", "cerebras", "fireworks", "together"],
];

/** Price of a model in the built-in table: US dollars per million tokens; null if there is no separate rate. */
interface ListPrice {
  model: string;
  input: number;
  output: number | null;
  cacheRead: number | null;
  cacheWrite: number | null;
  /** True if long prompts cost more than the listed rates. */
  tiered: boolean;
}

let models: readonly string[] | undefined;

/** Returns the distinct model names in alphabetical order. */
function modelsOf(): readonly string[] {
  models ??= [
    ...new Set(PROVIDERS.flatMap((providerId) => findProvider({ providerId })?.models.map(({ id }) => id) ?? [])),
  ].sort();
  return models;
}

/**
 * Returns the prices of models whose name contains a text, ignoring case. The prices are valid at the time `at` (epoch
 * ms). Returns at most `most` prices, and the total number of matching prices.
 */
export function listPrices(search: string, at: number, most: number): { prices: ListPrice[]; total: number } {
  const text = search.toLowerCase();
  const found = modelsOf().filter((model) => model.toLowerCase().includes(text));
  const priced = found.flatMap((model) => priceOf(model, at) ?? []);
  return { prices: priced.slice(0, most), total: priced.length };
}

function priceOf(model: string, at: number): ListPrice | undefined {
  const rates = findBuiltInRates(model, at);
  if (!rates) return undefined;
  const { input, output, cacheRead, cacheWrite } = rates;
  return {
    model,
    input: baseOf(input) ?? 0,
    output: baseOf(output),
    cacheRead: baseOf(cacheRead),
    cacheWrite: baseOf(cacheWrite),
    tiered: [input, output, cacheRead, cacheWrite].some((rate) => typeof rate === "object"),
  };
}

const baseOf = (rate: Rate | undefined): number | null => (typeof rate === "object" ? rate.base : (rate ?? null));
