/** Hashes of sessions that are kept: so many sessions are counted exactly, and more by how dense the hashes lie. */
export const MAX_HASHES = 512;

/** SQL of a number that stands for a session, the same on every machine. */
export const hashOf = (session: string): string => `('x' || left(md5(${session}::text), 8))::bit(32)::integer`;

/** Raw SQL: a part of what the read planner writes. SQL of how many sessions there are, from SQL of rows with their `hash`. */
export const sessionCount = (hashes: string): string => `(select case when count(*) < ${MAX_HASHES} then count(*)
      else round((${MAX_HASHES} - 1) * 4294967296.0 / (max(hash)::bigint + 2147483648)) end
    from (select distinct hash from (${hashes}) h order by hash limit ${MAX_HASHES}) least_hashes)`;
