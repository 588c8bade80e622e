/** What is summed of the events of a session, and what is counted. */
export const SUMS = ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "cost"] as const;
export const COUNTS = ["events", "failures", "turns", "tool_calls"] as const;

/** SQL of when the first of noted events began: from there on their session is to be looked through for issues. Older servers did not note it. */
export const UNREAD = "min(case when events > 0 then coalesce(began_at, '-infinity') end)";
