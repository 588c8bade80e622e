import { DAY_MS } from "../../../../formats/time.ts";
import type { StatementBuild } from "../../../read/entity.ts";
import { comparisonSql } from "../../../read/filter/compare.ts";
import { validateFilter } from "../../../read/filter/limits.ts";
import { bindOrganization, bindParameter, getArgumentShape } from "../../../read/row.ts";
import { type Selection, selectedArguments } from "../../../read/selection.ts";
import { sessionCountSql, USAGE_EVENT_COLUMNS_SQL, USAGE_SUMS, usageSql } from "./count/usage.ts";
import { LAST_SUPPORTED_TIME_MS, readRange } from "./range.ts";
import {
  buildUncountedEventsSql,
  type CountedRange,
  countedRangeCtes,
  daySql,
  isCountedHourSql,
  isTruncatedSql,
  type StatementCtes,
  statementWithCtesSql,
} from "./roll-up.ts";
import { MAX_HASHES } from "./session-hashes.ts";

/** Limits of a query. */
const MAX_GROUPS = 50;
const MAX_USAGE_DAYS = 92;
const USUAL_DAYS = 30;
/**
 * Number of session hashes per day from which the sessions of a range are counted. `NEAR` is for each group;
 * `NEAR_OF_ALL`, all stored hashes, is for the group `all`.
 */
const NEAR = 32;
const NEAR_OF_ALL = MAX_HASHES - 1;

/**
 * Groupings by the issues of a session. The usage of a label or an issue is read through the links between issues and
 * sessions.
 */
const LINKED = ["label", "issue"];

const NAMES = USAGE_SUMS.join(", ");
const SUMS = USAGE_SUMS.map((name) => `sum(${name}::float8) as ${name}`).join(", ");

/**
 * Raw SQL: a fragment for the read planner. Adds up the counts of days and of other hours, and the events that no count
 * includes.
 */
export function rankedUsageSql(build: StatementBuild, selection: Selection): string {
  const reach = wholeDays(build, selection);
  const { groupBy, filter } = getArgumentShape(build, selection) as { groupBy: string; filter?: { name?: object } };
  if (filter) validateFilter(filter);
  const path = { argumentIndex: selection.argumentIndex, path: ["filter", "name"], value: filter?.name };
  // Ids of recorded users are compared exactly. Other names are compared as text, in any Unicode normal form.
  const canonical = groupBy === "user" ? undefined : "column";
  const passes = (name: string) =>
    filter?.name ? comparisonSql(build, { sql: name, type: "text", canonical }, path) : "true";
  const shown = selection.children.filter(({ field }) => field === "groups").flatMap(({ children }) => children);
  const wants = (field: string) => shown.some((one) => one.field === field);
  const ofDays = new Set(
    shown.filter(({ field }) => field === "days").flatMap(({ children }) => children.map(({ field }) => field)),
  );
  const isLinked = LINKED.includes(groupBy);
  const near = groupBy === "all" ? NEAR_OF_ALL : NEAR;
  const { parts, found } = isLinked
    ? linkedCells(reach, groupBy, passes("n.name"))
    : countedCells(reach, groupBy, passes("name"));
  const hashes =
    wants("sessions") && !isLinked
      ? `case when f.session_count is null then f.sessions else f.sessions[1:${near + 1}] end`
      : "null::integer[]";
  return statementWithCtesSql(
    {
      ...parts,
      // All values are ranked by three sums: cost, tokens and events. The other sums are computed only for shown
      // values.
      ranked: `select name, (row_number() over (order by cost desc, tokens desc, events desc, name))::integer as position
        from (select name, sum(cost::float8) as cost, sum((input_tokens + output_tokens)::float8) as tokens,
          sum(events::float8) as events from (${found}) f group by name) g`,
      shown: `select * from ranked where position <= ${MAX_GROUPS}`,
      cells: `select s.position, f.name, f.day, ${USAGE_SUMS.map((name) => `f.${name}`).join(", ")}, f.session_count, ${hashes} as sessions
        from shown s join (${found}) f on f.name = s.name`,
      sums: `select position, name, ${SUMS} from cells group by position, name`,
      ...(!isLinked && RECENT),
      ...(wants("sessions") && { sessions: isLinked ? LINKED_SESSIONS : sessionsBy(near) }),
      ...(wants("days") && { days: daysOf(isLinked, ofDays) }),
    },
    `select ${reach.from} as from, ${reach.to} as to,
      ${isLinked ? "false" : isTruncatedSql(reach)} or (select count(*) from ranked) > ${MAX_GROUPS} as truncated,
      (select array_agg(row(g.name, g.position, ${takenOf("g")}, ${wants("sessions") ? "s.sessions" : "null::integer"},
          ${DAY_LISTS.map(([name, type]) => (wants("days") ? `d."${name}"` : `null::${type}`)).join(", ")}))
        from sums g ${wants("sessions") ? "left join sessions s on s.position = g.position" : ""}
        ${wants("days") ? "left join days d on d.position = g.position" : ""}) as groups`,
  );
}

/** Returns the requested range as whole days in UTC; default the last 30 days. @throws inputError */
function wholeRange(args: Readonly<Record<string, unknown>>, now: Date): [from: Date, to: Date] {
  const { from, to } = readRange(args, now, MAX_USAGE_DAYS, (USUAL_DAYS - 1) * DAY_MS);
  return [
    new Date(Math.floor(from / DAY_MS) * DAY_MS),
    new Date(Math.min(Math.ceil(to / DAY_MS) * DAY_MS, LAST_SUPPORTED_TIME_MS)),
  ];
}

function wholeDays(build: StatementBuild, selection: Selection): CountedRange {
  const edge = (index: 0 | 1) =>
    bindParameter(build, `${selection.argumentIndex}.day${index}`, "timestamptz", ({ args, scope }) =>
      wholeRange(selectedArguments(selection, args), scope.at)[index].toISOString(),
    );
  const [from, to] = [edge(0), edge(1)];
  return { organization: bindOrganization(build), from, hour: from, day: from, to, hourEnd: to, dayEnd: to };
}

/** `parts` contains the CTEs of a statement. `found` is SQL that reads the sums by value and day from these CTEs. */
interface Cells {
  parts: StatementCtes;
  found: string;
}

/** Adds up counts by value and day. An event counts on the day on which the event began. */
function countedCells(reach: CountedRange, kind: string, passes: string): Cells {
  const own = `organization_id = ${reach.organization} and kind = '${kind}'`;
  const parts = {
    ...countedRangeCtes(reach),
    raw: buildUncountedEventsSql(reach, USAGE_EVENT_COLUMNS_SQL, "true"),
    taken: `select * from (${usageSql("raw", reach.organization)}) t where kind = '${kind}'`,
    marked_days: `select distinct ${daySql("hour")} as day from marked`,
    late: `select h.name, s.day, ${NAMES}, h.sessions, null::integer as session_count from marked_days s
        cross join lateral (select * from recorded_usage_hour where ${own} and hour >= s.day
          and hour < s.day + interval '1 day' and ${isCountedHourSql("hour")} and ${passes}) h
      union all select name, day, ${USAGE_SUMS.map((name) => `sum(${name})::bigint`).join(", ")},
        (array_agg(distinct hash order by hash))[1:${MAX_HASHES}], null from taken where ${passes} group by name, day`,
  };
  const found = `select name, day, ${NAMES}, sessions, session_count from recorded_usage_day
        where ${own} and day >= ${reach.day} and day < ${reach.dayEnd} and day not in (select day from marked_days) and ${passes}
      union all select * from late`;
  return { parts, found };
}

/**
 * Adds up the usage of sessions that are linked to issues. All usage of a session counts on the day on which the
 * session began.
 */
function linkedCells({ organization: own, from, to }: CountedRange, kind: string, passes: string): Cells {
  const names =
    kind === "issue"
      ? `select t.key || '-' || i.number as name, l."sessionId" from "issueSession" l
          join issue i on i."organizationId" = ${own} and i.id = l."issueId" and i."archivedAt" is null
          join team t on t."organizationId" = ${own} and t.id = i."teamId" where l."organizationId" = ${own}`
      : `select b.name, l."sessionId" from "issueLabelLink" k
          join "issueLabel" b on b."organizationId" = ${own} and b.id = k."labelId"
          join "issueSession" l on l."organizationId" = ${own} and l."issueId" = k."issueId" where k."organizationId" = ${own}`;
  // OFFSET 0 makes the planner find each linked session by its key. Otherwise PostgreSQL would read all sessions of the
  // range, which are many more. The values are summed as floats, because sums of `numeric` values are slower and the
  // results are shown as floats.
  const sum = (name: string) => `(coalesce(s.${name}, 0)::float8 + coalesce(d.${name}, 0))`;
  const summed = USAGE_SUMS.map((name) => `sum(${sum(name)}${name === "cost" ? " * 1000000000" : ""}) as ${name}`);
  const parts = {
    late: `select session_id, ${USAGE_SUMS.map((name) => `sum(${name})::float8 as ${name}`).join(", ")} from recorded_delta
      where organization_id = ${own} group by session_id`,
    // Sorts by the key of the sessions, so that sessions in the same database page are read together.
    linked: `select ${kind === "issue" ? "" : "distinct"} name, "sessionId" from (${names}) n where ${passes} order by "sessionId"`,
    linked_days: `select l.name, ${daySql("s.timestamp")} as day, ${summed.join(", ")}, count(*)::integer as session_count
      from linked l cross join lateral (select s.timestamp, s.session_id, ${USAGE_SUMS.map((name) => `s.${name}`).join(", ")}
        from recorded_session s where s.organization_id = ${own} and s.session_id = l."sessionId"
          and s.timestamp >= ${from} and s.timestamp < ${to} offset 0) s
      left join late d on d.session_id = s.session_id group by 1, 2`,
  };
  return { parts, found: "select * from linked_days" };
}

/** Session hashes of the days that are not read from the stored daily counts. */
const RECENT: StatementCtes = {
  recent: `select position, day, (array_agg(hash order by hash))[1:${MAX_HASHES}] as hashes
    from (select distinct position, day, unnest(sessions) as hash from cells where session_count is null) h
    group by position, day`,
};

const LINKED_SESSIONS = "select position, sum(session_count)::integer as sessions from cells group by position";

/**
 * SQL for the number of different sessions in a range. A truncated list contains only the lowest hashes of a day.
 * Therefore only hashes up to the lowest end of a truncated list are counted, and the number is extrapolated; without
 * truncated lists, the number is exact.
 */
const sessionsBy = (near: number): string => `with lists as materialized (select position, sessions as hashes from cells
      where session_count is not null union all select position, hashes from recent),
    bounds as (select position, min(case when cardinality(hashes) > ${near} then hashes[${near}] end) as until
      from lists group by position),
    near as (select position, until, unnest(hashes) as hash from (select l.position, b.until,
        l.hashes[1:coalesce(width_bucket(b.until, l.hashes), ${near})] as hashes
      from lists l join bounds b on b.position = l.position order by l.position offset 0) s)
  select position, (case when until is null then count(distinct hash)
      else round(count(distinct hash) * 4294967296.0 / (until::bigint + 2147483648)) end)::integer as sessions
    from near group by position, until`;

/** Usage columns of a group or a day: the name, the type, and SQL that computes the value from a row of sums. */
const TAKEN_OF: [name: string, type: string, sql: (row: string) => string][] = [
  ["events", "float8", (row) => `${row}.events`],
  ["inputTokens", "float8", (row) => `${row}.input_tokens`],
  ["outputTokens", "float8", (row) => `${row}.output_tokens`],
  ["cacheReadTokens", "float8", (row) => `${row}.cache_read_tokens`],
  ["cacheWriteTokens", "float8", (row) => `${row}.cache_write_tokens`],
  [
    "cost",
    "float8",
    (row) => `case when ${row}.reported_costs + ${row}.computed_costs > 0 then ${row}.cost / 1000000000 end`,
  ],
  [
    "costSource",
    "text",
    (row) =>
      `case when ${row}.computed_costs > 0 then 'computed' when ${row}.reported_costs > 0 then 'reported' else 'none' end`,
  ],
  ["missingCosts", "float8", (row) => `${row}.missing_costs`],
];
const takenOf = (row: string) => TAKEN_OF.map(([, , sql]) => sql(row)).join(", ");

/**
 * Columns of a day, and the columns of a group that contain the same values as lists, with one entry per day. The query
 * returns lists, because JSON of thousands of days costs more than the sums.
 */
const DAY_COLUMNS = [["day", "timestamptz"], ...TAKEN_OF, ["sessions", "integer"]] as const;
const DAY_LISTS = DAY_COLUMNS.map(([name, type]) => [`${name}ByDay`, `${type}[]`] as const);

/** SQL that turns an array of groups into rows. */
export const usageGroupRowsSql = (groups: string): string =>
  `unnest(${groups}) t (name text, position integer, ${[...TAKEN_OF, ["sessions", "integer"], ...DAY_LISTS].map(([name, type]) => `"${name}" ${type}`).join(", ")})`;

/**
 * SQL that turns the list columns of a group into one row per day. `column` returns the SQL for a column of the group.
 */
export const usageDayRowsSql = (column: (name: string) => string): string =>
  `unnest(${DAY_LISTS.map(([name]) => column(name)).join(", ")}) with ordinality
    t (${DAY_COLUMNS.map(([name]) => `"${name}"`).join(", ")}, position)`;

/** SQL for the lists of each group: the list of days, and a list for each requested column. Other lists are null. */
const daysOf = (isLinked: boolean, wanted: ReadonlySet<string>): string => {
  const lists = DAY_COLUMNS.map(([name, type]) => {
    const list = name === "day" || wanted.has(name) ? `array_agg("${name}")` : `null::${type}[]`;
    return `${list} as "${name}ByDay"`;
  });
  return `select position, ${lists.join(", ")}
    from (select x.position, x.day, x.sessions, ${TAKEN_OF.map(([name, , sql]) => `${sql("x")} as "${name}"`).join(", ")}
      from (select c.position, c.day, ${USAGE_SUMS.map((name) => `sum(c.${name}::float8) as ${name}`).join(", ")},
          ${isLinked ? "max(c.session_count)" : `coalesce(max(c.session_count), max(${sessionCountSql("r.hashes")}))`} as sessions
        from cells c ${isLinked ? "" : "left join recent r on r.position = c.position and r.day = c.day"}
        group by c.position, c.day) x order by x.position, x.day) d group by position`;
};
