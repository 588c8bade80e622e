/** Shares of a table's rows. A table that changed by `some` is analysed in a pause, by `much` at once. */
const SHARE = { some: 0.1, much: 0.4 };

/** SQL of whether a row of pg_stat_user_tables tells of that much growth since the table was analysed, and of 250 rows at least. */
export const grewBy = (growth: keyof typeof SHARE): string =>
  `n_mod_since_analyze > 250 + ${SHARE[growth]} * n_live_tup`;
