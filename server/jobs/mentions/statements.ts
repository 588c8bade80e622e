/** Characters that are read of a session's metadata. */
const METADATA = 8_192;
/** Issues that a session is linked to because it names them. */
const MENTIONS = 100;

/**
 * Sessions of $1 with events since they were read: each addition to a session notes the first of them. The latest
 * come first, from behind ($2, $3). Raw SQL, like all here.
 */
export const DUE = `select s.session_id as id, lower(s.external_id) as "externalId", left(s.metadata::text, ${METADATA}) as metadata,
    s.unread_from::text as "unreadFrom", s.xmin::text as version, s.source, s.metadata ->> 'cwd' as cwd,
    exists (select from "awaitedSession" a where a."organizationId" = s.organization_id
      and lower(a.reference) = any(array[s.session_id::text, lower(s.external_id)])) as awaited
  from recorded_session s
  where s.organization_id = $1 and s.unread_from is not null and (s.unread_from, s.session_id) < ($2::timestamptz, $3::uuid)
  order by s.unread_from desc, s.session_id desc limit $4`;

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

/** Notes that session $2 was looked through, unless its row is no longer the version $3 that was read: then something came meanwhile. */
export const MARK = `update recorded_session set unread_from = null
  where organization_id = $1 and session_id = $2 and xmin::text = $3`;
