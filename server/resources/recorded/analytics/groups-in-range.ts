import { failureGroupIdSql, normalizedFailureMessageSql, storedFailureMessageSql } from "../failures/message.ts";
import { buildUncountedEventsSql, type CountedRange, isCountedHourSql, type StatementCtes } from "./roll-up.ts";

/** Maximum number of groups in a response. */
const MAX_GROUPS = 50;

/**
 * Raw SQL: a fragment for the read planner. Finds the failure groups of a tool in a range, or only the group with the
 * id `only`, from hourly counts and from events that these counts do not cover. Messages, sessions and users are read
 * only for the shown groups, because a tool may have thousands of groups. Group and hour are compared as a pair, so
 * that only the primary key fits: with the index on hours, the planner read the failures of all tools once per group.
 */
export function failureGroupsInRangeCtes(
  reach: CountedRange,
  spellings: string,
  only: string | undefined,
): StatementCtes {
  const { organization, hour, hourEnd } = reach;
  const isRead = (id: string) => (only ? `${id} = ${only}` : "true");
  const columns = `e.event_id, e.session_id, e.timestamp, e.primitive_name as tool, ${storedFailureMessageSql("e")} as line`;
  return {
    raw_failures: `select event_id, session_id, timestamp, tool, ${normalizedFailureMessageSql("line")} as message
      from (${buildUncountedEventsSql(reach, columns, `not e.success and e.primitive_name = any(${spellings})`)}) e`,
    named: `select g.group_id from recorded_failure_group g where g.organization_id = ${organization} and g.tool = any(${spellings})
      and ${isRead("g.group_id")}`,
    said: `select ${failureGroupIdSql(organization, "tool", "message")} as id, message, 1 as failures, session_id,
        timestamp as first_at, timestamp as last_at, event_id from raw_failures
      union all
      select f.group_id, null, f.failures, f.session_id, f.first_at, f.last_at, f.event_id
      from named g join recorded_failure f on f.organization_id = ${organization} and f.group_id = g.group_id
      where (f.group_id, f.hour) >= (g.group_id, ${hour}) and (f.group_id, f.hour) < (g.group_id, ${hourEnd})
        and ${isCountedHourSql("f.hour")}`,
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

/** SQL for the number of groups, including groups that are not shown. */
export const FAILURE_GROUP_COUNT_SQL = "(select coalesce(max(total), 0) from shown)";

/** SQL for the shown groups as JSON, largest first. */
export const FAILURE_GROUPS_JSON_SQL = `(select coalesce(jsonb_agg(jsonb_build_object('id', id, 'position', position, 'message', message,
      'count', failures, 'sessions', sessions, 'users', users, 'firstAt', first_at, 'lastAt', last_at,
      'eventId', event_id, 'sessionId', session_id)), '[]') from groups)`;
