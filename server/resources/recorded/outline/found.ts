import type { Build } from "../../../read/entity.ts";
import type { Selection } from "../../../read/selection.ts";
import { bytesOf, comparable, holds, isAscii, rowsOf } from "../../searched.ts";
import { atMost, within } from "../bounds.ts";
import { bound, conditions, events } from "./events.ts";

/** Bounds of one answer, beside those of all searches of a request. */
const DEFAULT_READ = 10_000;
const MAX_READ = 100_000;

/**
 * SQL of the events that hold a text (`shown`) and of the last one that was read (`reached`). No index has their words:
 * it would cost each event more than storing it. So they are read in their order until there are enough, or a bound is
 * met, and the next answer goes on from there.
 */
export function found(build: Build, selection: Selection, columns: string, size: string): string {
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
