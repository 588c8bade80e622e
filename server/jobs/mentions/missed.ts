import { byKey, bySql, type Comparison } from "../derived/comparison.ts";

/** Sessions of a slice. */
const SESSIONS = 500;

/** Raw SQL, as docs/database.md says why. A session with something that is not rolled up is not due yet, and one that is due is found. */
const MISSED = `select s.session_id as id from recorded_session s
  where s.organization_id = $1 and s.session_id = any($2::uuid[]) and s.unread_from is null
    and not exists (select from recorded_delta d where d.organization_id = $1 and d.session_id = s.session_id)
    and (select x.scanned_at >= s.last_received_at and x.events is not distinct from s.events from recorded_scan x
      where x.organization_id = $1 and x.session_id between s.session_id and s.session_id
      order by x.session_id limit 1) is not true`;

/**
 * Sessions that nobody looked through for issues since they got something. The identifiers in them are not compared with
 * the links: what one meant when it was written need not be what it means now.
 */
export const sessionLinks: Comparison = {
  value: "issues of a session",
  next: byKey("recorded_session", SESSIONS, { tenant: "organization_id", key: "session_id" }),
  differing: bySql(MISSED),
  async repair({ db }, organizationId, keys) {
    const text = `update recorded_session set unread_from = '-infinity'
      where organization_id = $1 and unread_from is null and session_id in (${MISSED}) returning 1`;
    return (await db.query({ text, values: [organizationId, keys] })).length;
  },
};
