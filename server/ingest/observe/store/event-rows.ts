import type { ClientBase } from "pg";
import { countMarks } from "../../../../redaction/index.ts";
import {
  arrays,
  bool,
  type Copy,
  column,
  copyOf,
  int4,
  int8,
  json,
  nameList,
  numeric,
  text,
  timestamptz,
  unnestList,
  uuid,
} from "../../tuple/index.ts";
import type { EventRow } from "../fold/event.ts";
import type { CountedColumns } from "../fold/totals.ts";
import { COPY_FROM_ROWS, type Packet, sendPacket } from "./packet.ts";

/** Stored event with the columns that a fold compares. Events of capture-* have no part. */
export interface KnownEvent extends CountedColumns, Pick<EventRow, "event_id" | "session_id" | "received_at" | "open"> {
  part: string | null;
  digest: string | null;
}

/** Event to write. */
export interface NextEvent {
  row: EventRow;
  part: string;
  digest: string | null;
  /** Time at which the event changes without new reports, epoch ms. */
  due: number | null;
  /** True if no event is stored under the id. */
  isNew: boolean;
}

interface Owned {
  organization_id: string;
  row: EventRow;
  event: NextEvent;
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
  column("redacted", json, ({ row }: Owned) => countMarks([row.primitive_name, row.args, row.result, row.metadata])),
] as const;

const NAMES = nameList(COLUMNS);
const KEY = new Set(["organization_id", "event_id", "received_at"]);
const CHANGED = COLUMNS.map(({ name }) => name).filter((name) => !KEY.has(name));

/** Raw SQL, like all statements here: rows are passed as one list per column. An event of capture-* stays unchanged. */
const UPSERT = `insert into recorded_event as known (${NAMES}, sanitized)
  select ${NAMES}, 0 from ${unnestList(COLUMNS)} n (${NAMES})
  on conflict (organization_id, event_id) do update set ${CHANGED.map((name) => `${name} = excluded.${name}`).join(", ")}
  where known.part is not null`;

/**
 * Adds a COPY of the new events if there are many. The COPY fails with 23505 if an event exists by now. Returns the
 * events that must be written otherwise.
 */
export function copyEvents(copies: Copy[], organizationId: string, events: readonly NextEvent[]): readonly NextEvent[] {
  const fresh = events.filter(({ isNew }) => isNew);
  if (fresh.length < COPY_FROM_ROWS) return events;
  copies.push(copyOf("recorded_event", COPIED, rowsOf(organizationId, fresh)));
  return events.filter(({ isNew }) => !isNew);
}

export function writeEvents(packet: Packet, organizationId: string, events: readonly NextEvent[]): void {
  if (events.length === 0) return;
  const values = arrays(COLUMNS, rowsOf(organizationId, events));
  packet.push({ name: "observe-events", text: UPSERT, values });
}

/** Sorts rows, so that two transactions that write the same events wait for each other instead of deadlocking. */
const rowsOf = (organization_id: string, events: readonly NextEvent[]): Owned[] =>
  events
    .map((event) => ({ organization_id, row: event.row, event }))
    .sort((a, b) => (a.row.event_id < b.row.event_id ? -1 : 1));

const COPIED = [...COLUMNS, column("sanitized", int4, () => 0)];

/** Removes events that turned out to be part of other events. */
export function removeEvents(packet: Packet, organizationId: string, ids: readonly string[]): void {
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
 * Reads events by id, and all events of the given parts. Both lookups use keys, because PostgreSQL would otherwise scan
 * a whole organization for which it has no statistics. `offset 0` keeps the lookup by key: the observe-plans test fails
 * without it.
 */
export async function readKnownEvents(
  client: ClientBase,
  organizationId: string,
  { ids, parts }: { ids: readonly string[]; parts: readonly string[] },
): Promise<Map<string, KnownEvent>> {
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
  ])) as KnownEvent[][];
  return new Map([...byId, ...byPart].map((event) => [event.event_id, event]));
}

/** Joins UUIDs to the text of an array, because the driver would build an array element by element. */
const uuidList = (ids: readonly string[]): string => `{${ids.join()}}`;
