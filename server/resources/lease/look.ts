import type { Database } from "../../../db/open.ts";
import { keyless } from "./expire.ts";

/** Leases of an organization that one look takes. */
export const LEASES_OF_A_LOOK = 200;

/** A lease that was looked at. */
export interface Seen {
  id: string;
  over: boolean;
}

/** By how much the clocks of servers that are kept right may differ, and how long a commit may take. */
const SLACK = "interval '2 seconds'";

/**
 * SQL of the signs of life of the session that a lease `l` names: each event is one, and its end another, where that comes
 * apart. Their number grows with whatever is recorded, however wrong the clock of the server that took it; `at` is when
 * the newest came, where that can be so: after `since`, and not yet to come.
 */
const signsSql = (since: string): string => `
  select count(*) as events, count(*) + count(*) filter (where e.observed -> 'ended' is not null) as signs,
      count(*) filter (where ${within("e.received_at", `${since} - ${SLACK}`)}) as timely,
      coalesce(greatest(max(e.received_at), max(s.last_received_at)) > clock_timestamp() + ${SLACK}, false) as early,
      greatest(max(e.received_at) filter (where ${within("e.received_at", since)}),
        max(s.last_received_at) filter (where ${within("s.last_received_at", since)})) as at
    from recorded_session s join recorded_event e on e.organization_id = s.organization_id and e.session_id = s.session_id
   where s.organization_id = $1 and (s.external_id = l."sessionId" or s.session_id = case
     when l."sessionId" ~* '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' then l."sessionId"::uuid end)`;

const within = (moment: string, since: string): string =>
  `${moment} > ${since} and ${moment} <= clock_timestamp() + ${SLACK}`;

/**
 * Counts the signs of life of what is due for a look. Where there are more than at the look before, the holder was heard of
 * since then: when it says, or now, once a moment turned out to be told by a wrong clock. Such are moments to come, and events that are new
 * and not of the time since. The first look only counts, but believes a moment after the claim. A lease that is half over is
 * renewed from when its holder was heard last. What is over is due again a
 * second later, should whoever ends it be killed meanwhile. Raw SQL: updates from lateral joins, on the database's time, which is
 * read before the update: where tables lie on several nodes, an update itself takes no clock. What is due is compared with
 * now(): no index is used for what a clock says that goes on, and all leases would be read.
 */
const LOOK = `
  with due as (
    select l.* from "issueLease" l where l."organizationId" = $1 and l."checkAt" <= now()
     order by l."checkAt" limit ${LEASES_OF_A_LOOK} for update skip locked),
  looked as (
    select l.id, l."holderId", l."ttlSeconds" as ttl, l."sessionId" is not null as recorded, l."expiresAt", l."renewedAt", r.signs, r.events,
        case when r.at > clock_timestamp() then clock_timestamp() else r.at end as at,
        r.signs > l.signs as grown, l.signs is null as first,
        l.unsure or r.early or coalesce(r.events - l.events > r.timely, false) as unsure
      from due l left join lateral (${signsSql(`coalesce(l."lookedAt", l."renewedAt")`)}) r on l."sessionId" is not null),
  seen as (
    select *, greatest("renewedAt", case when grown and (unsure or at is null) then clock_timestamp()
      when grown or (first and not unsure) then at end) as heard from looked),
  kept as (
    select id, "holderId", heard, signs, events, coalesce(unsure, false) as unsure, ttl, recorded, case
        when "expiresAt" > clock_timestamp() + make_interval(secs => ttl / 2.0) then "expiresAt"
        else greatest("expiresAt", heard + make_interval(secs => ttl)) end as until from seen),
  next as (
    select l.*, clock_timestamp() as now, case
        when l.until <= clock_timestamp() then clock_timestamp() + interval '1 second'
        when not l.recorded and l.until - make_interval(secs => l.ttl / 2.0) > clock_timestamp()
          then l.until - make_interval(secs => l.ttl / 2.0)
        else least(l.until, clock_timestamp() + make_interval(secs => l.ttl / 20.0)) end as "check",
      (l.until <= clock_timestamp() or ${keyless}) as over
    from kept l)
  update "issueLease" l set "renewedAt" = n.heard, signs = n.signs, events = n.events, unsure = n.unsure,
      "lookedAt" = n.now, "expiresAt" = n.until, "checkAt" = n."check"
    from next n where l."organizationId" = $1 and l.id = n.id
  returning l.id, n.over`;

/** Looks at the leases of an organization that are due for it: renews those whose holders were heard of. */
export const lookAtLeases = (db: Database, organizationId: string): Promise<Seen[]> =>
  db.query<Seen>({ name: "look-at-leases", text: LOOK, values: [organizationId] });
