import { findProvider } from "@pydantic/genai-prices";
import { type Rate, tableRates } from "./rates.ts";

/** The makers and services whose models are listed; the table has more, which resell models of these. */
const PROVIDERS = [
  ...["anthropic", "openai", "google", "mistral", "x-ai", "deepseek", "cohere", "perplexity"],
  ...["aws", "azure", "groq", "cerebras", "fireworks", "together"],
];

/** The price of a model by the table that is shipped: US dollars for a million tokens, null for what has no rate of its own. */
export interface ListPrice {
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
