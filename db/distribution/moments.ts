// SQL of moments that depends on no session's time zone. Citus refuses the plain forms in a write that names a column,
// because PostgreSQL calls them STABLE.

/** SQL of the moment so much after another one; a negative interval is before it. */
export const laterSql = (moment: string, interval: string): string =>
  `(${moment} at time zone 'UTC' + ${interval}) at time zone 'UTC'`;

/** SQL of the moment as a JSON number: milliseconds since 1970. */
export const epochMsJson = (moment: string): string =>
  `(extract(epoch from ${moment} at time zone 'UTC') * 1000)::text::jsonb`;
