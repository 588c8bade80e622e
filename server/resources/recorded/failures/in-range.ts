import type { Edges } from "../range.ts";
import { eventsIn } from "../tools/sources.ts";
import { groupIdOf, messageOf } from "./message.ts";

/** Groups that one answer shows. */
const MAX_GROUPS = 50;

/**
 * Raw SQL: a part of what the read planner writes. Common table expressions that find what the failures of a tool say in
 * a range, from what is counted by the hour and the events of what is not, and the JSON of those groups, the largest first.
 */
export function groupsInRange(organization: string, { hour, hourEnd }: Edges, tool: string) {
  const columns = "e.event_id, e.session_id, e.timestamp, e.result";
  const isIt = `not e.success and e.primitive_name = ${tool}`;
  const sql = `,
    raw_failures as materialized (select event_id, session_id, timestamp, ${messageOf("result")} as message
      from (${eventsIn(organization, columns, isIt)}) e),
    named as materialized (select g.group_id, g.message from recorded_failure_group g
      where g.organization_id = ${organization} and g.tool = ${tool}),
    said as materialized (
      select ${groupIdOf(organization, tool, "message")} as id, message, 1 as failures, session_id, timestamp as first_at,
        timestamp as last_at, event_id from raw_failures
      union all
      select f.group_id, g.message, f.failures, f.session_id, f.first_at, f.last_at, f.event_id
      from named g join recorded_failure f on f.organization_id = ${organization} and f.group_id = g.group_id
      where f.hour >= ${hour} and f.hour < ${hourEnd}
        and f.hour >= (select since from counted) and f.hour not in (select hour from marked)),
    groups as (select id, min(message) as message, sum(said.failures) as failures, count(distinct said.session_id) as sessions,
        count(distinct s.user_id) as users, min(first_at) as first_at, max(last_at) as last_at,
        (array_agg(event_id order by last_at desc, event_id desc))[1] as event_id,
        (array_agg(said.session_id order by last_at desc, event_id desc))[1] as session_id,
        row_number() over (order by sum(said.failures) desc, max(last_at) desc, id) as position
      from said left join recorded_session s on s.organization_id = ${organization} and s.session_id = said.session_id
      group by id)`;
  const json = `(select coalesce(jsonb_agg(jsonb_build_object('id', id, 'position', position, 'message', message,
      'count', failures, 'sessions', sessions, 'users', users, 'firstAt', first_at, 'lastAt', last_at,
      'eventId', event_id, 'sessionId', session_id)), '[]') from groups where position <= ${MAX_GROUPS})`;
  return { sql, json };
}
