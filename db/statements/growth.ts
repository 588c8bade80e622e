/** Shares of a table's rows. A table that changed by `some` is analysed in a pause, by `much` at once. */
const SHARE = { some: 0.1, much: 0.4 };

/**
 * SQL of whether a row of pg_stat_user_tables tells of that much growth since the table was analysed, and of 250 rows at
 * least; or of 1,000 rows in ten minutes. An organization that came since counts as one without rows: any index looks as
 * good as the key then, and finding one row reads all of the organization's.
 */
export const grewBy = (growth: keyof typeof SHARE): string =>
  `(n_mod_since_analyze > 250 + ${SHARE[growth]} * n_live_tup or n_mod_since_analyze > 1000
    and now() - greatest(last_analyze, last_autoanalyze) > interval '10 minutes')`;
