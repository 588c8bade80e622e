import { z } from "zod";

/** The tokens and cost of models, as documents ask for them. */
export interface UsageNode {
  inputTokens: number | null;
  outputTokens: number | null;
  cost: number | null;
  costSource: string;
}

/** The same as tools answer it: left out where there is none. */
export const USAGE_RESULT = {
  input_tokens: z.number().optional(),
  output_tokens: z.number().optional(),
  cost_usd: z.number().optional(),
  cost_source: z.string().optional(),
};

/** Tokens and cost for an answer. */
export const toUsage = ({ inputTokens, outputTokens, cost, costSource }: UsageNode) => ({
  input_tokens: inputTokens || undefined,
  output_tokens: outputTokens || undefined,
  cost_usd: cost || undefined,
  // Costs that agents report are the rule, and need no words.
  cost_source: cost && costSource === "computed" ? costSource : undefined,
});
