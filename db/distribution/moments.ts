// Functions that return SQL for times. The SQL does not depend on the session's time zone. In a write that names a
// column, Citus rejects the usual time functions, because PostgreSQL declares them STABLE.

/** Returns SQL for a time plus an interval. A negative interval gives an earlier time. */
export const buildLaterTimeSql = (moment: string, interval: string): string =>
  `(${moment} at time zone 'UTC' + ${interval}) at time zone 'UTC'`;

/** Returns SQL for a time as a JSON number of milliseconds since 1970. */
export const buildEpochMsJsonSql = (moment: string): string =>
  `(extract(epoch from ${moment} at time zone 'UTC') * 1000)::text::jsonb`;
