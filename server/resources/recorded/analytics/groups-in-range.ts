import { groupIdOf, lineOf, messageOf } from "../failures/message.ts";
import { eventsIn, isCounted, type Parts, type Reach } from "./roll-up.ts";

/** Groups that one answer shows. */
const MAX_GROUPS = 50;

/**
 * Raw SQL: a part of what the read planner writes. The groups of a tool's failures in a range, or the one that `only` is the id
 * of: from what is counted by the hour, and the events of what is not. Messages, sessions and users are looked up for the
 * groups that are shown alone: there may be thousands. Group and hour are compared as pairs, for which the key alone is of
 * use: by the index of hours the planner read the failures of all tools once a group.
 */
export function groupsInRange(reach: Reach, tool: string, only: string | undefined): Parts {
  const { organization, hour, hourEnd } = reach;
  const isRead = (id: string) => (only ? `${id} = ${only}` : "true");
  const columns = `e.event_id, e.session_id, e.timestamp, ${lineOf("e")} as line`;
  return {
    raw_failures: `select event_id, session_id, timestamp, ${messageOf("line")} as message
      from (${eventsIn(reach, columns, `not e.success and e.primitive_name = ${tool}`)}) e`,
    named: `select g.group_id from recorded_failure_group g where g.organization_id = ${organization} and g.tool = ${tool}
      and ${isRead("g.group_id")}`,
    said: `select ${groupIdOf(organization, tool, "message")} as id, message, 1 as failures, session_id,
        timestamp as first_at, timestamp as last_at, event_id from raw_failures
      union all
      select f.group_id, null, f.failures, f.session_id, f.first_at, f.last_at, f.event_id
      from named g join recorded_failure f on f.organization_id = ${organization} and f.group_id = g.group_id
      where (f.group_id, f.hour) >= (g.group_id, ${hour}) and (f.group_id, f.hour) < (g.group_id, ${hourEnd})
        and ${isCounted("f.hour")}`,
    shown: `select *, row_number() over (order by failures desc, last_at desc, id) as position from (
        select id, sum(failures) as failures, min(first_at) as first_at, max(last_at) as last_at, count(*) over () as total
        from said where ${isRead("id")} group by id
        order by failures desc, last_at desc, id limit ${MAX_GROUPS}) g`,
    groups: `select id, position, shown.failures, shown.first_at, shown.last_at,
        least(min(said.message), (select g.message from recorded_failure_group g
          where g.organization_id = ${organization} and g.group_id = id)) as message,
        count(distinct said.session_id) as sessions, count(distinct s.user_id) as users,
        (array_agg(said.event_id order by said.last_at desc, said.event_id desc))[1] as event_id,
        (array_agg(said.session_id order by said.last_at desc, said.event_id desc))[1] as session_id
      from shown join said using (id)
      left join recorded_session s on s.organization_id = ${organization} and s.session_id = said.session_id
      group by id, position, shown.failures, shown.first_at, shown.last_at`,
  };
}

/** SQL of how many groups there are, those too that are not shown. */
export const GROUP_COUNT = "(select coalesce(max(total), 0) from shown)";

/** SQL of those groups as JSON, the largest first. */
export const GROUPS_JSON = `(select coalesce(jsonb_agg(jsonb_build_object('id', id, 'position', position, 'message', message,
      'count', failures, 'sessions', sessions, 'users', users, 'firstAt', first_at, 'lastAt', last_at,
      'eventId', event_id, 'sessionId', session_id)), '[]') from groups)`;
