import { inputError } from "../../../errors.ts";
import { connectionJson } from "../../../read/connection/connection.ts";
import { cursorCondition } from "../../../read/connection/cursor.ts";
import { orderBySql, parseOrder } from "../../../read/connection/order.ts";
import { isGiven, parsePage } from "../../../read/connection/page.ts";
import type { Build, SqlRow } from "../../../read/entity.ts";
import { rowJson } from "../../../read/plan.ts";
import { column, findEntity, newRow, organization, readShape } from "../../../read/row.ts";
import type { Selection } from "../../../read/selection.ts";
import type { Scope } from "../../../scope.ts";
import { linkTo } from "../../fields.ts";
import type { Arguments, Resource } from "../../resource.ts";
import { truncateLine } from "../actions/read.ts";
import { reversePath } from "../actions/store.ts";
import { bindArgument, limitSql } from "../computed-row.ts";
import { relativePathSql } from "./file.ts";

/**
 * Maximum numbers of files in different folders that a path may match, of changes in which lines are searched, and of
 * searched lines.
 */
const PLACES = 500;
const SEARCHED = 5_000;
const LINES = 100;
/** Cost of comparing lines with this many changes, in comparisons of long texts. */
const SCANS = 5;

/** SQL for the folder of a change's session. */
const folder = (row: SqlRow): string => `(select s.metadata ->> 'cwd' from recorded_session s
  where s.organization_id = ${organization(row.build)} and s.session_id = ${column(row, "sessionId")})`;

/** A change of a file by a tool call, and the root field that finds changes by path. */
export const recordedFileChange: Resource = {
  entity: {
    name: "RecordedFileChange",
    table: "",
    columns: {
      id: "text",
      change: "text",
      added: "integer",
      removed: "integer",
      lines: "json",
      createdAt: "timestamp",
    },
    internal: { wholePath: "text", eventId: "uuid", sessionId: "uuid" },
    computed: {
      path: {
        type: "text",
        sql: (row) => `(select ${relativePathSql("s.cwd")} from (select ${column(row, "wholePath")} as path) a,
          (select ${folder(row)} as cwd) s)`,
      },
    },
    tuning: { long: { lines: 160_000 } },
    one: { event: linkTo("RecordedEvent", "eventId"), session: linkTo("RecordedSession", "sessionId") },
  },
  values: {
    recordedFiles: {
      scans: ({ lines }) => (isGiven(lines) ? SCANS : 1),
      sql: listSql,
      refusal: tooMany,
    },
  },
};

/**
 * Returns the segments of a path in reverse order. A range of the index contains the files whose paths end with the
 * path. @throws inputError for a path that names no file
 */
function placeIn({ path }: Arguments): string {
  const place = reversePath(String(path));
  if (/[^/.]/.test(place)) return place;
  throw inputError("path must name a file, such as src/parser.ts", "path");
}

/** Returns the upper limit of the places that begin with a place. */
const endOf = (place: string): string => place.replace(/\/$/, "0");

/** @throws inputError for too many lines */
function linesIn({ lines }: Arguments): string[] {
  const given = lines as readonly string[];
  if (given.length > LINES) throw inputError(`lines must be at most ${LINES}`, "lines");
  return given.map(truncateLine);
}

/**
 * SQL for the places of files whose paths end with the requested path, read from the index place by place. Raw SQL,
 * like all SQL here.
 */
const placesSql = (own: string, from: string, end: string): string => `recursive near (place) as (
    (select a.place from recorded_action a where a.organization_id = ${own} and a.place >= ${from} and a.place < ${end}
      order by a.place limit 1)
    union all select (select a.place from recorded_action a where a.organization_id = ${own} and a.place > n.place
      and a.place < ${end} order by a.place limit 1) from near n where n.place is not null),
  places as materialized (select place from near where place is not null limit ${PLACES + 1})`;

/**
 * SQL for the list. Null if too many places match to be sorted, or if lines would be compared with too many changes.
 */
function listSql(build: Build, selection: Selection): string {
  const own = organization(build);
  const place = bindArgument(build, selection, "place", "text", placeIn);
  const end = bindArgument(build, selection, "placeEnd", "text", (given) => endOf(placeIn(given)));
  build.reads.add("recorded_action").add("recorded_session");
  const isSearch = isGiven(readShape(build, selection).lines);
  const searched = `(select count(*) from (select from places p cross join lateral (select from recorded_action a
    where a.organization_id = ${own} and a.place = p.place limit ${SEARCHED + 1}) a limit ${SEARCHED + 1}) a) <= ${SEARCHED}`;
  const rows = () => (isSearch ? withLines(build, selection, own) : firstOf(build, selection, own));
  const link = { entity: "RecordedFileChange", rows };
  return `(with ${placesSql(own, place, end)}
    select case when (select count(*) from places) <= ${PLACES}${isSearch ? ` and ${searched}` : ""}
      then ${connectionJson(build, { source: null, link, selection, rowJson })} end)`;
}

/** Returns the reason for a missing list. */
async function tooMany({ db, organizationId }: Scope, args: Arguments): Promise<Error> {
  const place = placeIn(args);
  const text = `with ${placesSql("$1::uuid", "$2::text", "$3::text")} select count(*)::int as count from places`;
  const values = [organizationId, place, endOf(place)];
  const [found] = await db.query<{ count: number }>({ text, values, reads: ["recorded_action"], writes: [] });
  if (isGiven(args.lines) && (found?.count ?? 0) <= PLACES)
    return inputError(
      `lines: the file was changed more than ${SEARCHED.toLocaleString("en")} times; ask without them`,
      "lines",
    );
  const why = `files in more than ${PLACES} folders end with it; give more of the folders before it`;
  return inputError(`path: ${why}`, "path");
}

/** SQL for the changes that added any of the given lines. */
const withLines = (build: Build, selection: Selection, own: string): string =>
  `select c.* from places p cross join lateral (${inPlace(own)}) c
    where c.lines ?| ${bindArgument(build, selection, "lines", "text[]", linesIn)}`;

/** SQL for the changes in a place `p`, with the names of the entity. */
const inPlace = (own: string): string =>
  `select a.event_id || '-' || a.position as id, a.path as "wholePath", a.data ->> 'change' as change, a.added, a.removed,
      a.data -> 'lines' as lines, a.timestamp as "createdAt", a.event_id as "eventId", a.session_id as "sessionId"
    from recorded_action a where a.organization_id = ${own} and a.place = p.place`;

/** SQL for the first changes of as many places as the page has entries. The places are sorted by their first change. */
function firstOf(build: Build, selection: Selection, own: string): string {
  const args = readShape(build, selection);
  const row = { ...newRow(build, findEntity(build, "RecordedFileChange")), alias: "c" };
  const { size, backward } = parsePage(args);
  const order = parseOrder(row, args);
  const cursors = (["after", "before"] as const)
    .filter((name) => isGiven(args[name]))
    .map((name) => cursorCondition(row, order, { argumentIndex: selection.argumentIndex, name }));
  const where = cursors.length > 0 ? `where ${cursors.join(" and ")}` : "";
  const sorted = `order by ${orderBySql(row, order, backward)}`;
  const first = (count: number) =>
    `lateral (select c.* from (${inPlace(own)}) c ${where} ${sorted} ${limitSql(count)}) c`;
  return `select c.* from (select p.place from places p cross join ${first(1)} ${sorted} limit ${size + 1}) p
    cross join ${first(size + 1)} ${sorted} limit ${size + 1}`;
}
