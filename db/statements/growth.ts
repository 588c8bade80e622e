/**
 * Shares of a table's rows. A table that changed by `some` is analyzed in an idle time; a table that changed by `much`,
 * at once.
 */
const SHARE = { some: 0.1, much: 0.4 };

/**
 * Returns SQL for a condition on a row of pg_stat_user_tables: since the last analysis, the table changed by the given
 * share and at least 250 rows, or by 1,000 rows with the last analysis ten minutes ago. Without an analysis, PostgreSQL
 * assumes that a new organization has no rows. Any index then seems as good as the key, and finding one row reads all
 * rows of the organization.
 */
export const buildGrowthSql = (growth: keyof typeof SHARE): string =>
  `(n_mod_since_analyze > 250 + ${SHARE[growth]} * n_live_tup or n_mod_since_analyze > 1000
    and now() - greatest(last_analyze, last_autoanalyze) > interval '10 minutes')`;
