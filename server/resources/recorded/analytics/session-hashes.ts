/**
 * Maximum number of session hashes in a list. A smaller number of sessions is counted exactly; a larger number is
 * estimated from the density of the hashes.
 */
export const MAX_HASHES = 512;

/** SQL for a number that identifies a session, equal on every machine. */
export const sessionHashSql = (session: string): string => `('x' || left(md5(${session}::text), 8))::bit(32)::integer`;

/** The first read covers about this many times MAX_HASHES hashes, because the same hash may occur in many hours. */
const SPARE = 16;
/** Lowest possible hash. */
const LEAST = -(2 ** 31);

/**
 * Raw SQL: a fragment for the read planner. SQL for the number of different sessions, from rows with sorted lists of
 * `hashes`. The first read covers only the beginning of each list, up to the value below which enough hashes are
 * expected. If a session occurs in many lists, the first read may find too few different hashes, and all hashes are
 * then read.
 */
export const distinctSessionsSql = (lists: string): string => `(with lists as materialized (${lists}),
    reach as materialized (select least(${LEAST} + ${2 ** 32} * ${SPARE * MAX_HASHES} / greatest(sum(cardinality(hashes)), 1),
      ${2 ** 31 - 1})::integer as until from lists),
    near as materialized (${leastOf("hashes[1:width_bucket((select until from reach), hashes)]")}),
    found as (select hash from near
      union all select hash from (${leastOf("hashes")}) every
      where (select until from reach) < ${2 ** 31 - 1} and (select count(*) from near) < ${MAX_HASHES})
    select case when count(distinct hash) < ${MAX_HASHES} then count(distinct hash)
      else round((${MAX_HASHES} - 1) * ${2 ** 32}.0 / (max(hash)::bigint - (${LEAST}))) end from found)`;

const leastOf = (hashes: string): string =>
  `select distinct hash from (select unnest(${hashes}) as hash from lists) h order by hash limit ${MAX_HASHES}`;
