import type { Statement } from "../../../../db/open.ts";
import { readOwn } from "../../../../formats/own.ts";
import { cursorCondition } from "../../../read/connection/cursor.ts";
import { parseOrder } from "../../../read/connection/order.ts";
import { isGiven, limitPageSize } from "../../../read/connection/page.ts";
import type { Build, GivenInputs, SqlRow } from "../../../read/entity.ts";
import { filterSql } from "../../../read/filter/filter.ts";
import { withoutNul } from "../../../read/prepared-statement.ts";
import { bind, column, findEntity, inTenantSql, newBuild, newRow, organization } from "../../../read/row.ts";
import type { ArgumentPath } from "../../../read/selection.ts";
import { readShapes, type Shape, shapeOfValue } from "../../../read/shape.ts";
import type { Arguments } from "../../resource.ts";
import { canonicalWanted, containsTextSql, isAscii, maxSearchedBytes, maxSearchedRows } from "../../searched.ts";
import { limitSql } from "../computed-row.ts";
import { valueAt } from "../key.ts";

/**
 * Maximum number of statements that search a text, each at most a tenth of a second: as much as a filter by text
 * costs in points.
 */
const STATEMENTS = 10;
/** Maximum number of found sessions, because the statement gets all ids. */
const MAX_FOUND = 20_000;

/**
 * Sessions that contain a text, and the time back to which sessions were read. Null if all sessions were read, or
 * enough for a page.
 */
interface Found {
  ids: readonly string[];
  since: string | null;
}

/** The last event that was read in the last session. A session without events has no event. */
interface Place {
  began: string;
  id: string;
  at: string | null;
  eventId: string | null;
}

/** SQL condition: a session is among the sessions that were found before. */
export const hasText = (row: SqlRow, argument: ArgumentPath): string =>
  `${column(row, "id")} = any(${foundBefore(row.build, argument, "ids", "uuid[]")})`;

/**
 * SQL for the time back to which sessions were searched for the texts in a page's filter; null if all sessions were
 * searched.
 */
export function textSearchedSince(build: Build, argument: ArgumentPath): string {
  const since = textPaths(argument.value, argument.path).map((path) =>
    foundBefore(build, { ...argument, path }, "since", "timestamptz"),
  );
  return since.length > 0 ? `greatest(${since.join(", ")})` : "null::timestamptz";
}

const foundBefore = (build: Build, { argumentIndex, path, page }: ArgumentPath, member: keyof Found, cast: string) => {
  const name = `sessionsWithText:${page ? "page" : "all"}.${argumentIndex}.${path.join(".")}`;
  return bind(build, `given.${name}`, cast, ({ given }) => (readOwn(given, name) as Found | undefined)?.[member]);
};

/** Returns the paths of the texts in a filter. */
function textPaths(filter: unknown, path: readonly string[]): string[][] {
  return Object.entries(Object(filter)).flatMap(([name, value]) => {
    if (name === "text") return isGiven(value) ? [[...path, name]] : [];
    if (name !== "and" && name !== "or") return [];
    return ((value ?? []) as unknown[]).flatMap((each, at) => textPaths(each, [...path, name, String(at)]));
  });
}

/**
 * Finds the sessions that contain the text at a path of the arguments, among the sessions that match the rest of the
 * filter. Reads the newest sessions first, with short statements, until a page has enough sessions. A field with an
 * end of the range begins with sessions before the end.
 */
export async function sessionsWithText({ scope, args, model, deadline }: GivenInputs, name: string): Promise<Found> {
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
 * Returns the number of sessions that a page of the newest sessions needs, including the following session. Other
 * lists need all sessions.
 */
function pageSize(args: Arguments): number {
  const { filter, sort, last, before } = args;
  const isPage = ![sort, last, before].some(isGiven) && textPaths(filter, []).length === 1;
  return isPage ? limitPageSize(args) + 1 : Number.POSITIVE_INFINITY;
}

/** Returns the filter without conditions on texts. */
function withoutTexts(filter: unknown): Arguments {
  const { text: _, and, or, ...rest } = Object(filter);
  return { ...rest, ...(and && { and: and.map(withoutTexts) }), ...(or && { or: or.map(withoutTexts) }) };
}

/** Arguments of a statement: the text, the rest of the filter, and the place to continue from. */
type Asked = Arguments & { text: string };
/** Binds a value that is computed from the arguments. */
type Value = (name: string, cast: string, of?: (asked: Asked) => unknown) => string;

/** Returns the statement that reads as many events as a search may read. Raw SQL: a fragment for the read planner. */
function slice(model: Build["model"], scope: GivenInputs["scope"], asked: Asked): Statement {
  const shape = readShapes(`[${shapeOfValue(asked)}]`)[0] || {};
  const build = newBuild(model, [shape]);
  const value: Value = (name, cast, of = (given) => readOwn(given, name)) => bind(build, name, cast, () => of(asked));
  const tenant = organization(build);
  const wanted = {
    text: value("text", "text", ({ text }) => canonicalWanted(text)),
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
 * SQL for the sizes of events from a place on. PostgreSQL knows the sizes without reading the texts. Sessions and
 * their events are looked up one by one, so that the limit ends the scan. A session without events is also a row.
 */
function seen(build: Build, shape: Shape, value: Value): string {
  const row = newRow(build, findEntity(build, "RecordedSession"));
  const [began, id] = [column(row, "startedAt"), column(row, "id")];
  const sessions = [inTenantSql(row), filterSql(row, { argumentIndex: 0, path: ["filter"], value: shape["filter"] })];
  if (shape["after"]) sessions.push(cursorCondition(row, parseOrder(row, {}), { argumentIndex: 0, name: "after" }));
  const events = [`e.organization_id = ${organization(build)}`, "e.session_id = s.session_id"];
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
