import { isUuid } from "../../../../formats/uuid.ts";
import { notFound } from "../../../errors.ts";
import type { StatementBuild } from "../../../read/entity.ts";
import { bindOrganization, bindParameter, jsonListRowsSql } from "../../../read/row.ts";
import { type Selection, selectedArguments } from "../../../read/selection.ts";
import type { Resource } from "../../resource.ts";
import { createComputedRowField } from "../computed-row.ts";

/** Maximum number of a group's newest failures that are compared. At most one failure per hour and session is used. */
const FAILURES = 50;
/** Number of the newest hours with successful calls, and of events that are read per hour. */
const HOURS = 24;
const EVENTS = 500;
/** Maximum number of sessions with successful calls. */
const OTHERS = 100;
/** Maximum characters of arguments that are read, and of a compared value. */
const ARGS = 4_000;
const VALUE = 100;
/**
 * A value is shown only if at least LEAST failed sessions have the value. SHARE is the minimum difference between the
 * share of failed sessions with the value and the share of other sessions with the value.
 */
const LEAST = 2;
const SHARE = 0.5;
const SHOWN = 5;
/** Regular expression for a name with a string, number or boolean in a JSON object. Also matches in truncated JSON. */
const MEMBER = `"([A-Za-z_][A-Za-z0-9_.-]{0,40})"\\s*:\\s*("(?:[^"\\\\]|\\\\.){1,${VALUE}}"|-?[0-9][0-9.eE+-]{0,30}|true|false)`;

/**
 * Root field `recordedFailureComparison`: values that are more frequent in the sessions of a failure group than in
 * sessions with successful calls.
 */
export const recordedFailureComparison: Resource = {
  entity: {
    name: "RecordedFailureComparison",
    table: "",
    columns: { failed: "integer", others: "integer" },
    many: {
      differences: {
        entity: "RecordedFailureDifference",
        most: SHOWN,
        rows: jsonListRowsSql("differences", "name text, value text, failed integer, others integer"),
      },
    },
  },
  values: {
    recordedFailureComparison: { scans: () => 1, ...createComputedRowField("RecordedFailureComparison", comparison) },
  },
};

/** A value that is more frequent in failed sessions. */
export const recordedFailureDifference: Resource = {
  entity: {
    name: "RecordedFailureDifference",
    table: "",
    columns: { name: "text", value: "text", failed: "integer", others: "integer", position: "integer" },
  },
};

/** Returns the id of a failure group from an argument. @throws notFound for a text that is no id */
export function readGroupId(given: unknown): string {
  if (!isUuid(String(given))) throw notFound("recorded failure group", String(given));
  return String(given);
}

/**
 * Raw SQL: a fragment for the read planner. Events have no index by name. Therefore the hours with successful calls of
 * the tool are read from the counts, and a limited number of events is read in each hour. The arguments are searched
 * for names and values as text, because arguments need not be JSON.
 */
function comparison(build: StatementBuild, selection: Selection): string {
  build.reads.add("recorded_failure_group").add("recorded_failure").add("recorded_tool_hour");
  const own = bindOrganization(build);
  const id = bindParameter(build, `${selection.argumentIndex}.failureGroupId`, "uuid", ({ args }) =>
    readGroupId(selectedArguments(selection, args)["failureGroupId"]),
  );
  return `with grouped as materialized (select g.tool, g.last_at from recorded_failure_group g
      where g.organization_id = ${own} and g.group_id = ${id}),
    failed as materialized (select distinct on (f.session_id) f.session_id, f.event_id from (select f.session_id, f.event_id
        from recorded_failure f where f.organization_id = ${own} and f.group_id = ${id}
        order by f.hour desc, f.session_id limit ${FAILURES}) f order by f.session_id, f.event_id),
    hours as materialized (select h.hour from grouped g cross join lateral (select h.hour from recorded_tool_hour h
        where h.organization_id = ${own} and h.tool = g.tool and h.hour <= g.last_at and h.calls > h.failures
        order by h.hour desc limit ${HOURS}) h),
    others as materialized (select distinct on (e.session_id) e.session_id, e.event_id
      from grouped g cross join hours h cross join lateral (select e.session_id, e.event_id, e.primitive_name, e.success
        from recorded_event e where e.organization_id = ${own} and e.timestamp >= h.hour
          and e.timestamp < h.hour + interval '1 hour' order by e.timestamp desc limit ${EVENTS}) e
      where e.success and e.primitive_name = g.tool and e.session_id not in (select session_id from failed)
      order by e.session_id, e.event_id limit ${OTHERS}),
    compared as materialized (select session_id, event_id, true as has_failed from failed
      union all select session_id, event_id, false from others),
    sides as materialized (select count(*) filter (where has_failed) as failed,
        count(*) filter (where not has_failed) as others from compared),
    facts as materialized (select distinct c.session_id, c.has_failed, f.name, f.value from compared c cross join lateral (
        select n.name, n.value from recorded_session s cross join lateral (
          select 'agent' as name, s.source as value union all select 'client', s.client_config
          union all select 'user', s.user_id
          union all select m.key, m.value #>> '{}' from jsonb_each(s.metadata) m
            where jsonb_typeof(m.value) in ('string', 'number', 'boolean')) n
          where s.organization_id = ${own} and s.session_id = c.session_id
        union all select m[1], regexp_replace(m[2], '^"|"$', '', 'g') from recorded_event e
          cross join lateral regexp_matches(left(e.args, ${ARGS}), '${MEMBER}', 'g') m
          where e.organization_id = ${own} and e.event_id = c.event_id) f
      where length(f.value) between 1 and ${VALUE}),
    counted as (select f.name, f.value, count(*) filter (where f.has_failed) as failed,
        count(*) filter (where not f.has_failed) as others from facts f group by f.name, f.value),
    differing as (select c.name, c.value, c.failed, c.others, row_number() over (
          order by c.failed::float8 / nullif(s.failed, 0) - c.others::float8 / s.others desc, c.failed desc, c.name, c.value) as position
      from counted c cross join sides s where s.others > 0 and c.failed >= ${LEAST}
        and c.failed::float8 / nullif(s.failed, 0) - c.others::float8 / s.others >= ${SHARE})
    select s.failed, s.others, (select coalesce(jsonb_agg(to_jsonb(d) order by d.position), '[]') from differing d
      where d.position <= ${SHOWN}) as differences from sides s`;
}
