import { knex, toStatement } from "../../../db/builder.ts";
import type { Database } from "../../../db/open.ts";
import { isSessionNamedSql } from "../issue-session/link.ts";
import { hasNoKeySql } from "./expire.ts";

/** Maximum number of an organization's leases that a statement examines. */
export const MAX_EXAMINED_LEASES = 200;

export interface ExaminedLease {
  id: string;
  over: boolean;
}

/** Maximum difference between the clocks of synchronized servers, plus the time of a commit. */
const SLACK = "interval '2 seconds'";

const within = (moment: string, since: string): string =>
  `${moment} > ${since} and ${moment} <= clock_timestamp() + ${SLACK}`;

/**
 * SQL for the activity of the session that a lease `l` names. `signs` counts each event, and counts an event again if
 * its end was reported separately. The number grows with every report, even if the clock of the receiving server is
 * wrong. `at` is the newest time of activity that is after `since` and not in the future.
 */
const signsSql = (since: string): string => `
  select count(*) as events, count(*) + count(*) filter (where e.part is not null and e.latency is not null and not coalesce(e.open, false)) as signs,
      count(*) filter (where ${within("e.received_at", `${since} - ${SLACK}`)}) as timely,
      coalesce(greatest(max(e.received_at), max(s.last_received_at)) > clock_timestamp() + ${SLACK}, false) as early,
      greatest(max(e.received_at) filter (where ${within("e.received_at", since)}),
        max(s.last_received_at) filter (where ${within("s.last_received_at", since)})) as at
    from recorded_session s join recorded_event e on e.organization_id = s.organization_id and e.session_id = s.session_id
   where s.organization_id = $1 and ${isSessionNamedSql(`l."sessionId"`)}`;

/**
 * SQL for the leases that must be examined now. The condition uses now() instead of clock_timestamp(), because
 * PostgreSQL cannot use an index with clock_timestamp() and would read all leases.
 */
const DUE = `
    select l.* from "issueLease" l where l."organizationId" = $1 and l."checkAt" <= now()
       and ($2::uuid[] is null or l.id = any($2::uuid[]))
     order by l."checkAt" limit ${MAX_EXAMINED_LEASES} for update skip locked`;

/**
 * SQL for the due leases with the activity of their sessions. The column `unsure` becomes true if the SQL detects a
 * wrong clock: a time of receipt is in the future, or new events were received at times before the last examination.
 */
const COUNTED = `
    select l.id, l."holderId", l."ttlSeconds" as ttl, l."sessionId" is not null as recorded, l."expiresAt", l."renewedAt", r.signs, r.events,
        case when r.at > clock_timestamp() then clock_timestamp() else r.at end as at,
        r.signs > l.signs as grown, l.signs is null as first,
        l.unsure or r.early or coalesce(r.events - l.events > r.timely, false) as unsure
      from due l left join lateral (${signsSql(`coalesce(l."lookedAt", l."renewedAt")`)}) r on l."sessionId" is not null`;

/**
 * SQL for the time of the holder's last activity. New activity counts at the time of the report, or at the current time
 * if a clock may be wrong (`unsure`). The first examination of a lease has no earlier number of signs to compare, so
 * only a time after the claim counts.
 */
const RENEWED = `
    select *, greatest("renewedAt", case when grown and (unsure or at is null) then clock_timestamp()
      when grown or (first and not unsure) then at end) as renewed from counted`;

/**
 * SQL for the expiry of each lease. If less than half of the lifetime remains, the lease is extended to its lifetime
 * after the last activity.
 */
const KEPT = `
    select id, "holderId", renewed, signs, events, coalesce(unsure, false) as unsure, ttl, recorded, case
        when "expiresAt" > clock_timestamp() + make_interval(secs => ttl / 2.0) then "expiresAt"
        else greatest("expiresAt", renewed + make_interval(secs => ttl)) end as until from renewed`;

/**
 * Time of the next examination. An expired lease is due again after a second, in case the process that ends the lease
 * is killed.
 */
const NEXT = `
    select l.*, clock_timestamp() as now, case
        when l.until <= clock_timestamp() then clock_timestamp() + interval '1 second'
        when not l.recorded and l.until - make_interval(secs => l.ttl / 2.0) > clock_timestamp()
          then l.until - make_interval(secs => l.ttl / 2.0)
        else least(l.until, clock_timestamp() + make_interval(secs => l.ttl / 20.0)) end as "check",
      (l.until <= clock_timestamp() or ${hasNoKeySql}) as over
    from kept l`;

/**
 * Raw SQL: an update from lateral joins that uses the time of the database. The SQL reads the time before the update,
 * because on Citus an update cannot read the clock.
 */
const EXAMINE = `
  with due as (${DUE}), counted as (${COUNTED}), renewed as (${RENEWED}), kept as (${KEPT}), next as (${NEXT})
  update "issueLease" l set "renewedAt" = n.renewed, signs = n.signs, events = n.events, unsure = n.unsure,
      "lookedAt" = n.now, "expiresAt" = n.until, "checkAt" = n."check"
    from next n where l."organizationId" = $1 and l.id = n.id
  returning l.id, n.over`;

/**
 * Examines the due leases of an organization, and extends the leases of active holders. With `some`, examines only
 * leases whose ids are in `some`.
 */
export const examineLeases = (
  db: Database,
  organizationId: string,
  some?: readonly string[],
): Promise<ExaminedLease[]> =>
  db.query<ExaminedLease>({ name: "look-at-leases", text: EXAMINE, values: [organizationId, some ?? null] });

/**
 * Returns the ids of the organization's due leases that are greater than `after`, up to the maximum of one examination.
 */
export async function readDueLeaseIds(db: Database, organizationId: string, after: string): Promise<string[]> {
  const due = knex("issueLease").where({ organizationId }).whereRaw('"checkAt" <= now()').where("id", ">", after);
  const found: { id: string }[] = await db.query(
    toStatement(due.orderBy("id").limit(MAX_EXAMINED_LEASES).select("id")),
  );
  return found.map(({ id }) => id);
}
