import type { ClientBase } from "pg";
import { countRedactionMarksAsJson } from "../../../../redaction/index.ts";
import {
  bool,
  type CopyStatement,
  column,
  columnArrays,
  columnNamesSql,
  createCopyOfRows,
  int4,
  int8,
  json,
  numeric,
  text,
  timestamptz,
  unnestColumnsSql,
  uuid,
} from "../../tuple/index.ts";
import type { FoldedEventRow } from "../fold/event.ts";
import type { CountedColumns } from "../fold/totals.ts";
import { MIN_ROWS_FOR_COPY, type StatementPacket, sendPacket } from "./packet.ts";

/**
 * Stored event, with the columns that are compared with the result of a fold. For events that were stored by capture-*,
 * `part` is null.
 */
export interface StoredEvent
  extends CountedColumns,
    Pick<FoldedEventRow, "event_id" | "session_id" | "received_at" | "open"> {
  part: string | null;
  digest: string | null;
}

export interface EventToWrite {
  row: FoldedEventRow;
  part: string;
  digest: string | null;
  /** Time at which the event changes without new reports, epoch ms. */
  due: number | null;
  /** True if no event is stored under the id. */
  isNew: boolean;
}

interface Owned {
  organization_id: string;
  row: FoldedEventRow;
  event: EventToWrite;
}

const COLUMNS = [
  column("organization_id", uuid, ({ organization_id }: Owned) => organization_id),
  column("event_id", uuid, ({ row }: Owned) => row.event_id),
  column("session_id", uuid, ({ row }: Owned) => row.session_id),
  column("parent_id", uuid, ({ row }: Owned) => row.parent_id),
  column("timestamp", timestamptz, ({ row }: Owned) => row.timestamp),
  column("received_at", timestamptz, ({ row }: Owned) => row.received_at),
  column("latency", int8, ({ row }: Owned) => row.latency),
  column("timestamp_sent", bool, ({ row }: Owned) => row.timestamp_sent),
  column("success", bool, ({ row }: Owned) => row.success),
  column("primitive_name", text, ({ row }: Owned) => row.primitive_name),
  column("primitive_type", text, ({ row }: Owned) => row.primitive_type),
  column("args", text, ({ row }: Owned) => row.args),
  column("result", text, ({ row }: Owned) => row.result),
  column("metadata", json, ({ row }: Owned) => row.metadata),
  column("kind", text, ({ row }: Owned) => row.kind),
  column("open", bool, ({ row }: Owned) => row.open),
  column("model", text, ({ row }: Owned) => row.model),
  column("input_tokens", int8, ({ row }: Owned) => row.input_tokens),
  column("output_tokens", int8, ({ row }: Owned) => row.output_tokens),
  column("cache_read_tokens", int8, ({ row }: Owned) => row.cache_read_tokens),
  column("cache_write_tokens", int8, ({ row }: Owned) => row.cache_write_tokens),
  column("message", text, ({ row }: Owned) => row.message),
  column("part", uuid, ({ event }: Owned) => event.part),
  column("digest", text, ({ event }: Owned) => event.digest),
  column("cost", numeric, ({ row }: Owned) => row.cost),
  column("computed_cost", numeric, ({ row }: Owned) => row.computed_cost),
  column("redacted", json, ({ row }: Owned) =>
    countRedactionMarksAsJson([row.primitive_name, row.args, row.result, row.metadata]),
  ),
] as const;

const NAMES = columnNamesSql(COLUMNS);
const KEY = new Set(["organization_id", "event_id", "received_at"]);
const CHANGED = COLUMNS.map(({ name }) => name).filter((name) => !KEY.has(name));

/** Raw SQL, like all statements here: rows are passed as one list per column. An event of capture-* stays unchanged. */
const UPSERT = `insert into recorded_event as known (${NAMES}, sanitized)
  select ${NAMES}, 0 from ${unnestColumnsSql(COLUMNS)} n (${NAMES})
  on conflict (organization_id, event_id) do update set ${CHANGED.map((name) => `${name} = excluded.${name}`).join(", ")}
  where known.part is not null`;

/**
 * If there are many new events, adds a COPY of them to `copies`. The COPY fails with 23505 if one of the events is
 * already stored. Returns the events that are not in the COPY and must be written in another way.
 */
export function addEventCopies(
  copies: CopyStatement[],
  organizationId: string,
  events: readonly EventToWrite[],
): readonly EventToWrite[] {
  const fresh = events.filter(({ isNew }) => isNew);
  if (fresh.length < MIN_ROWS_FOR_COPY) return events;
  copies.push(createCopyOfRows("recorded_event", COPIED, rowsOf(organizationId, fresh)));
  return events.filter(({ isNew }) => !isNew);
}

export function writeEvents(packet: StatementPacket, organizationId: string, events: readonly EventToWrite[]): void {
  if (events.length === 0) return;
  const values = columnArrays(COLUMNS, rowsOf(organizationId, events));
  packet.push({ name: "observe-events", text: UPSERT, values });
}

/** Sorts rows, so that two transactions that write the same events wait for each other instead of deadlocking. */
const rowsOf = (organization_id: string, events: readonly EventToWrite[]): Owned[] =>
  events
    .map((event) => ({ organization_id, row: event.row, event }))
    .sort((a, b) => (a.row.event_id < b.row.event_id ? -1 : 1));

const COPIED = [...COLUMNS, column("sanitized", int4, () => 0)];

/** Removes events that turned out to be part of other events. */
export function removeEvents(packet: StatementPacket, organizationId: string, ids: readonly string[]): void {
  for (const id of ids) {
    packet.push({
      name: "observe-gone",
      text: `delete from recorded_event where organization_id = $1 and part is not null and ctid = (select ctid
        from recorded_event where organization_id = $1 and event_id between $2 and $2 order by event_id limit 1)`,
      values: [organizationId, id],
    });
  }
}

const KNOWN = `select event_id, session_id, part, digest, kind, open, success, model, cost::text as cost, computed_cost::text as computed_cost,
    (extract(epoch from timestamp) * 1000)::float8 as timestamp, (extract(epoch from received_at) * 1000)::float8 as received_at,
    latency::float8 as latency, input_tokens::float8 as input_tokens, output_tokens::float8 as output_tokens,
    cache_read_tokens::float8 as cache_read_tokens, cache_write_tokens::float8 as cache_write_tokens
  from recorded_event where organization_id = $1`;

/**
 * Reads the events with the given ids and all events of the given parts. Both statements look up rows by key, because
 * PostgreSQL would otherwise scan all rows of an organization for which it has no statistics. `offset 0` ensures the
 * lookup by key: without it, the observe-plans test fails.
 */
export async function readStoredEvents(
  client: ClientBase,
  organizationId: string,
  { ids, parts }: { ids: readonly string[]; parts: readonly string[] },
): Promise<Map<string, StoredEvent>> {
  const [byId = [], byPart = []] = (await sendPacket(client, [
    {
      name: "observe-events-known",
      text: `select e.* from unnest($2::uuid[]) n (id)
        cross join lateral (${KNOWN} and event_id between n.id and n.id order by event_id limit 1) e`,
      values: [organizationId, uuidList(ids)],
    },
    {
      name: "observe-events-of",
      text: `select e.* from unnest($2::uuid[]) n (id) cross join lateral (${KNOWN} and part between n.id and n.id order by part offset 0) e`,
      values: [organizationId, uuidList(parts)],
    },
  ])) as StoredEvent[][];
  return new Map([...byId, ...byPart].map((event) => [event.event_id, event]));
}

/** Joins UUIDs to the text of an array, because the driver would build an array element by element. */
const uuidList = (ids: readonly string[]): string => `{${ids.join()}}`;
