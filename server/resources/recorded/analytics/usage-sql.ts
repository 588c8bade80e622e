import type { Build } from "../../../read/entity.ts";
import { comparison } from "../../../read/filter/compare.ts";
import { checkFilter } from "../../../read/filter/limits.ts";
import { bind, organization, shapeOf } from "../../../read/row.ts";
import { argsOf, type Selection } from "../../../read/selection.ts";
import { countOf, USAGE_SUMS, USED_COLUMNS, usageOf } from "./count/usage.ts";
import { LAST_MS, rangeOf } from "./range.ts";
import { dayOf, eventsIn, isCounted, isTruncated, type Parts, type Reach, reachParts, withParts } from "./roll-up.ts";
import { MAX_HASHES } from "./session-hashes.ts";

/** Bounds of one query. */
const MAX_GROUPS = 50;
export const MAX_USAGE_DAYS = 92;
const USUAL_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Hashes of a day by which the sessions of a range are counted. */
const NEAR = 32;

/** Values of sessions' issues, by which usage is read through links. */
const LINKED = ["label", "issue"];

const NAMES = USAGE_SUMS.join(", ");
const SUMS = USAGE_SUMS.map((name) => `sum(${name}::float8) as ${name}`).join(", ");

/** Raw SQL: a part of what the read planner writes. Adds up the days, hours beside them, and the events of what is not counted. */
export function usage(build: Build, selection: Selection): string {
  const reach = wholeDays(build, selection);
  const { groupBy, filter } = shapeOf(build, selection) as { groupBy: string; filter?: { name?: object } };
  if (filter) checkFilter(filter);
  const path = { argumentIndex: selection.argumentIndex, path: ["filter", "name"], value: filter?.name };
  const passes = (name: string) => (filter?.name ? comparison(build, { sql: name, type: "text" }, path) : "true");
  const wants = (field: string) =>
    selection.children.some(
      ({ field: list, children }) => list === "groups" && children.some((one) => one.field === field),
    );
  const isLinked = LINKED.includes(groupBy);
  const cells = isLinked
    ? linkedCells(reach, groupBy, passes("n.name"))
    : countedCells(reach, groupBy, { passes: passes("name"), hashes: wants("sessions") ? NEAR + 1 : 0 });
  return withParts(
    {
      ...cells,
      ranked: `select *, row_number() over (order by cost desc, input_tokens + output_tokens desc, events desc, name) as position
        from (select name, ${SUMS} from cells group by name) g`,
      shown: `select * from ranked where position <= ${MAX_GROUPS}`,
      ...(!isLinked && RECENT),
      ...(wants("sessions") && { sessions: isLinked ? LINKED_SESSIONS : SESSIONS }),
      ...(wants("days") && { days: daysOf(isLinked) }),
    },
    `select ${reach.from} as from, ${reach.to} as to,
      ${isLinked ? "false" : isTruncated(reach)} or (select count(*) from ranked) > ${MAX_GROUPS} as truncated,
      coalesce((select jsonb_agg(jsonb_build_object('name', g.name, 'position', g.position, ${members("g")},
          'sessions', ${wants("sessions") ? "s.sessions" : "null"}, 'days', ${wants("days") ? "d.days" : "null"}))
        from shown g ${wants("sessions") ? "left join sessions s on s.name = g.name" : ""}
        ${wants("days") ? "left join days d on d.name = g.name" : ""}), '[]') as groups`,
  );
}

/** The requested range as whole days in UTC, by default the last 30. @throws inputError */
function daysIn(args: Readonly<Record<string, unknown>>, now: Date): [from: Date, to: Date] {
  const { from, to } = rangeOf(args, now, MAX_USAGE_DAYS, (USUAL_DAYS - 1) * DAY_MS);
  return [new Date(Math.floor(from / DAY_MS) * DAY_MS), new Date(Math.min(Math.ceil(to / DAY_MS) * DAY_MS, LAST_MS))];
}

function wholeDays(build: Build, selection: Selection): Reach {
  const edge = (index: 0 | 1) =>
    bind(build, `${selection.argumentIndex}.day${index}`, "timestamptz", ({ args, scope }) =>
      daysIn(argsOf(selection, args), scope.at)[index].toISOString(),
    );
  const [from, to] = [edge(0), edge(1)];
  return { organization: organization(build), from, hour: from, day: from, to, hourEnd: to, dayEnd: to };
}

/** The parts that add up the counts by a value and the day. An event counts on the day on which it began. */
function countedCells(reach: Reach, kind: string, { passes, hashes }: { passes: string; hashes: number }): Parts {
  const own = `organization_id = ${reach.organization} and kind = '${kind}'`;
  return {
    ...reachParts(reach),
    raw: eventsIn(reach, USED_COLUMNS, "true"),
    taken: `select * from (${usageOf("raw", reach.organization)}) t where kind = '${kind}'`,
    marked_days: `select distinct ${dayOf("hour")} as day from marked`,
    cells: `select name, day, ${NAMES}, ${hashes > 0 ? `sessions[1:${hashes}] as` : "null::integer[] as"} sessions, session_count from recorded_usage_day
        where ${own} and day >= ${reach.day} and day < ${reach.dayEnd} and day not in (select day from marked_days) and ${passes}
      union all select h.name, s.day, ${NAMES}, h.sessions, null from marked_days s
        cross join lateral (select * from recorded_usage_hour where ${own} and hour >= s.day
          and hour < s.day + interval '1 day' and ${isCounted("hour")} and ${passes}) h
      union all select name, day, ${USAGE_SUMS.map((name) => `sum(${name})`).join(", ")},
        (array_agg(distinct hash order by hash))[1:${MAX_HASHES}], null from taken where ${passes} group by name, day`,
  };
}

/** The parts that add up the sessions that have to do with issues. A session counts whole, on the day on which it began. */
function linkedCells({ organization: own, from, to }: Reach, kind: string, passes: string): Parts {
  const names =
    kind === "issue"
      ? `select t.key || '-' || i.number as name, l."sessionId" from "issueSession" l
          join issue i on i."organizationId" = ${own} and i.id = l."issueId" and i."archivedAt" is null
          join team t on t."organizationId" = ${own} and t.id = i."teamId" where l."organizationId" = ${own}`
      : `select b.name, l."sessionId" from "issueLabelLink" k
          join "issueLabel" b on b."organizationId" = ${own} and b.id = k."labelId"
          join "issueSession" l on l."organizationId" = ${own} and l."issueId" = k."issueId" where k."organizationId" = ${own}`;
  // Sums of numeric cost more, and are shown as floats in any case.
  const sum = (name: string) => `(coalesce(s.${name}, 0) + coalesce(d.${name}, 0))::float8`;
  const summed = USAGE_SUMS.map((name) => `sum(${sum(name)}${name === "cost" ? " * 1000000000" : ""}) as ${name}`);
  return {
    late: `select session_id, ${USAGE_SUMS.map((name) => `sum(${name}) as ${name}`).join(", ")} from recorded_delta
      where organization_id = ${own} group by session_id`,
    linked: `select ${kind === "issue" ? "" : "distinct"} name, "sessionId" from (${names}) n where ${passes}`,
    cells: `select l.name, ${dayOf("s.timestamp")} as day, ${summed.join(", ")}, count(*)::integer as session_count
      from linked l join recorded_session s on s.organization_id = ${own} and s.session_id = l."sessionId"
        and s.timestamp >= ${from} and s.timestamp < ${to}
      left join late d on d.session_id = s.session_id group by 1, 2`,
  };
}

/** The hashes of days that are not counted as a whole. */
const RECENT: Parts = {
  recent: `select name, day, (array_agg(hash order by hash))[1:${MAX_HASHES}] as hashes
    from (select distinct c.name, c.day, unnest(c.sessions) as hash from cells c join shown using (name) where c.session_count is null) h
    group by name, day`,
};

const LINKED_SESSIONS =
  "select name, sum(session_count)::integer as sessions from cells join shown using (name) group by name";

/**
 * Sessions of a range, each once: those whose hashes are less than what every day holds whole, and so many more as there
 * are hashes. Where no day has more than a beginning, all are counted.
 */
const SESSIONS = `with lists as materialized (select c.name, c.sessions as hashes from cells c join shown using (name)
      where c.session_count is not null union all select name, hashes from recent),
    bounds as (select name, min(case when cardinality(hashes) > ${NEAR} then hashes[${NEAR}] end) as until from lists group by name),
    near as (select distinct l.name, unnest(l.hashes[1:coalesce(width_bucket(b.until, l.hashes), ${NEAR})]) as hash
      from lists l join bounds b on b.name = l.name)
  select b.name, (case when b.until is null then count(*)
      else round(count(*) * 4294967296.0 / (b.until::bigint + 2147483648)) end)::integer as sessions
    from bounds b join near n on n.name = b.name group by b.name, b.until`;

const daysOf = (
  isLinked: boolean,
): string => `select name, jsonb_agg(jsonb_build_object('day', day, ${members("x")}, 'sessions', sessions)
      order by day) as days
    from (select c.name, c.day, ${USAGE_SUMS.map((name) => `sum(c.${name}::float8) as ${name}`).join(", ")},
        ${isLinked ? "max(c.session_count)" : `coalesce(max(c.session_count), max(${countOf("r.hashes")}))`} as sessions
      from cells c join shown using (name) ${isLinked ? "" : "left join recent r on r.name = c.name and r.day = c.day"}
      group by c.name, c.day) x group by name`;

/** SQL of members of a JSON object: what a group or a day took. */
const members = (
  row: string,
): string => `'events', ${row}.events, 'inputTokens', ${row}.input_tokens, 'outputTokens', ${row}.output_tokens,
  'cacheReadTokens', ${row}.cache_read_tokens, 'cacheWriteTokens', ${row}.cache_write_tokens, 'missingCosts', ${row}.missing_costs,
  'cost', case when ${row}.reported_costs + ${row}.computed_costs > 0 then ${row}.cost / 1000000000 end,
  'costSource', case when ${row}.computed_costs > 0 then 'computed' when ${row}.reported_costs > 0 then 'reported' else 'none' end`;
