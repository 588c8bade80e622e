/**
 * Shares of a table's rows. If the share `some` of the rows changed, the table is analyzed in an idle time. If the
 * share `much` changed, the table is analyzed at once.
 */
const SHARE = { some: 0.1, much: 0.4 };

/**
 * Returns an SQL condition on a row of pg_stat_user_tables. The condition is true if more than 250 rows plus the given
 * share of the table changed since the last analysis, or if more than 1,000 rows changed and the last analysis is more
 * than ten minutes old. Without an analysis, PostgreSQL assumes that a new organization has no rows. Any index then
 * seems as good as the key, and finding one row reads all rows of the organization.
 */
export const buildNeedsAnalyzeSql = (growth: keyof typeof SHARE): string =>
  `(n_mod_since_analyze > 250 + ${SHARE[growth]} * n_live_tup or n_mod_since_analyze > 1000
    and now() - greatest(last_analyze, last_autoanalyze) > interval '10 minutes')`;
