import { isUuid } from "../../../formats/uuid.ts";
import { inputError } from "../../errors.ts";
import { isGiven } from "../../read/connection/page.ts";
import type { Build } from "../../read/entity.ts";
import { listedRows, organization, shapeOf } from "../../read/row.ts";
import type { Selection } from "../../read/selection.ts";
import type { Resource } from "../resource.ts";
import { bytesOf, comparable, isAscii, placeOf, rowsOf } from "../searched.ts";
import { rangeOf } from "./analytics/index.ts";
import { bound, computedRow, passingSql, within } from "./computed-row.ts";
import { kindOf } from "./kinds.ts";

/** Bounds of one search, beside those of all searches of a request. */
const SCANS = 5;
const DEFAULT_READ = 20_000;
const MAX_READ = 100_000;
const DEFAULT_HITS = 20;
const MAX_HITS = 100;
const MAX_TEXT = 200;
const MAX_DAYS = 31;
/** Characters shown of what was found, and of them before the text. */
const SNIPPET = 200;
const BEFORE = 60;

/**
 * Root field `recordedSearch`: events of a time that hold a text, the newest first. There is no index of their words: it
 * would cost each event more than storing it. So events are read until there are enough hits, or a bound is met; the
 * answer says where it stopped, and a search goes on from there.
 */
export const recordedSearch: Resource = {
  entity: {
    name: "RecordedSearch",
    table: "",
    columns: { from: "timestamp", to: "timestamp", read: "integer", stoppedAt: "timestamp", endCursor: "text" },
    many: {
      nodes: {
        entity: "RecordedHit",
        rows: listedRows(
          "nodes",
          '"eventId" uuid, "sessionId" uuid, name text, kind text, success boolean, at timestamptz, field text, snippet text',
        ),
      },
    },
  },
  values: {
    recordedSearch: { searches: true, scans: () => SCANS, ...computedRow("RecordedSearch", search) },
  },
};

/** An event that holds the text. */
export const recordedHit: Resource = {
  entity: {
    name: "RecordedHit",
    table: "",
    columns: {
      eventId: "uuid",
      sessionId: "uuid",
      name: "text",
      kind: "text",
      success: "boolean",
      at: "timestamp",
      field: "text",
      snippet: "text",
      position: "integer",
    },
  },
};

/**
 * Raw SQL: a part of what the read planner writes. What is left out by the filter was read all the same, and counts.
 * OFFSET 0 keeps the events looked up one by one, in their order; the tables of tests are too small to fail without it.
 */
function search(build: Build, selection: Selection): string {
  const tenant = organization(build);
  const edge = (at: "from" | "to") =>
    bound(build, selection, at, "timestamptz", (args, now) => new Date(rangeOf(args, now, MAX_DAYS)[at]).toISOString());
  const most = bound(build, selection, "most", "integer", (args) =>
    Math.min(within(args, "most", DEFAULT_READ, MAX_READ), rowsOf(build)),
  );
  const bytes = bound(build, selection, "bytes", "integer", (args) => bytesOf(build, [textOf(args)]));
  const first = bound(build, selection, "first", "integer", (args) => within(args, "first", DEFAULT_HITS, MAX_HITS));
  const text = bound(build, selection, "term", "text", (args) => comparable(textOf(args)));
  const ascii = bound(build, selection, "term.ascii", "boolean", (args) => isAscii(textOf(args)));
  const place = (value: string) => placeOf(value, { text, ascii });
  return `with seen as materialized (
      select e.event_id, e.timestamp, octet_length(e.args) + octet_length(e.result) as size
      from recorded_event e where e.organization_id = ${tenant} and e.timestamp >= ${edge("from")}
        and e.timestamp < ${edge("to")}${afterSql(build, selection)}
      order by e.timestamp desc, e.event_id desc limit ${most} + 1),
    placed as materialized (select *, row_number() over w as n, sum(size) over w as through
      from seen window w as (order by timestamp desc, event_id desc rows unbounded preceding)),
    kept as (select * from placed where n <= ${most} and (through <= ${bytes} or n = 1) order by n),
    found as materialized (
      select k.n, e.event_id, e.session_id, e.timestamp, e.primitive_name, e.success, ${kindOf("e")} as kind, e.field, e.place,
        case e.field when 'args' then e.args when 'result' then e.result else e.primitive_name end as source
      from kept k cross join lateral (select e.*, p.* from recorded_event e cross join lateral (
          select 'args' as field, ${place("e.args")} as place union all select 'result', ${place("e.result")}
          union all select 'name', ${place("e.primitive_name")}) p
        where e.organization_id = ${tenant} and e.event_id = k.event_id and p.place > 0
        ${passingSql(build, selection, "e.session_id")} limit 1) e
      order by k.n limit ${first}),
    stop as (select case when (select count(*) from found) >= ${first} then (select max(n) from found)
      else (select max(n) from kept) end as n),
    last as (select p.timestamp, p.event_id from placed p, stop where p.n = stop.n
      and exists (select from placed more where more.n > stop.n))
    select ${edge("from")} as from, ${edge("to")} as to, coalesce((select n from stop), 0)::integer as read,
      (select timestamp from last) as "stoppedAt",
      (select (extract(epoch from timestamp) * 1000)::int8 || '_' || event_id from last) as "endCursor",
      (select coalesce(jsonb_agg(jsonb_build_object('position', f.n, 'eventId', f.event_id, 'sessionId', f.session_id,
        'name', f.primitive_name, 'kind', f.kind, 'success', f.success, 'at', f.timestamp, 'field', f.field,
        'snippet', substr(f.source, greatest(1, f.place - ${BEFORE}), ${SNIPPET})) order by f.n), '[]') from found f) as nodes`;
}

function afterSql(build: Build, selection: Selection): string {
  if (!isGiven(shapeOf(build, selection).after)) return "";
  const part = (name: string, cast: string, at: 0 | 1) =>
    bound(build, selection, `after.${name}`, cast, (args) => cursorOf(args)[at]);
  return ` and (e.timestamp, e.event_id) < (${part("at", "timestamptz", 0)}, ${part("id", "uuid", 1)})`;
}

type Args = Readonly<Record<string, unknown>>;

function textOf({ term }: Args): string {
  const given = String(term).replaceAll("\0", "\uFFFD");
  if (given.trim() === "" || given.length > MAX_TEXT) {
    throw inputError(`term takes 1 to ${MAX_TEXT} characters, and one that is no white space`, "term");
  }
  return given;
}

function cursorOf({ after }: Args): [at: string, id: string] {
  const [, ms = "", id = ""] = /^(-?\d{1,14})_([0-9a-f-]{36})$/.exec(String(after)) ?? [];
  if (!isUuid(id)) throw inputError("the cursor is malformed; pass an endCursor as it was returned", "after");
  return [new Date(Number(ms)).toISOString(), id];
}
