import { inputError } from "../../../errors.ts";
import { connectionJson } from "../../../read/connection/connection.ts";
import { cursorCondition } from "../../../read/connection/cursor.ts";
import { orderBy, orderOf } from "../../../read/connection/order.ts";
import { isGiven, pageOf } from "../../../read/connection/page.ts";
import type { Build, SqlRow } from "../../../read/entity.ts";
import { rowJson } from "../../../read/plan.ts";
import { column, entityOf, newRow, organization, shapeOf } from "../../../read/row.ts";
import type { Selection } from "../../../read/selection.ts";
import type { Scope } from "../../../scope.ts";
import { linkTo } from "../../fields.ts";
import type { Arguments, Resource } from "../../resource.ts";
import { keptLine } from "../actions/read.ts";
import { placeOf } from "../actions/store.ts";
import { atMost } from "../bounds.ts";
import { bound } from "../outline/events.ts";
import { below } from "./sessions.ts";

/** Files in different folders that one path may name, its changes among which lines are searched for, and those lines. */
const PLACES = 500;
const SEARCHED = 5_000;
const LINES = 100;
/** Comparing lines with those of so many changes counts as so many comparisons of long texts. */
const SCANS = 5;

/** SQL of the folder of a change's session. */
const folder = (row: SqlRow): string => `(select s.metadata ->> 'cwd' from recorded_session s
  where s.organization_id = ${organization(row.build)} and s.session_id = ${column(row, "sessionId")})`;

/** A change of a file by a call of a tool, and the root field that finds those of a path. */
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
        sql: (row) => `(select ${below("s.cwd")} from (select ${column(row, "wholePath")} as path) a,
          (select ${folder(row)} as cwd) s)`,
      },
    },
    tuning: { long: { lines: 160_000 } },
    one: { event: linkTo("RecordedEvent", "eventId"), session: linkTo("RecordedSession", "sessionId") },
  },
  values: {
    recordedFiles: {
      scans: ({ lines }) => (isGiven(lines) ? SCANS : 1),
      sql: (build, selection) =>
        connectionJson(build, {
          source: null,
          link: { entity: "RecordedFileChange", rows: () => changes(build, selection) },
          selection,
          rowJson,
        }),
    },
  },
  admits: { recordedFiles: admitPath },
};

/** The places that begin like one are those between it and this. */
const endOf = (place: string): string => place.replace(/\/$/, "0");

/** SQL of the places of files whose paths end with the path that is asked for, read from the index place by place. Raw SQL, as all here. */
const placesSql = (own: string, from: string, end: string): string => `with recursive near (place) as (
    (select a.place from recorded_action a where a.organization_id = ${own} and a.place >= ${from} and a.place < ${end}
      order by a.place limit 1)
    union all select (select a.place from recorded_action a where a.organization_id = ${own} and a.place > n.place
      and a.place < ${end} order by a.place limit 1) from near n where n.place is not null)
  select place from near where place is not null limit ${PLACES + 1}`;

/**
 * @throws inputError for a path that names nothing, one that too many files have, as their changes could not be put in
 * order, and one that was changed too often for lines to be searched for
 */
async function admitPath({ db, organizationId }: Scope, { path, lines }: Arguments): Promise<void> {
  const place = placeOf(String(path));
  if (!/[^/.]/.test(place)) throw inputError("path must name a file, such as src/parser.ts", "path");
  const values = [organizationId, place, endOf(place)];
  const places = placesSql("$1::uuid", "$2::text", "$3::text");
  const count = async (from: string) => {
    const text = `select count(*)::int as count from ${from}`;
    const [found] = await db.query<{ count: number }>({ text, values, reads: ["recorded_action"], writes: [] });
    return found?.count ?? 0;
  };
  if ((await count(`(${places}) p`)) > PLACES) {
    const why = `files in more than ${PLACES} folders end with it; give more of the folders before it`;
    throw inputError(`path: ${why}`, "path");
  }
  if (!isGiven(lines)) return;
  if ((lines as readonly string[]).length > LINES) throw inputError(`lines must be at most ${LINES}`, "lines");
  const each = `(${places}) p cross join lateral (select from recorded_action a
    where a.organization_id = $1 and a.place = p.place limit ${SEARCHED + 1}) a`;
  if ((await count(`(select from ${each} limit ${SEARCHED + 1}) a`)) > SEARCHED)
    throw inputError(
      `lines: the file was changed more than ${SEARCHED.toLocaleString("en")} times; ask without them`,
      "lines",
    );
}

/** SQL of the changes of a page: those that added some lines, or the first in the order. */
function changes(build: Build, selection: Selection): string {
  const own = organization(build);
  const place = bound(build, selection, "place", "text", ({ path }) => placeOf(String(path)));
  const end = bound(build, selection, "placeEnd", "text", ({ path }) => endOf(placeOf(String(path))));
  const places = placesSql(own, place, end);
  build.reads.add("recorded_action").add("recorded_session");
  if (!isGiven(shapeOf(build, selection).lines)) return firstOf(build, selection, own, places);
  const lines = bound(build, selection, "lines", "text[]", (given) => (given.lines as readonly string[]).map(keptLine));
  return `select c.* from (${places}) p cross join lateral (${inPlace(own)}) c where c.lines ?| ${lines}`;
}

/** SQL of the changes in a place `p`, under the names of the entity. */
const inPlace = (own: string): string =>
  `select a.event_id || '-' || a.position as id, a.path as "wholePath", a.data ->> 'change' as change, a.added, a.removed,
      a.data -> 'lines' as lines, a.timestamp as "createdAt", a.event_id as "eventId", a.session_id as "sessionId"
    from recorded_action a where a.organization_id = ${own} and a.place = p.place`;

/** SQL of the first changes of as many places as the page has entries: those places whose own first change comes first. */
function firstOf(build: Build, selection: Selection, own: string, places: string): string {
  const args = shapeOf(build, selection);
  const row = { ...newRow(build, entityOf(build, "RecordedFileChange")), alias: "c" };
  const { size, backward } = pageOf(args);
  const order = orderOf(row, args);
  const cursors = (["after", "before"] as const)
    .filter((name) => isGiven(args[name]))
    .map((name) => cursorCondition(row, order, { argumentIndex: selection.argumentIndex, name }));
  const where = cursors.length > 0 ? `where ${cursors.join(" and ")}` : "";
  const sorted = `order by ${orderBy(row, order, backward)}`;
  const first = (count: number) =>
    `lateral (select c.* from (${inPlace(own)}) c ${where} ${sorted} ${atMost(count)}) c`;
  return `select c.* from (select p.place from (${places}) p cross join ${first(1)} ${sorted} limit ${size + 1}) p
    cross join ${first(size + 1)} ${sorted} limit ${size + 1}`;
}
