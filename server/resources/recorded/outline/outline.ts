import { isGiven } from "../../../read/connection/page.ts";
import type { StatementBuild } from "../../../read/entity.ts";
import { getArgumentShape } from "../../../read/row.ts";
import type { Selection } from "../../../read/selection.ts";
import type { CoercedArguments, Resource } from "../../resource.ts";
import { containsTextSql, isAscii, maxSearchedBytes, maxSearchedRows, toCanonicalSearchText } from "../../searched.ts";
import { bindArgument, createComputedRowField, limitSql, readNumberArgument } from "../computed-row.ts";
import { kindSql, measuresSql } from "../kinds.ts";
import { outlineConditions, outlineEventsSql } from "./events.ts";

/**
 * Default and maximum number of events that a search for text reads. The limits for all searches of a request also
 * apply.
 */
const DEFAULT_READ = 10_000;
const MAX_READ = 100_000;

/**
 * SQL for the events that contain a text (`shown`), and for the last event that was read (`reached`). The texts of
 * events have no index, because indexing would cost more than storing an event. Events are therefore read in order
 * until enough matches are found or a limit is reached. The next request continues from there.
 */
function found(build: StatementBuild, selection: Selection, columns: string, size: string): string {
  const most = bindArgument(build, selection, "most", "integer", (args) =>
    Math.min(readNumberArgument(args, "most", DEFAULT_READ, MAX_READ), maxSearchedRows(build)),
  );
  const bytes = bindArgument(build, selection, "bytes", "integer", ({ text }) =>
    maxSearchedBytes(build, [String(text)]),
  );
  const text = bindArgument(build, selection, "text", "text", (given) => toCanonicalSearchText(String(given.text)));
  const ascii = bindArgument(build, selection, "text.ascii", "boolean", (given) => isAscii(String(given.text)));
  const source = `${outlineEventsSql(build, selection)} e where ${outlineConditions(build, selection)}`;
  return `seen as materialized (
      select e.event_id, e.timestamp, octet_length(e.args) + octet_length(e.result) as size
      from ${source} order by e.timestamp, e.event_id ${limitSql(`${most} + 1`)}),
    placed as materialized (select *, row_number() over w as n, sum(size) over w as through
      from seen window w as (order by timestamp, event_id rows unbounded preceding)),
    kept as (select * from placed where n <= ${most} and (through <= ${bytes} or n = 1)),
    shown as materialized (
      select row_number() over (order by e.timestamp, e.event_id) as n, e.event_id, e.received_at ${columns}
      from ${source} and (e.timestamp, e.event_id) <= (select timestamp, event_id from kept order by n desc limit 1)
        and ${containsTextSql(["e.primitive_name", "e.args", "e.result"], { text, ascii })}
      order by e.timestamp, e.event_id ${limitSql(size)}),
    reached as (select p.event_id, p.timestamp, p.n as read, exists (select from placed more where more.n > p.n) as more
      from placed p where p.n = (select case when (select count(*) from shown) >= ${size}
        then (select l.n from placed l where l.event_id = (select event_id from shown order by n desc limit 1))
        else (select max(n) from kept) end))`;
}

/**
 * Maximum number of events per page. The limit is higher than for lists, because a page contains only a little of
 * each event.
 */
const MAX_EVENTS = 5_000;
const DEFAULT_EVENTS = 1_000;
/** Maximum shown characters of arguments, and of a failed call's result. */
const BRIEF = 200;

/**
 * Root field `recordedOutline`: short forms of a session's events, thousands per page. The response contains one list
 * per field instead of one object per event. A response with lists is half as long, and clients read the response three
 * times as fast.
 */
export const recordedOutlineResource: Resource = {
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
    recordedOutline: { searches: true, scans: scansOf, ...createComputedRowField("RecordedOutline", outline) },
  },
};

/**
 * Cost of a search for text in many events, counted as comparisons of a long text. Without a search, a full page of
 * events costs half a comparison.
 */
const TEXT_SCANS = 5;
function scansOf({ text, first }: CoercedArguments): number {
  return isGiven(text) ? TEXT_SCANS : Math.min(Number(first ?? DEFAULT_EVENTS), MAX_EVENTS) / MAX_EVENTS / 2;
}

/** SQL for the lists of a page. Raw SQL: a fragment for the read planner. */
function outline(build: StatementBuild, selection: Selection): string {
  const wants = (field: string) => selection.children.some((child) => child.field === field);
  const size = bindArgument(build, selection, "first", "integer", (args) =>
    readNumberArgument(args, "first", DEFAULT_EVENTS, MAX_EVENTS),
  );
  const lists: [name: string, sql: string][] = [
    ["ids", "event_id"],
    ["parentIds", "parent_id"],
    ["names", "primitive_name"],
    ["kinds", kindSql("e")],
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
  const read = isGiven(getArgumentShape(build, selection).text) ? found : page;
  return `with ${read(build, selection, columns, size)}
    select coalesce((select more from reached), false) as "hasNextPage", (select event_id from reached) as "endCursor",
      coalesce((select read from reached), 0)::integer as read, (select timestamp from reached where more) as "stoppedAt",
      max(received_at) as "receivedAt"${aggregates}
    from (select * from shown order by n) shown`;
}

/** SQL for the events of a page (`shown`), and for the last of them (`reached`). */
const page = (build: StatementBuild, selection: Selection, columns: string, size: string): string =>
  `page as materialized (select row_number() over (order by timestamp, event_id) as n, event_id, timestamp, received_at
        ${columns}
      from ${outlineEventsSql(build, selection)} e where ${outlineConditions(build, selection)}
      order by timestamp, event_id limit ${size} + 1),
    shown as (select * from page where n <= ${size}),
    reached as (select event_id, timestamp, n as read, (select count(*) from page) > ${size} as more
      from shown order by n desc limit 1)`;

const MEASURES = measuresSql("e");
const CHECKPOINTS = `case when metadata::text like '%"checkpoint.%' then (select json_agg(m.value)
  from json_each(metadata) m where m.key like 'checkpoint.%' and json_typeof(m.value) = 'number') end`;
