import { COST_COUNTS } from "../../resources/recorded/kinds.ts";

/** The summed and the counted columns of a session's events. */
export const SUMS = [
  "input_tokens",
  "output_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "cost",
  ...COST_COUNTS,
] as const;
export const COUNTS = ["events", "failures", "turns", "tool_calls"] as const;

/** SQL of when the first of noted events began: from there on their session is to be looked through for issues. */
export const UNREAD = "min(began_at)";

/** SQL of counts by model, from rows of such counts. */
export const modelsOf = (rows: string): string => `(select jsonb_object_agg(m.key, m.times) from (
    select key, sum(value::bigint) as times from (${rows}) all_models cross join lateral jsonb_each_text(models)
    group by key having sum(value::bigint) > 0) m)`;
