import { knex, toStatement } from "../../../db/builder.ts";
import type { Database } from "../../../db/open.ts";
import { isNamedSql } from "../issue-session/link.ts";
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
 * SQL for the activity of the session that a lease `l` names. Each event counts as a sign of activity, and a
 * separately reported end counts as another. The number grows with every record, even if the clock of the receiving
 * server is wrong. `at` is the time of the newest sign after `since` that is not in the future.
 */
const signsSql = (since: string): string => `
  select count(*) as events, count(*) + count(*) filter (where e.part is not null and e.latency is not null and not coalesce(e.open, false)) as signs,
      count(*) filter (where ${within("e.received_at", `${since} - ${SLACK}`)}) as timely,
      coalesce(greatest(max(e.received_at), max(s.last_received_at)) > clock_timestamp() + ${SLACK}, false) as early,
      greatest(max(e.received_at) filter (where ${within("e.received_at", since)}),
        max(s.last_received_at) filter (where ${within("s.last_received_at", since)})) as at
    from recorded_session s join recorded_event e on e.organization_id = s.organization_id and e.session_id = s.session_id
   where s.organization_id = $1 and ${isNamedSql(`l."sessionId"`)}`;

/**
 * Leases that are due for an examination. Compared with now(), because an index cannot be used with
 * clock_timestamp(), and PostgreSQL would read all leases.
 */
const DUE = `
    select l.* from "issueLease" l where l."organizationId" = $1 and l."checkAt" <= now()
       and ($2::uuid[] is null or l.id = any($2::uuid[]))
     order by l."checkAt" limit ${MAX_EXAMINED_LEASES} for update skip locked`;

/**
 * Due leases with the activity of their sessions. A lease becomes `unsure` when the SQL detects a wrong clock: a time
 * in the future, or new events that are not later than the last examination.
 */
const COUNTED = `
    select l.id, l."holderId", l."ttlSeconds" as ttl, l."sessionId" is not null as recorded, l."expiresAt", l."renewedAt", r.signs, r.events,
        case when r.at > clock_timestamp() then clock_timestamp() else r.at end as at,
        r.signs > l.signs as grown, l.signs is null as first,
        l.unsure or r.early or coalesce(r.events - l.events > r.timely, false) as unsure
      from due l left join lateral (${signsSql(`coalesce(l."lookedAt", l."renewedAt")`)}) r on l."sessionId" is not null`;

/**
 * Time of the last activity. New signs count at their own time, or at the current time for an unsure lease. The first
 * examination only stores the number of signs, but accepts a time after the claim.
 */
const RENEWED = `
    select *, greatest("renewedAt", case when grown and (unsure or at is null) then clock_timestamp()
      when grown or (first and not unsure) then at end) as renewed from counted`;

/** Expiry of a lease. After half of its lifetime, a lease is extended from the last activity. */
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
 * Raw SQL: an update from lateral joins with the time of the database. The time is read before the update, because on
 * Citus an update cannot read the clock.
 */
const EXAMINE = `
  with due as (${DUE}), counted as (${COUNTED}), renewed as (${RENEWED}), kept as (${KEPT}), next as (${NEXT})
  update "issueLease" l set "renewedAt" = n.renewed, signs = n.signs, events = n.events, unsure = n.unsure,
      "lookedAt" = n.now, "expiresAt" = n.until, "checkAt" = n."check"
    from next n where l."organizationId" = $1 and l.id = n.id
  returning l.id, n.over`;

/** Examines the due leases of an organization, of all or of some ids, and extends the leases of active holders. */
export const examineLeases = (
  db: Database,
  organizationId: string,
  some?: readonly string[],
): Promise<ExaminedLease[]> =>
  db.query<ExaminedLease>({ name: "look-at-leases", text: EXAMINE, values: [organizationId, some ?? null] });

/** Returns the organization's next due leases after an id. */
export async function dueLeases(db: Database, organizationId: string, after: string): Promise<string[]> {
  const due = knex("issueLease").where({ organizationId }).whereRaw('"checkAt" <= now()').where("id", ">", after);
  const found: { id: string }[] = await db.query(
    toStatement(due.orderBy("id").limit(MAX_EXAMINED_LEASES).select("id")),
  );
  return found.map(({ id }) => id);
}
