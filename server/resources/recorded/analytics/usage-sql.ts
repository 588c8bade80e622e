import { DAY_MS } from "../../../../formats/time.ts";
import type { Build } from "../../../read/entity.ts";
import { comparisonSql } from "../../../read/filter/compare.ts";
import { checkFilter } from "../../../read/filter/limits.ts";
import { bind, organization, readShape } from "../../../read/row.ts";
import { type Selection, selectedArguments } from "../../../read/selection.ts";
import { sessionCountSql, USAGE_SUMS, USED_COLUMNS, usageSql } from "./count/usage.ts";
import { LAST_MS, readRange } from "./range.ts";
import {
  buildUncountedEventsSql,
  type CountedRange,
  daySql,
  isCounted,
  isTruncated,
  reachParts,
  type StatementParts,
  withParts,
} from "./roll-up.ts";
import { MAX_HASHES } from "./session-hashes.ts";

/** Limits of a query. */
const MAX_GROUPS = 50;
const MAX_USAGE_DAYS = 92;
const USUAL_DAYS = 30;
/**
 * Number of hashes per day for counting the sessions of a range: a few for each group, and all stored hashes for
 * `all`.
 */
const NEAR = 32;
const NEAR_OF_ALL = MAX_HASHES - 1;

/** Values that belong to a session's issues. Their usage is read through links. */
const LINKED = ["label", "issue"];

const NAMES = USAGE_SUMS.join(", ");
const SUMS = USAGE_SUMS.map((name) => `sum(${name}::float8) as ${name}`).join(", ");

/** Raw SQL: a fragment for the read planner. Adds up days, further hours, and the events that are not counted. */
export function rankedUsageSql(build: Build, selection: Selection): string {
  const reach = wholeDays(build, selection);
  const { groupBy, filter } = readShape(build, selection) as { groupBy: string; filter?: { name?: object } };
  if (filter) checkFilter(filter);
  const path = { argumentIndex: selection.argumentIndex, path: ["filter", "name"], value: filter?.name };
  // Ids of recorded users are identities; other names are text.
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
  return withParts(
    {
      ...parts,
      // Three sums rank all values. The other sums are computed only for shown values.
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
      ${isLinked ? "false" : isTruncated(reach)} or (select count(*) from ranked) > ${MAX_GROUPS} as truncated,
      (select array_agg(row(g.name, g.position, ${takenOf("g")}, ${wants("sessions") ? "s.sessions" : "null::integer"},
          ${DAY_LISTS.map(([name, type]) => (wants("days") ? `d."${name}"` : `null::${type}`)).join(", ")}))
        from sums g ${wants("sessions") ? "left join sessions s on s.position = g.position" : ""}
        ${wants("days") ? "left join days d on d.position = g.position" : ""}) as groups`,
  );
}

/** Returns the requested range as whole days in UTC; default the last 30 days. @throws inputError */
function wholeRange(args: Readonly<Record<string, unknown>>, now: Date): [from: Date, to: Date] {
  const { from, to } = readRange(args, now, MAX_USAGE_DAYS, (USUAL_DAYS - 1) * DAY_MS);
  return [new Date(Math.floor(from / DAY_MS) * DAY_MS), new Date(Math.min(Math.ceil(to / DAY_MS) * DAY_MS, LAST_MS))];
}

function wholeDays(build: Build, selection: Selection): CountedRange {
  const edge = (index: 0 | 1) =>
    bind(build, `${selection.argumentIndex}.day${index}`, "timestamptz", ({ args, scope }) =>
      wholeRange(selectedArguments(selection, args), scope.at)[index].toISOString(),
    );
  const [from, to] = [edge(0), edge(1)];
  return { organization: organization(build), from, hour: from, day: from, to, hourEnd: to, dayEnd: to };
}

/** Parts of a statement, and SQL that reads the sums by value and day from the parts. */
interface Cells {
  parts: StatementParts;
  found: string;
}

/** Adds up counts by value and day. An event counts on the day on which the event began. */
function countedCells(reach: CountedRange, kind: string, passes: string): Cells {
  const own = `organization_id = ${reach.organization} and kind = '${kind}'`;
  const parts = {
    ...reachParts(reach),
    raw: buildUncountedEventsSql(reach, USED_COLUMNS, "true"),
    taken: `select * from (${usageSql("raw", reach.organization)}) t where kind = '${kind}'`,
    marked_days: `select distinct ${daySql("hour")} as day from marked`,
    late: `select h.name, s.day, ${NAMES}, h.sessions, null::integer as session_count from marked_days s
        cross join lateral (select * from recorded_usage_hour where ${own} and hour >= s.day
          and hour < s.day + interval '1 day' and ${isCounted("hour")} and ${passes}) h
      union all select name, day, ${USAGE_SUMS.map((name) => `sum(${name})::bigint`).join(", ")},
        (array_agg(distinct hash order by hash))[1:${MAX_HASHES}], null from taken where ${passes} group by name, day`,
  };
  const found = `select name, day, ${NAMES}, sessions, session_count from recorded_usage_day
        where ${own} and day >= ${reach.day} and day < ${reach.dayEnd} and day not in (select day from marked_days) and ${passes}
      union all select * from late`;
  return { parts, found };
}

/** Adds up sessions that are linked to issues. A session counts completely on the day on which the session began. */
function linkedCells({ organization: own, from, to }: CountedRange, kind: string, passes: string): Cells {
  const names =
    kind === "issue"
      ? `select t.key || '-' || i.number as name, l."sessionId" from "issueSession" l
          join issue i on i."organizationId" = ${own} and i.id = l."issueId" and i."archivedAt" is null
          join team t on t."organizationId" = ${own} and t.id = i."teamId" where l."organizationId" = ${own}`
      : `select b.name, l."sessionId" from "issueLabelLink" k
          join "issueLabel" b on b."organizationId" = ${own} and b.id = k."labelId"
          join "issueSession" l on l."organizationId" = ${own} and l."issueId" = k."issueId" where k."organizationId" = ${own}`;
  // OFFSET 0 makes the planner find each session by its key, instead of reading all sessions of the range, which are
  // many times more. Sums of numeric values are slower, and the results are shown as floats.
  const sum = (name: string) => `(coalesce(s.${name}, 0)::float8 + coalesce(d.${name}, 0))`;
  const summed = USAGE_SUMS.map((name) => `sum(${sum(name)}${name === "cost" ? " * 1000000000" : ""}) as ${name}`);
  const parts = {
    late: `select session_id, ${USAGE_SUMS.map((name) => `sum(${name})::float8 as ${name}`).join(", ")} from recorded_delta
      where organization_id = ${own} group by session_id`,
    // In the order of the key, so that the sessions of a database page are read together.
    linked: `select ${kind === "issue" ? "" : "distinct"} name, "sessionId" from (${names}) n where ${passes} order by "sessionId"`,
    linked_days: `select l.name, ${daySql("s.timestamp")} as day, ${summed.join(", ")}, count(*)::integer as session_count
      from linked l cross join lateral (select s.timestamp, s.session_id, ${USAGE_SUMS.map((name) => `s.${name}`).join(", ")}
        from recorded_session s where s.organization_id = ${own} and s.session_id = l."sessionId"
          and s.timestamp >= ${from} and s.timestamp < ${to} offset 0) s
      left join late d on d.session_id = s.session_id group by 1, 2`,
  };
  return { parts, found: "select * from linked_days" };
}

/** Hashes of days that are not stored as daily counts. */
const RECENT: StatementParts = {
  recent: `select position, day, (array_agg(hash order by hash))[1:${MAX_HASHES}] as hashes
    from (select distinct position, day, unnest(sessions) as hash from cells where session_count is null) h
    group by position, day`,
};

const LINKED_SESSIONS = "select position, sum(session_count)::integer as sessions from cells group by position";

/**
 * SQL for the number of sessions in a range, each counted once. A cut list contains only the lowest hashes of a day, so
 * hashes up to the lowest cut are counted, and the number is extrapolated. Without cut lists the number is exact.
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

/** Columns for the use of a group or a day, with types, and SQL that computes them from a row of sums. */
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
 * Columns of days, and the corresponding list columns of a group. Lists are used because JSON of thousands of days
 * costs more than the sums.
 */
const DAY_COLUMNS = [["day", "timestamptz"], ...TAKEN_OF, ["sessions", "integer"]] as const;
const DAY_LISTS = DAY_COLUMNS.map(([name, type]) => [`${name}ByDay`, `${type}[]`] as const);

/** SQL for the rows in a list of groups. */
export const groupsIn = (groups: string): string =>
  `unnest(${groups}) t (name text, position integer, ${[...TAKEN_OF, ["sessions", "integer"], ...DAY_LISTS].map(([name, type]) => `"${name}" ${type}`).join(", ")})`;

/** SQL for a group's rows of days, from SQL for the group's columns. */
export const daysIn = (column: (name: string) => string): string =>
  `unnest(${DAY_LISTS.map(([name]) => column(name)).join(", ")}) with ordinality
    t (${DAY_COLUMNS.map(([name]) => `"${name}"`).join(", ")}, position)`;

/** SQL for the lists of each group: of the days, and of the requested columns. */
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
