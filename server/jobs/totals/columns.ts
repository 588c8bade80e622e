/** SQL of when the first of noted events began: from there on their session is to be looked through for issues. */
export const UNREAD = "min(began_at)";

/** SQL of counts by model, from rows of such counts. */
export const modelsOf = (rows: string): string => `(select jsonb_object_agg(m.key, m.times) from (
    select key, sum(value::bigint) as times from (${rows}) all_models cross join lateral jsonb_each_text(models)
    group by key having sum(value::bigint) > 0) m)`;
