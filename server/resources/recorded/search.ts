import { buildNfcSql } from "../../../db/text/canonical.ts";
import { isUuid } from "../../../formats/uuid.ts";
import { inputError } from "../../errors.ts";
import { isGiven } from "../../read/connection/page.ts";
import type { StatementBuild } from "../../read/entity.ts";
import { bindOrganization, getArgumentShape, jsonListRowsSql } from "../../read/row.ts";
import type { Selection } from "../../read/selection.ts";
import type { Resource } from "../resource.ts";
import {
  isAscii,
  maxSearchedBytes,
  maxSearchedRows,
  searchTextPositionSql,
  toCanonicalSearchText,
} from "../searched.ts";
import { readRange } from "./analytics/index.ts";
import { bindArgument, createComputedRowField, matchesSessionFilterSql, readNumberArgument } from "./computed-row.ts";
import { kindSql } from "./kinds.ts";

/** Cost and limits of one search. The limits for all searches of a request also apply. */
const SCANS = 5;
const DEFAULT_READ = 20_000;
const MAX_READ = 100_000;
const DEFAULT_HITS = 20;
const MAX_HITS = 100;
const MAX_TEXT = 200;
const MAX_DAYS = 31;
/** Maximum characters of a snippet, and characters before the found text. */
const SNIPPET = 200;
const BEFORE = 60;

/**
 * Root field `recordedSearch`: events of a range of time that contain a text, newest first. The texts of events have
 * no index, because indexing would cost more than storing an event. Events are therefore read until enough matches
 * are found or a limit is reached. The response contains the place where the search stopped, and the next search
 * continues from there.
 */
export const recordedSearchResource: Resource = {
  entity: {
    name: "RecordedSearch",
    table: "",
    columns: { from: "timestamp", to: "timestamp", read: "integer", stoppedAt: "timestamp", endCursor: "text" },
    many: {
      nodes: {
        entity: "RecordedHit",
        rows: jsonListRowsSql(
          "nodes",
          '"eventId" uuid, "sessionId" uuid, name text, kind text, success boolean, at timestamptz, field text, snippet text',
        ),
      },
    },
  },
  values: {
    recordedSearch: { searches: true, scans: () => SCANS, ...createComputedRowField("RecordedSearch", search) },
  },
};

/** An event that contains the text. */
export const recordedHitResource: Resource = {
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
 * Raw SQL: a fragment for the read planner. Events that the filter rejects also count for the limits, because these
 * events were read. OFFSET 0 makes the planner look up the events one by one, in order. No test fails without OFFSET 0,
 * because the tables of tests are too small.
 */
function search(build: StatementBuild, selection: Selection): string {
  const tenant = bindOrganization(build);
  const edge = (at: "from" | "to") =>
    bindArgument(build, selection, at, "timestamptz", (args, now) =>
      new Date(readRange(args, now, MAX_DAYS)[at]).toISOString(),
    );
  const most = bindArgument(build, selection, "most", "integer", (args) =>
    Math.min(readNumberArgument(args, "most", DEFAULT_READ, MAX_READ), maxSearchedRows(build)),
  );
  const bytes = bindArgument(build, selection, "bytes", "integer", (args) => maxSearchedBytes(build, [textOf(args)]));
  const first = bindArgument(build, selection, "first", "integer", (args) =>
    readNumberArgument(args, "first", DEFAULT_HITS, MAX_HITS),
  );
  const text = bindArgument(build, selection, "term", "text", (args) => toCanonicalSearchText(textOf(args)));
  const ascii = bindArgument(build, selection, "term.ascii", "boolean", (args) => isAscii(textOf(args)));
  const place = (value: string) => searchTextPositionSql(value, { text, ascii });
  return `with seen as materialized (
      select e.event_id, e.timestamp, octet_length(e.args) + octet_length(e.result) as size
      from recorded_event e where e.organization_id = ${tenant} and e.timestamp >= ${edge("from")}
        and e.timestamp < ${edge("to")}${afterSql(build, selection)}
      order by e.timestamp desc, e.event_id desc limit ${most} + 1),
    placed as materialized (select *, row_number() over w as n, sum(size) over w as through
      from seen window w as (order by timestamp desc, event_id desc rows unbounded preceding)),
    kept as (select * from placed where n <= ${most} and (through <= ${bytes} or n = 1) order by n),
    found as materialized (
      select k.n, e.event_id, e.session_id, e.timestamp, e.primitive_name, e.success, ${kindSql("e")} as kind, e.field, e.place,
        case e.field when 'args' then e.args when 'result' then e.result else e.primitive_name end as source
      from kept k cross join lateral (select e.*, p.* from recorded_event e cross join lateral (
          select 'args' as field, ${place("e.args")} as place union all select 'result', ${place("e.result")}
          union all select 'name', ${place("e.primitive_name")}) p
        where e.organization_id = ${tenant} and e.event_id = k.event_id and p.place > 0
        ${matchesSessionFilterSql(build, selection, "e.session_id")} limit 1) e
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
        'snippet', substr(${buildNfcSql("f.source")}, greatest(1, f.place - ${BEFORE}), ${SNIPPET})) order by f.n), '[]') from found f) as nodes`;
}

function afterSql(build: StatementBuild, selection: Selection): string {
  if (!isGiven(getArgumentShape(build, selection).after)) return "";
  const part = (name: string, cast: string, at: 0 | 1) =>
    bindArgument(build, selection, `after.${name}`, cast, (args) => cursorOf(args)[at]);
  return ` and (e.timestamp, e.event_id) < (${part("at", "timestamptz", 0)}, ${part("id", "uuid", 1)})`;
}

type Args = Readonly<Record<string, unknown>>;

function textOf({ term }: Args): string {
  const given = String(term).replaceAll("\0", "\uFFFD");
  if (given.trim() === "" || given.length > MAX_TEXT) {
    throw inputError(`term must have 1 to ${MAX_TEXT} characters, and not only white space`, "term");
  }
  return given;
}

function cursorOf({ after }: Args): [at: string, id: string] {
  const [, ms = "", id = ""] = /^(-?\d{1,14})_([0-9a-f-]{36})$/.exec(String(after)) ?? [];
  if (!isUuid(id)) throw inputError("the cursor is malformed; pass an endCursor as it was returned", "after");
  return [new Date(Number(ms)).toISOString(), id];
}
