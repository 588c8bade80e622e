import { endedAt, type SentKind, sentKind } from "../../resources/recorded/kinds.ts";
import type { EventRow } from "../rules/event.ts";
import { arrayOf, type Column, column, nameList } from "./columns.ts";
import { type Copy, copyInto } from "./copy.ts";
import { numeric } from "./numeric.ts";
import { bool, int4, int8, json, text, timestamptz, uuid } from "./types.ts";
import { putCopy, putInt16, type Writer, written } from "./writer.ts";

/** An event on its way into the store: its tuple, in the binary format of COPY, and what the store asks of it. */
export interface EncodedEvent {
  event_id: string;
  session_id: string;
  /** The session's own spelling, where that is no UUID. */
  external_id: string | null;
  timestamp: number;
  received_at: number;
  /** When it ended. */
  ended_at: number;
  success: boolean;
  kind: SentKind;
  /** Tokens and the like that its metadata carries. */
  measured: Measured | null;
  /** The place of the tuple. */
  tuples: Writer;
  from: number;
  end: number;
}

/** Model, tokens and cost of an event; cost in billionths of a dollar, so that sums are exact. */
export interface Measured {
  model?: string;
  input_tokens?: number;
  output_tokens?: number;
  cache_read_tokens?: number;
  cache_write_tokens?: number;
  cost?: number;
  /** The cost by the prices of its time, unless one was reported. */
  computed_cost?: number;
}

interface Owned {
  organization_id: string;
  row: EventRow;
}

/** A row that holds an encoded event. */
interface Encoded {
  row: EncodedEvent;
}

/** The columns that a commit writes, in the order in which a tuple holds them; nothing else knows the order. */
const COLUMNS = [
  column("organization_id", uuid, (event: Owned) => event.organization_id),
  column("event_id", uuid, ({ row }: Owned) => row.event_id),
  column("session_id", uuid, ({ row }: Owned) => row.session_id),
  column("parent_id", uuid, ({ row }: Owned) => row.parent_id),
  column("timestamp", timestamptz, ({ row }: Owned) => row.timestamp),
  column("received_at", timestamptz, ({ row }: Owned) => row.received_at),
  column("latency", int8, ({ row }: Owned) => row.latency),
  column("sanitized", int4, ({ row }: Owned) => row.sanitized),
  column("timestamp_sent", bool, ({ row }: Owned) => row.timestamp_sent),
  column("success", bool, ({ row }: Owned) => row.success),
  column("primitive_name", text, ({ row }: Owned) => row.primitive_name),
  column("primitive_type", text, ({ row }: Owned) => row.primitive_type),
  column("args", text, ({ row }: Owned) => row.args),
  column("result", text, ({ row }: Owned) => row.result),
  column("metadata", json, ({ row }: Owned) => row.metadata),
  column("message", text, ({ row }: Owned) => row.message),
  column("redacted", json, ({ row }: Owned) => row.redacted),
  column("computed_cost", numeric, ({ row }: Owned) => row.computed_cost),
] as const;

/** A column of an event's tuple. */
export type EventColumn = (typeof COLUMNS)[number]["name"];

export const EVENT_COLUMNS: readonly Column<Owned, EventColumn>[] = COLUMNS;

/** The names of the columns, in order. */
export const EVENT_NAMES = nameList(EVENT_COLUMNS);

/** Writes the tuple of an event of an organization. */
export function encodeEvent(tuples: Writer, organization_id: string, row: EventRow): EncodedEvent {
  const from = tuples.at;
  putInt16(tuples, EVENT_COLUMNS.length);
  const owned = { organization_id, row };
  for (const { put } of EVENT_COLUMNS) put(tuples, owned);
  // Written out: to spread objects into one another takes longer here than to write the tuple.
  return {
    event_id: row.event_id,
    session_id: row.session_id,
    external_id: row.external_id,
    timestamp: row.timestamp,
    received_at: row.received_at,
    ended_at: endedAt(row),
    success: row.success,
    kind: sentKind(row.primitive_type, row.parent_id !== null),
    measured: row.measured,
    tuples,
    from,
    end: tuples.at,
  };
}

/** A COPY of encoded events. */
export const copyOfEvents = (events: readonly Encoded[]): Copy =>
  copyInto("recorded_event", EVENT_NAMES, (to) => {
    for (const { row } of events) putCopy(to, row.tuples.buffer, row.from, row.end);
  });

/** One binary array for each column, as `unnestList` takes them: their values are spelled like those of a tuple. */
export function tupleArrays(events: readonly Encoded[]): Buffer[] {
  const columns = EVENT_COLUMNS.map(({ oid }) => arrayOf(oid, events.length));
  for (const { row } of events) {
    const { buffer } = row.tuples;
    let at = row.from + 2;
    for (const column of columns) {
      const end = at + 4 + Math.max(0, buffer.readInt32BE(at));
      putCopy(column, buffer, at, end);
      at = end;
    }
  }
  return columns.map(written);
}
