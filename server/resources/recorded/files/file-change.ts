import { inputError } from "../../../errors.ts";
import { connectionJsonSql } from "../../../read/connection/connection.ts";
import { cursorConditionSql } from "../../../read/connection/cursor.ts";
import { orderBySql, parseOrder } from "../../../read/connection/order.ts";
import { isGiven, parsePage } from "../../../read/connection/page.ts";
import type { SqlRow, StatementBuild } from "../../../read/entity.ts";
import { rowJson } from "../../../read/plan.ts";
import { bindOrganization, columnSql, findEntity, getArgumentShape, newRow } from "../../../read/row.ts";
import type { Selection } from "../../../read/selection.ts";
import type { Scope } from "../../../scope.ts";
import { linkTo } from "../../fields.ts";
import type { CoercedArguments, Resource } from "../../resource.ts";
import { truncateLine } from "../actions/read.ts";
import { reversePath } from "../actions/store.ts";
import { bindArgument, limitSql } from "../computed-row.ts";
import { relativePathSql } from "./file.ts";

/**
 * Limits of a request: the number of different files that the path may match, the number of changes in which lines are
 * searched, and the number of searched lines.
 */
const PLACES = 500;
const SEARCHED = 5_000;
const LINES = 100;
/** Cost of a search for lines in this many changes, counted as comparisons of a long text. */
const SCANS = 5;

/** SQL for the working folder of the session in which a change was recorded. */
const folder = (row: SqlRow): string => `(select s.metadata ->> 'cwd' from recorded_session s
  where s.organization_id = ${bindOrganization(row.build)} and s.session_id = ${columnSql(row, "sessionId")})`;

/** A change of a file by a tool call, and the root field that finds changes by path. */
export const recordedFileChangeResource: Resource = {
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
        sql: (row) => `(select ${relativePathSql("s.cwd")} from (select ${columnSql(row, "wholePath")} as path) a,
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
 * Returns the segments of the requested path in reverse order. Therefore all files whose paths end with the requested
 * path form one range of the index. @throws inputError for a path that names no file
 */
function placeIn({ path }: CoercedArguments): string {
  const place = reversePath(String(path));
  if (/[^/.]/.test(place)) return place;
  throw inputError("path must name a file, such as src/parser.ts", "path");
}

/** Returns the upper limit, exclusive, of the reversed paths that begin with a given reversed path. */
const endOf = (place: string): string => place.replace(/\/$/, "0");

/** @throws inputError for too many lines */
function linesIn({ lines }: CoercedArguments): string[] {
  const given = lines as readonly string[];
  if (given.length > LINES) throw inputError(`lines must be at most ${LINES}`, "lines");
  return given.map(truncateLine);
}

/**
 * SQL for the reversed paths of the files whose paths end with the requested path. The recursion reads one index entry
 * per file instead of every change. Raw SQL, like all SQL here.
 */
const placesSql = (own: string, from: string, end: string): string => `recursive near (place) as (
    (select a.place from recorded_action a where a.organization_id = ${own} and a.place >= ${from} and a.place < ${end}
      order by a.place limit 1)
    union all select (select a.place from recorded_action a where a.organization_id = ${own} and a.place > n.place
      and a.place < ${end} order by a.place limit 1) from near n where n.place is not null),
  places as materialized (select place from near where place is not null limit ${PLACES + 1})`;

/**
 * SQL for the list of changes. Null if the path matches too many files, or if lines would be compared with too many
 * changes.
 */
function listSql(build: StatementBuild, selection: Selection): string {
  const own = bindOrganization(build);
  const place = bindArgument(build, selection, "place", "text", placeIn);
  const end = bindArgument(build, selection, "placeEnd", "text", (given) => endOf(placeIn(given)));
  build.reads.add("recorded_action").add("recorded_session");
  const isSearch = isGiven(getArgumentShape(build, selection).lines);
  const searched = `(select count(*) from (select from places p cross join lateral (select from recorded_action a
    where a.organization_id = ${own} and a.place = p.place limit ${SEARCHED + 1}) a limit ${SEARCHED + 1}) a) <= ${SEARCHED}`;
  const rows = () => (isSearch ? withLines(build, selection, own) : firstOf(build, selection, own));
  const link = { entity: "RecordedFileChange", rows };
  return `(with ${placesSql(own, place, end)}
    select case when (select count(*) from places) <= ${PLACES}${isSearch ? ` and ${searched}` : ""}
      then ${connectionJsonSql(build, { source: null, link, selection, rowJson })} end)`;
}

/**
 * Returns the error for a list that is null: the path matches too many files, or the file has too many changes to
 * search for lines.
 */
async function tooMany({ db, organizationId }: Scope, args: CoercedArguments): Promise<Error> {
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
const withLines = (build: StatementBuild, selection: Selection, own: string): string =>
  `select c.* from places p cross join lateral (${inPlace(own)}) c
    where c.lines ?| ${bindArgument(build, selection, "lines", "text[]", linesIn)}`;

/**
 * SQL for the changes of the file with the reversed path `p.place`. The columns have the names of the entity's fields.
 */
const inPlace = (own: string): string =>
  `select a.event_id || '-' || a.position as id, a.path as "wholePath", a.data ->> 'change' as change, a.added, a.removed,
      a.data -> 'lines' as lines, a.timestamp as "createdAt", a.event_id as "eventId", a.session_id as "sessionId"
    from recorded_action a where a.organization_id = ${own} and a.place = p.place`;

/**
 * SQL for the changes that a page may contain. A page has entries of at most as many files as the page size. The
 * statement therefore reads the first change of each file, selects the files whose first changes come first, and reads
 * only as many changes of each of these files as the page needs.
 */
function firstOf(build: StatementBuild, selection: Selection, own: string): string {
  const args = getArgumentShape(build, selection);
  const row = { ...newRow(build, findEntity(build, "RecordedFileChange")), alias: "c" };
  const { size, backward } = parsePage(args);
  const order = parseOrder(row, args);
  const cursors = (["after", "before"] as const)
    .filter((name) => isGiven(args[name]))
    .map((name) => cursorConditionSql(row, order, { argumentIndex: selection.argumentIndex, name }));
  const where = cursors.length > 0 ? `where ${cursors.join(" and ")}` : "";
  const sorted = `order by ${orderBySql(row, order, backward)}`;
  const first = (count: number) =>
    `lateral (select c.* from (${inPlace(own)}) c ${where} ${sorted} ${limitSql(count)}) c`;
  return `select c.* from (select p.place from places p cross join ${first(1)} ${sorted} limit ${size + 1}) p
    cross join ${first(size + 1)} ${sorted} limit ${size + 1}`;
}
