import { isNamed } from "../../resources/issue-session/link.ts";
import { isToolCall, isTurn, kindOf } from "../../resources/recorded/told.ts";

/** Characters that are read of a prompt or command, of what a command answered, and of metadata. */
const ARGS = 16_384;
const RESULT = 4_096;
const METADATA = 8_192;
/** Issues that a session is linked to because it names them. */
const MENTIONS = 100;
/** A commit may become visible this much later than the moment it is stamped with. */
const LATE = "interval '2 minutes'";

/** SQL of what is remembered of session `s`, by its key: a join would read all that is remembered of the organization. */
const scanned = (what: string): string =>
  `select ${what} from recorded_scan x where x.organization_id = s.organization_id and x.session_id = s.session_id`;

/**
 * Sessions of $1 behind $2 that began since $3 and got something since they were looked through: connectors say so in the
 * session, commits of capture-* in a delta, and then in the count that it is rolled up to. Raw SQL, like all here.
 */
export const DUE = `select s.session_id as id, left(s.metadata::text, ${METADATA}) as metadata, s.events,
    (${scanned("x.scanned_at")}) as "scannedAt", now() - ${LATE} as "scansTo"
  from recorded_session s
  where s.organization_id = $1 and s.session_id > $2 and ($3::timestamptz is null or s.timestamp >= $3)
    and ((${scanned("coalesce(x.scanned_at < s.last_received_at, false) or x.events is distinct from s.events")}) is not false
      or exists (select from recorded_delta d where d.organization_id = s.organization_id and d.session_id = s.session_id))
  order by s.session_id limit $4`;

/** What may name issues among the events of session $2 behind ($3, $4) that came since $5. */
export const TEXTS = `select e.event_id as id, e.timestamp, ${kindOf("e")} as kind, left(e.args, ${ARGS}) as args,
    case when ${isToolCall("e")} then left(e.result, ${RESULT}) end as result, left(e.metadata::text, ${METADATA}) as metadata
  from recorded_event e
  where e.organization_id = $1 and e.session_id = $2 and (e.timestamp, e.event_id) > ($3::timestamptz, $4::uuid)
    and ($5::timestamptz is null or e.received_at > $5)
    and (${isTurn("e")} or (${isToolCall("e")} and left(e.args, ${ARGS}) like '%git%')
      or left(e.metadata::text, ${METADATA}) ~* 'branch|commit')
  order by e.timestamp, e.event_id limit $6`;

/**
 * Links session $2 to the issues that have or had the identifiers made of $3 and $4. The lock keeps retention from taking
 * the session away meanwhile.
 */
export const LINK = `with named as (
    select k."teamId", n.number from unnest($3::text[], $4::int[]) n (key, number)
    join "teamKey" k on k."organizationId" = $1 and k.key = n.key),
  meant as (
    select i.id from named n join issue i on i."organizationId" = $1 and i."teamId" = n."teamId" and i.number = n.number
    union select a."issueId" from named n
      join "issueAlias" a on a."organizationId" = $1 and a."teamId" = n."teamId" and a.number = n.number),
  session as (select s.session_id from recorded_session s where s.organization_id = $1 and s.session_id = $2 for key share)
  insert into "issueSession" as l ("organizationId", "issueId", "sessionId", mentioned)
    select $1::uuid, m.id, s.session_id, true from session s cross join meant m
    where not exists (select from "issueSession" o where o."organizationId" = $1 and o."issueId" = m.id
      and o."sessionId" = s.session_id and o.mentioned)
    limit greatest(0, ${MENTIONS} - (select count(*) from "issueSession" o
      where o."organizationId" = $1 and o."sessionId" = $2 and o.mentioned))
    on conflict ("organizationId", "issueId", "sessionId") do update set mentioned = true`;

/** Remembers that session $2 was looked through up to $3, when it was rolled up to $4 events. */
export const MARK = `insert into recorded_scan as x (organization_id, session_id, scanned_at, events)
    select s.organization_id, s.session_id, $3::timestamptz, $4::bigint from recorded_session s
    where s.organization_id = $1 and s.session_id = $2 for key share
  on conflict (organization_id, session_id) do update
    set scanned_at = greatest(x.scanned_at, excluded.scanned_at), events = excluded.events`;

/**
 * Links issues of $1 to the sessions that they await, as far as something of them is recorded by now. Each table is told
 * the organization itself: tables on several nodes are planned by that alone.
 */
export const ARRIVED = `with arrived as (
    select a."issueId", a.reference, a.kind, s.session_id from "awaitedSession" a cross join lateral (
      select s.session_id from recorded_session s where s.organization_id = $1
        and ${isNamed("a.reference")} limit 1 for key share) s
    where a."organizationId" = $1 limit $2),
  linked as (
    insert into "issueSession" as l ("organizationId", "issueId", "sessionId", claimed, filed)
    select $1::uuid, "issueId", session_id, bool_or(kind = 'claimed'), bool_or(kind = 'filed') from arrived
    group by 1, 2, 3
    on conflict ("organizationId", "issueId", "sessionId") do update
      set claimed = l.claimed or excluded.claimed, filed = l.filed or excluded.filed)
  delete from "awaitedSession" a using arrived r where a."organizationId" = $1
    and a."issueId" = r."issueId" and a.reference = r.reference and a.kind = r.kind
  returning 1`;
