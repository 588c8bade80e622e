import { calcPrice, findProvider, type TieredPrices } from "@pydantic/genai-prices";
import { createCache } from "../cache.ts";

/** US dollars for a million tokens; in steps where long prompts cost more. */
export type Rate = number | Pick<TieredPrices, "base" | "tiers">;

/** The rates of a model. Tokens without a rate of their own cost what input does. */
export interface Rates {
  input: Rate;
  output?: Rate | undefined;
  cacheRead?: Rate | undefined;
  cacheWrite?: Rate | undefined;
}

/** Rates may change with the hour: none begins but at a half. */
const HALF_HOUR_MS = 30 * 60 * 1000;
const RATES_BYTES = 500;

/** Rates by model and half hour: finding them takes longer than all the rest of a cost. */
const known = createCache<{ rates: Rates | undefined }>({ name: "rates", sizeOf: () => RATES_BYTES });

/** The rates of a model at a moment, by the table that is shipped; undefined for a model that it lacks. */
export function tableRates(model: string, at: number): Rates | undefined {
  const halfHour = Math.floor(at / HALF_HOUR_MS);
  const key = `${halfHour} ${model}`;
  const found = known.get(key) ?? { rates: findRates(model, new Date(halfHour * HALF_HOUR_MS)) };
  known.set(key, found);
  return found.rates;
}

/** Amazon Bedrock's names of models: `us.anthropic.claude-…`. */
const BEDROCK = /^(?:[a-z]{2,6}\.)?(?:ai21|amazon|anthropic|cohere|deepseek|meta|mistral)\./;

/** Looks a model up under its name, and under the name behind a path: gateways write `openai/gpt-5`. */
function findRates(model: string, timestamp: Date): Rates | undefined {
  const plain = model.slice(model.lastIndexOf("/") + 1);
  for (const name of new Set([model, plain])) {
    const providerId = BEDROCK.test(name) ? "aws" : undefined;
    // The price of no tokens: it finds the model.
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

/** The makers and services whose models are listed; the table has more, which resell models of these. */
const PROVIDERS = [
  ...["anthropic", "openai", "google", "mistral", "x-ai", "deepseek", "cohere", "perplexity"],
  ...["aws", "azure", "groq", "cerebras", "fireworks", "together"],
];

/** The price of a model by the table that is shipped: US dollars for a million tokens, null for what has no rate of its own. */
interface ListPrice {
  model: string;
  input: number;
  output: number | null;
  cacheRead: number | null;
  cacheWrite: number | null;
  /** Longer prompts cost more than this. */
  tiered: boolean;
}

let models: readonly string[] | undefined;

/** The names of the models, each once, in the order of the alphabet. */
function modelsOf(): readonly string[] {
  models ??= [
    ...new Set(PROVIDERS.flatMap((providerId) => findProvider({ providerId })?.models.map(({ id }) => id) ?? [])),
  ].sort();
  return models;
}

/** The prices at a moment (epoch ms) of the models whose name holds a text, in any case, `most` at most; and how many there are. */
export function listPrices(search: string, at: number, most: number): { prices: ListPrice[]; total: number } {
  const text = search.toLowerCase();
  const found = modelsOf().filter((model) => model.toLowerCase().includes(text));
  const priced = found.flatMap((model) => priceOf(model, at) ?? []);
  return { prices: priced.slice(0, most), total: priced.length };
}

function priceOf(model: string, at: number): ListPrice | undefined {
  const rates = tableRates(model, at);
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
