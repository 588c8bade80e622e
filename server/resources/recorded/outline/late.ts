/** An event is late when it was recorded so long after it happened, or changed so long after it began. */
export const LATE_MS = 5 * 60 * 1000;
/** Clocks of servers may differ by this, and a commit may end this much after the moment it is stamped with. */
const SLACK = "interval '1 minute'";

/**
 * SQL of the moment from which on events of a session stand that were received or changed after another; open ones may stand
 * before it. What is not rolled up says itself how far back it goes, and so far back as its first event goes a session to
 * which something late came.
 */
export const newFrom = (tenant: string, session: string, moment: string): string => `(select least(
    ${moment} - interval '${LATE_MS} milliseconds',
    (select min(d.began_at) from recorded_delta d
      where d.organization_id = ${tenant} and d.session_id = ${session}),
    case when s.late_at + ${SLACK} > ${moment} then '-infinity'::timestamptz end)
  from recorded_session s where s.organization_id = ${tenant} and s.session_id = ${session})`;
