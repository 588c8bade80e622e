/** Hashes of sessions that are kept: so many sessions are counted exactly, and more by how dense the hashes lie. */
export const MAX_HASHES = 512;

/** SQL of a number that stands for a session, the same on every machine. */
export const hashOf = (session: string): string => `('x' || left(md5(${session}::text), 8))::bit(32)::integer`;

/** The multiple of the kept hashes that are read at first, so that some may be there in many hours. */
const SPARE = 16;
/** The least hash. */
const LEAST = -(2 ** 31);

/**
 * Raw SQL: a part of what the read planner writes. SQL of how many sessions there are, from SQL of rows with `hashes`, a
 * sorted list each. Of long lists only their beginnings are read, up to where the least are to be expected; a session of
 * many hours is in many lists, so that all are read where these were too few.
 */
export const sessionCount = (lists: string): string => `(with lists as materialized (${lists}),
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
