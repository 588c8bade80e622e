// SQL for times, independent of a session's time zone. Citus rejects the plain forms in a write that names a column,
// because PostgreSQL declares them STABLE.

/** Returns SQL for a time plus an interval. A negative interval gives an earlier time. */
export const buildLaterTimeSql = (moment: string, interval: string): string =>
  `(${moment} at time zone 'UTC' + ${interval}) at time zone 'UTC'`;

/** Returns SQL for a time as a JSON number of milliseconds since 1970. */
export const buildEpochMsJsonSql = (moment: string): string =>
  `(extract(epoch from ${moment} at time zone 'UTC') * 1000)::text::jsonb`;
