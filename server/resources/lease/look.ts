import { knex, toStatement } from "../../../db/builder.ts";
import type { Database } from "../../../db/open.ts";
import { isNamed } from "../issue-session/link.ts";
import { keyless } from "./expire.ts";

/** The most leases of an organization that one statement examines. */
export const LEASES_OF_A_LOOK = 200;

/** A lease that was examined. */
export interface Seen {
  id: string;
  over: boolean;
}

/** The most by which well-kept clocks of servers differ, with the time that a commit may take. */
const SLACK = "interval '2 seconds'";

const within = (moment: string, since: string): string =>
  `${moment} > ${since} and ${moment} <= clock_timestamp() + ${SLACK}`;

/**
 * SQL of the signs of life of the session that a lease `l` names: each event is one, and an end that arrives apart is
 * another. Their number grows with every record, however wrong the clock of the server that took it. `at` is the time of
 * the newest sign that lies after `since` and not in the future.
 */
const signsSql = (since: string): string => `
  select count(*) as events, count(*) + count(*) filter (where e.part is not null and e.latency is not null and not coalesce(e.open, false)) as signs,
      count(*) filter (where ${within("e.received_at", `${since} - ${SLACK}`)}) as timely,
      coalesce(greatest(max(e.received_at), max(s.last_received_at)) > clock_timestamp() + ${SLACK}, false) as early,
      greatest(max(e.received_at) filter (where ${within("e.received_at", since)}),
        max(s.last_received_at) filter (where ${within("s.last_received_at", since)})) as at
    from recorded_session s join recorded_event e on e.organization_id = s.organization_id and e.session_id = s.session_id
   where s.organization_id = $1 and ${isNamed(`l."sessionId"`)}`;

/**
 * Leases that are due. They are compared with now(): an index serves no clock that goes on, and all leases would be
 * read.
 */
const DUE = `
    select l.* from "issueLease" l where l."organizationId" = $1 and l."checkAt" <= now()
       and ($2::uuid[] is null or l.id = any($2::uuid[]))
     order by l."checkAt" limit ${LEASES_OF_A_LOOK} for update skip locked`;

/**
 * Due leases with the signs of life of their sessions. A lease is unsure from the first time that a wrong clock shows:
 * in a time in the future, or in new events that do not lie after the last examination.
 */
const COUNTED = `
    select l.id, l."holderId", l."ttlSeconds" as ttl, l."sessionId" is not null as recorded, l."expiresAt", l."renewedAt", r.signs, r.events,
        case when r.at > clock_timestamp() then clock_timestamp() else r.at end as at,
        r.signs > l.signs as grown, l.signs is null as first,
        l.unsure or r.early or coalesce(r.events - l.events > r.timely, false) as unsure
      from due l left join lateral (${signsSql(`coalesce(l."lookedAt", l."renewedAt")`)}) r on l."sessionId" is not null`;

/**
 * The last sign of life. More signs than before count at their own time, or now for an unsure lease. The first
 * examination only counts, but believes a time after the claim.
 */
const RENEWED = `
    select *, greatest("renewedAt", case when grown and (unsure or at is null) then clock_timestamp()
      when grown or (first and not unsure) then at end) as renewed from counted`;

/** The end of a lease: one that is half over is renewed from the last sign of life. */
const KEPT = `
    select id, "holderId", renewed, signs, events, coalesce(unsure, false) as unsure, ttl, recorded, case
        when "expiresAt" > clock_timestamp() + make_interval(secs => ttl / 2.0) then "expiresAt"
        else greatest("expiresAt", renewed + make_interval(secs => ttl)) end as until from renewed`;

/** The next examination. A lease that is over is due a second later, should whoever ends it be killed meanwhile. */
const NEXT = `
    select l.*, clock_timestamp() as now, case
        when l.until <= clock_timestamp() then clock_timestamp() + interval '1 second'
        when not l.recorded and l.until - make_interval(secs => l.ttl / 2.0) > clock_timestamp()
          then l.until - make_interval(secs => l.ttl / 2.0)
        else least(l.until, clock_timestamp() + make_interval(secs => l.ttl / 20.0)) end as "check",
      (l.until <= clock_timestamp() or ${keyless}) as over
    from kept l`;

/**
 * Raw SQL: an update from lateral joins on the database's time, which is read before the update: where tables lie on
 * several nodes, an update itself takes no clock.
 */
const EXAMINE = `
  with due as (${DUE}), counted as (${COUNTED}), renewed as (${RENEWED}), kept as (${KEPT}), next as (${NEXT})
  update "issueLease" l set "renewedAt" = n.renewed, signs = n.signs, events = n.events, unsure = n.unsure,
      "lookedAt" = n.now, "expiresAt" = n.until, "checkAt" = n."check"
    from next n where l."organizationId" = $1 and l.id = n.id
  returning l.id, n.over`;

/**
 * Examines the leases of an organization that are due, of all or of some ids, and renews those whose holders gave a sign of
 * life.
 */
export const lookAtLeases = (db: Database, organizationId: string, some?: readonly string[]): Promise<Seen[]> =>
  db.query<Seen>({ name: "look-at-leases", text: EXAMINE, values: [organizationId, some ?? null] });

/** The next leases of an organization that are due, behind an id. */
export async function dueLeases(db: Database, organizationId: string, after: string): Promise<string[]> {
  const due = knex("issueLease").where({ organizationId }).whereRaw('"checkAt" <= now()').where("id", ">", after);
  const found: { id: string }[] = await db.query(toStatement(due.orderBy("id").limit(LEASES_OF_A_LOOK).select("id")));
  return found.map(({ id }) => id);
}
