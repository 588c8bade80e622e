import { isGiven } from "../../../read/connection/page.ts";
import type { Build } from "../../../read/entity.ts";
import { shapeOf } from "../../../read/row.ts";
import type { Selection } from "../../../read/selection.ts";
import type { Arguments, Resource } from "../../resource.ts";
import { bytesOf, comparable, holds, isAscii, rowsOf } from "../../searched.ts";
import { atMost, bound, computedRow, within } from "../computed-row.ts";
import { kindOf, measuresOf } from "../kinds.ts";
import { conditions, events } from "./events.ts";

/** Bounds of one answer, beside those of all searches of a request. */
const DEFAULT_READ = 10_000;
const MAX_READ = 100_000;

/**
 * SQL of the events that hold a text (`shown`) and of the last one that was read (`reached`). No index has their words:
 * it would cost each event more than storing it. So they are read in their order until there are enough, or a bound is
 * met, and the next answer goes on from there.
 */
function found(build: Build, selection: Selection, columns: string, size: string): string {
  const most = bound(build, selection, "most", "integer", (args) =>
    Math.min(within(args, "most", DEFAULT_READ, MAX_READ), rowsOf(build)),
  );
  const bytes = bound(build, selection, "bytes", "integer", ({ text }) => bytesOf(build, [String(text)]));
  const text = bound(build, selection, "text", "text", (given) => comparable(String(given.text)));
  const ascii = bound(build, selection, "text.ascii", "boolean", (given) => isAscii(String(given.text)));
  const source = `${events(build, selection)} e where ${conditions(build, selection)}`;
  return `seen as materialized (
      select e.event_id, e.timestamp, octet_length(e.args) + octet_length(e.result) as size
      from ${source} order by e.timestamp, e.event_id ${atMost(`${most} + 1`)}),
    placed as materialized (select *, row_number() over w as n, sum(size) over w as through
      from seen window w as (order by timestamp, event_id rows unbounded preceding)),
    kept as (select * from placed where n <= ${most} and (through <= ${bytes} or n = 1)),
    shown as materialized (
      select row_number() over (order by e.timestamp, e.event_id) as n, e.event_id, e.received_at ${columns}
      from ${source} and (e.timestamp, e.event_id) <= (select timestamp, event_id from kept order by n desc limit 1)
        and ${holds(["e.primitive_name", "e.args", "e.result"], { text, ascii })}
      order by e.timestamp, e.event_id ${atMost(size)}),
    reached as (select p.event_id, p.timestamp, p.n as read, exists (select from placed more where more.n > p.n) as more
      from placed p where p.n = (select case when (select count(*) from shown) >= ${size}
        then (select l.n from placed l where l.event_id = (select event_id from shown order by n desc limit 1))
        else (select max(n) from kept) end))`;
}

/** Most events a page can have: a list's pages hold whole rows, these hold little of each. */
const MAX_EVENTS = 5_000;
const DEFAULT_EVENTS = 1_000;
/** Characters shown of arguments, and of the result of what failed. */
const BRIEF = 200;

/**
 * Root field `recordedOutline`: the events of a session in brief, by the thousand. A list a field instead of an object
 * an event: that is half as long, and read three times as fast.
 */
export const recordedOutline: Resource = {
  entity: {
    name: "RecordedOutline",
    table: "",
    columns: {
      hasNextPage: "boolean",
      endCursor: "uuid",
      read: "integer",
      stoppedAt: "timestamp",
      ids: "json",
      parentIds: "json",
      names: "json",
      kinds: "json",
      open: "json",
      models: "json",
      inputTokens: "json",
      outputTokens: "json",
      costs: "json",
      types: "json",
      failed: "json",
      latencies: "json",
      timestamps: "json",
      briefs: "json",
      results: "json",
      checkpoints: "json",
      receivedAt: "timestamp",
    },
  },
  values: {
    recordedOutline: { searches: true, scans: scansOf, ...computedRow("RecordedOutline", outline) },
  },
};

/** A text is looked for in many events; a whole page of them is half as much as to compare a long text. */
const TEXT_SCANS = 5;
function scansOf({ text, first }: Arguments): number {
  return isGiven(text) ? TEXT_SCANS : Math.min(Number(first ?? DEFAULT_EVENTS), MAX_EVENTS) / MAX_EVENTS / 2;
}

/** The lists of one page. Raw SQL: a part of what the read planner writes. */
function outline(build: Build, selection: Selection): string {
  const wants = (field: string) => selection.children.some((child) => child.field === field);
  const size = bound(build, selection, "first", "integer", (args) => within(args, "first", DEFAULT_EVENTS, MAX_EVENTS));
  const lists: [name: string, sql: string][] = [
    ["ids", "event_id"],
    ["parentIds", "parent_id"],
    ["names", "primitive_name"],
    ["kinds", kindOf("e")],
    ["open", "coalesce(open, false)::int"],
    ["models", MEASURES.model],
    ["inputTokens", MEASURES.input_tokens],
    ["outputTokens", MEASURES.output_tokens],
    ["costs", MEASURES.cost],
    ["types", "primitive_type"],
    ["failed", "(not success)::int"],
    ["latencies", "latency"],
    ["timestamps", "(extract(epoch from timestamp) * 1000)::int8"],
    ["briefs", `left(args, ${BRIEF})`],
    ["results", `case when not success then coalesce(message, left(result, ${BRIEF})) end`],
    ["checkpoints", CHECKPOINTS],
  ];
  const chosen = lists.filter(([name]) => wants(name));
  const columns = chosen.map(([name, sql]) => `, ${sql} as "${name}"`).join("");
  const aggregates = chosen.map(([name]) => `, coalesce(json_agg("${name}"), '[]') as "${name}"`).join("");
  const read = isGiven(shapeOf(build, selection).text) ? found : page;
  return `with ${read(build, selection, columns, size)}
    select coalesce((select more from reached), false) as "hasNextPage", (select event_id from reached) as "endCursor",
      coalesce((select read from reached), 0)::integer as read, (select timestamp from reached where more) as "stoppedAt",
      max(received_at) as "receivedAt"${aggregates}
    from (select * from shown order by n) shown`;
}

/** SQL of the events of a page (`shown`), and of the last of them (`reached`). */
const page = (build: Build, selection: Selection, columns: string, size: string): string =>
  `page as materialized (select row_number() over (order by timestamp, event_id) as n, event_id, timestamp, received_at
        ${columns}
      from ${events(build, selection)} e where ${conditions(build, selection)}
      order by timestamp, event_id limit ${size} + 1),
    shown as (select * from page where n <= ${size}),
    reached as (select event_id, timestamp, n as read, (select count(*) from page) > ${size} as more
      from shown order by n desc limit 1)`;

const MEASURES = measuresOf("e");
const CHECKPOINTS = `case when metadata::text like '%"checkpoint.%' then (select json_agg(m.value)
  from json_each(metadata) m where m.key like 'checkpoint.%' and json_typeof(m.value) = 'number') end`;
