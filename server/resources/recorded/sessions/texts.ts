import type { Statement } from "../../../../db/open.ts";
import { getOwnProperty } from "../../../../formats/own.ts";
import { cursorConditionSql } from "../../../read/connection/cursor.ts";
import { parseOrder } from "../../../read/connection/order.ts";
import { isGiven, limitPageSize } from "../../../read/connection/page.ts";
import type { GivenValueInputs, SqlRow, StatementBuild } from "../../../read/entity.ts";
import { filterSql } from "../../../read/filter/filter.ts";
import { withoutNul } from "../../../read/prepared-statement.ts";
import {
  bindOrganization,
  bindParameter,
  columnSql,
  createStatementBuild,
  findEntity,
  isReadableByCallerSql,
  newRow,
} from "../../../read/row.ts";
import type { ArgumentPath } from "../../../read/selection.ts";
import { type ArgumentShape, parsePlanKey, shapeOfValue } from "../../../read/shape.ts";
import type { CoercedArguments } from "../../resource.ts";
import { containsTextSql, isAscii, maxSearchedBytes, maxSearchedRows, toCanonicalSearchText } from "../../searched.ts";
import { limitSql } from "../computed-row.ts";
import { valueAt } from "../key.ts";

/**
 * Maximum number of statements with which one filter searches a text. Each statement takes at most a tenth of a second.
 * The cost of a filter by text, in points, covers this number of statements.
 */
const STATEMENTS = 10;
/** Maximum number of sessions that a search for text finds, because the later query receives all their ids. */
const MAX_FOUND = 20_000;

/**
 * Result of a search for text: the ids of the sessions that contain the text, and the start time of the last session
 * that was read (`since`). `since` is null if all sessions were read, or if enough sessions for a page were found.
 */
interface Found {
  ids: readonly string[];
  since: string | null;
}

/**
 * Position of a search: the last session that was read, and the last event that was read in this session. A session
 * without events has no event.
 */
interface Place {
  began: string;
  id: string;
  at: string | null;
  eventId: string | null;
}

/** SQL condition: a session is among the sessions that `sessionsWithText` found before this statement was sent. */
export const isInFoundSessionsSql = (row: SqlRow, argument: ArgumentPath): string =>
  `${columnSql(row, "id")} = any(${foundBefore(row.build, argument, "ids", "uuid[]")})`;

/**
 * SQL for the start time back to which sessions were searched for the texts in the filter of a page; null if all
 * sessions were searched. For several texts, the latest start time is returned.
 */
export function textSearchedSinceSql(build: StatementBuild, argument: ArgumentPath): string {
  const since = textPaths(argument.value, argument.path).map((path) =>
    foundBefore(build, { ...argument, path }, "since", "timestamptz"),
  );
  return since.length > 0 ? `greatest(${since.join(", ")})` : "null::timestamptz";
}

const foundBefore = (
  build: StatementBuild,
  { argumentIndex, path, page }: ArgumentPath,
  member: keyof Found,
  cast: string,
) => {
  const name = `sessionsWithText:${page ? "page" : "all"}.${argumentIndex}.${path.join(".")}`;
  return bindParameter(
    build,
    `given.${name}`,
    cast,
    ({ given }) => (getOwnProperty(given, name) as Found | undefined)?.[member],
  );
};

/** Returns the paths of all `text` conditions in a filter. */
function textPaths(filter: unknown, path: readonly string[]): string[][] {
  return Object.entries(Object(filter)).flatMap(([name, value]) => {
    if (name === "text") return isGiven(value) ? [[...path, name]] : [];
    if (name !== "and" && name !== "or") return [];
    return ((value ?? []) as unknown[]).flatMap((each, at) => textPaths(each, [...path, name, String(at)]));
  });
}

/**
 * Finds the sessions that contain the text at a path of the arguments, among the sessions that match the rest of the
 * filter. Short statements read the newest sessions first, until a page has enough sessions. If the field has an end of
 * the time range (`to`), only sessions that began before the end are read.
 */
export async function findSessionsWithText(
  { scope, args, model, deadline }: GivenValueInputs,
  name: string,
): Promise<Found> {
  const [list, index, ...path] = name.split(".");
  const given = args[Number(index)] ?? {};
  const wanted = list === "page" ? pageSize(given) : Number.POSITIVE_INFINITY;
  const asked = {
    text: String(valueAt(given, path)),
    filter: {
      and: [withoutTexts(given["filter"]), ...(isGiven(given["to"]) ? [{ startedAt: { lt: given["to"] } }] : [])],
    },
    ...(Number.isFinite(wanted) && isGiven(given["after"]) && { after: given["after"] }),
  };
  const ids = new Set<string>();
  let place: Place | undefined;
  for (let sent = 0; sent < STATEMENTS && ids.size < MAX_FOUND; sent += 1) {
    const statement = slice(model, scope, { ...asked, ...place });
    const turn = { queueClass: "read", tenant: scope.organizationId } as const;
    const [row] = await scope.db.query<Place & { ids: string[]; more: boolean }>(statement, deadline, turn);
    for (const id of row?.ids ?? []) ids.add(id);
    if (!row?.more || ids.size >= wanted) return { ids: [...ids], since: null };
    const { began, id, at, eventId } = row;
    place = { began, id, at, eventId };
  }
  return { ids: [...ids], since: place?.began ?? null };
}

/**
 * Returns the number of sessions that a search must find for a page of the newest sessions: the page size plus one,
 * because one more session shows that another page follows. Any other list needs all sessions.
 */
function pageSize(args: CoercedArguments): number {
  const { filter, sort, last, before } = args;
  const isPage = ![sort, last, before].some(isGiven) && textPaths(filter, []).length === 1;
  return isPage ? limitPageSize(args) + 1 : Number.POSITIVE_INFINITY;
}

/** Returns the filter without conditions on texts. */
function withoutTexts(filter: unknown): CoercedArguments {
  const { text: _, and, or, ...rest } = Object(filter);
  return { ...rest, ...(and && { and: and.map(withoutTexts) }), ...(or && { or: or.map(withoutTexts) }) };
}

/** Arguments of a statement: the text, the rest of the filter, and the place to continue from. */
type Asked = CoercedArguments & { text: string };
/** Binds a value that is computed from the arguments. */
type Value = (name: string, cast: string, of?: (asked: Asked) => unknown) => string;

/** Returns the statement that reads as many events as a search may read. Raw SQL: a fragment for the read planner. */
function slice(model: StatementBuild["model"], scope: GivenValueInputs["scope"], asked: Asked): Statement {
  const shape = parsePlanKey(`[${shapeOfValue(asked)}]`)[0] || {};
  const build = createStatementBuild(model, [shape]);
  const value: Value = (name, cast, of = (given) => getOwnProperty(given, name)) =>
    bindParameter(build, name, cast, () => of(asked));
  const tenant = bindOrganization(build);
  const wanted = {
    text: value("text", "text", ({ text }) => toCanonicalSearchText(text)),
    ascii: value("ascii", "boolean", ({ text }) => isAscii(text)),
  };
  const bytes = value("bytes", "integer", ({ text }) => maxSearchedBytes({}, [text]));
  const text = `with seen as materialized (${seen(build, shape, value)}),
    placed as materialized (select *, row_number() over w as n, sum(size) over w as through
      from seen window w as (order by began desc, session_id desc, at, event_id rows unbounded preceding)),
    kept as materialized (select * from placed where n <= ${ROWS} and (through <= ${bytes} or n = 1)),
    found as (select distinct k.session_id from kept k cross join lateral (select from recorded_event e
      where e.organization_id = ${tenant} and e.event_id = k.event_id and ${containsTextSql(["e.args", "e.result"], wanted)} offset 0) e)
    select began::text, session_id as id, at::text, event_id as "eventId", array(select session_id::text from found) as ids,
      exists (select from placed p where p.n > k.n) as more
    from kept k order by n desc limit 1`;
  const values = build.getters.map((get) => withoutNul(get({ scope, args: [asked] })));
  return { text, values, reads: [...build.reads], writes: [] };
}

const ROWS = maxSearchedRows({});

/**
 * SQL for the next events after a position, with the sizes of their texts. PostgreSQL knows the sizes without reading
 * the texts. Sessions and their events are looked up one by one, so that the scan ends at the limit; a session without
 * events yields one row.
 */
function seen(build: StatementBuild, shape: ArgumentShape, value: Value): string {
  const row = newRow(build, findEntity(build, "RecordedSession"));
  const [began, id] = [columnSql(row, "startedAt"), columnSql(row, "id")];
  const sessions = [
    isReadableByCallerSql(row),
    filterSql(row, { argumentIndex: 0, path: ["filter"], value: shape["filter"] }),
  ];
  if (shape["after"]) sessions.push(cursorConditionSql(row, parseOrder(row, {}), { argumentIndex: 0, name: "after" }));
  const events = [`e.organization_id = ${bindOrganization(build)}`, "e.session_id = s.session_id"];
  if (shape["id"]) {
    const same = `s.session_id = ${value("id", "uuid")}`;
    const at = `case when ${same} then coalesce(${value("at", "timestamptz")}, 'infinity') else '-infinity' end`;
    sessions.push(`(${began}, ${id}) <= (${value("began", "timestamptz")}, ${value("id", "uuid")})`);
    events.push(`(e.timestamp, e.event_id) > (${at}, coalesce(${value("eventId", "uuid")}, ${value("id", "uuid")}))`);
  }
  return `select s.timestamp as began, s.session_id, e.timestamp as at, e.event_id, coalesce(e.size, 0) as size
    from (select ${row.alias}.* from recorded_session ${row.alias}${row.frame.joins.join("")} where ${sessions.join(" and ")}
      order by ${began} desc, ${id} desc limit ${ROWS + 1}) s
    left join lateral (select e.timestamp, e.event_id, octet_length(e.args) + octet_length(e.result) as size
      from recorded_event e where ${events.join(" and ")} order by e.timestamp, e.event_id ${limitSql(ROWS + 1)}) e on true
    limit ${ROWS + 1}`;
}
