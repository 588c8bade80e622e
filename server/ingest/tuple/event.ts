import { type CapturedEventKind, eventEndMs, getCapturedEventKind } from "../../resources/recorded/kinds.ts";
import type { CapturedEventRow } from "../rules/event.ts";
import { beginArray, type Column, column, columnNamesSql } from "./columns.ts";
import { type CopyStatement, createCopyWithRowWriter } from "./copy.ts";
import { numeric } from "./numeric.ts";
import { bool, int4, int8, json, text, timestamptz, uuid } from "./types.ts";
import { putByteRange, putInt16, type Writer, writtenBytes } from "./writer.ts";

/** Event ready for storage: its tuple in the binary format of COPY, and the values that the store needs. */
export interface EncodedEvent {
  event_id: string;
  session_id: string;
  /** Session id that the caller sent, if that id is not a UUID. */
  external_id: string | null;
  timestamp: number;
  received_at: number;
  /** End of the event, epoch ms. */
  ended_at: number;
  success: boolean;
  kind: CapturedEventKind;
  /** Model, token counts and cost in the metadata. */
  measured: EventMeasurements | null;
  /** Position of the tuple. */
  tuples: Writer;
  from: number;
  end: number;
}

/** Model, token counts and cost of an event. Costs are in billionths of a US dollar, so that sums are exact. */
export interface EventMeasurements {
  model?: string;
  input_tokens?: number;
  output_tokens?: number;
  cache_read_tokens?: number;
  cache_write_tokens?: number;
  cost?: number;
  /** Cost computed with the prices at the event's time, unless the agent reported a cost. */
  computed_cost?: number;
}

interface Owned {
  organization_id: string;
  row: CapturedEventRow;
}

/** Row that contains an encoded event. */
interface Encoded {
  row: EncodedEvent;
}

/** Columns that a commit writes, in the order of the tuple. No other code depends on the order. */
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

export type EventColumn = (typeof COLUMNS)[number]["name"];

export const EVENT_COLUMNS: readonly Column<Owned, EventColumn>[] = COLUMNS;

export const EVENT_COLUMN_NAMES_SQL = columnNamesSql(EVENT_COLUMNS);

/** Writes the tuple of an organization's event. */
export function encodeEvent(tuples: Writer, organization_id: string, row: CapturedEventRow): EncodedEvent {
  const from = tuples.at;
  putInt16(tuples, EVENT_COLUMNS.length);
  const owned = { organization_id, row };
  for (const { put } of EVENT_COLUMNS) put(tuples, owned);
  // Lists the members explicitly, because object spreads would take longer than writing the tuple.
  return {
    event_id: row.event_id,
    session_id: row.session_id,
    external_id: row.external_id,
    timestamp: row.timestamp,
    received_at: row.received_at,
    ended_at: eventEndMs(row),
    success: row.success,
    kind: getCapturedEventKind(row.primitive_type, row.parent_id !== null),
    measured: row.measured,
    tuples,
    from,
    end: tuples.at,
  };
}

export const createEventCopy = (events: readonly Encoded[]): CopyStatement =>
  createCopyWithRowWriter("recorded_event", EVENT_COLUMN_NAMES_SQL, (to) => {
    for (const { row } of events) putByteRange(to, row.tuples.buffer, row.from, row.end);
  });

/** Returns one binary array per column, for `unnestColumnsSql`. Values have the same encoding in arrays and tuples. */
export function tuplesToColumnArrays(events: readonly Encoded[]): Buffer[] {
  const columns = EVENT_COLUMNS.map(({ oid }) => beginArray(oid, events.length));
  for (const { row } of events) {
    const { buffer } = row.tuples;
    let at = row.from + 2;
    for (const column of columns) {
      const end = at + 4 + Math.max(0, buffer.readInt32BE(at));
      putByteRange(column, buffer, at, end);
      at = end;
    }
  }
  return columns.map(writtenBytes);
}
