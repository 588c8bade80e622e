import type { ClientBase } from "pg";
import { marksIn } from "../../../redaction/index.ts";
import {
  arrays,
  bool,
  column,
  int4,
  int8,
  json,
  jsonb,
  nameList,
  text,
  timestamptz,
  unnestList,
  uuid,
} from "../../tuple/index.ts";
import type { Facts } from "../facts.ts";
import type { EventRow } from "../project.ts";
import { type Copy, copyOf, MANY } from "./copy-rows.ts";
import { factsIn, type State, stateOf } from "./event-state.ts";
import { numeric } from "./numeric.ts";
import { type Packet, sendPacket } from "./packet.ts";

/** An event as it is stored: what is shown of it, and what is known. */
export interface StoredEvent {
  row: EventRow;
  facts: Facts;
  /** The event of the span around it, where one is known. */
  above: string | null;
}

type Read = EventRow & { observed: State | null };

/** An event that is to be written. */
export interface SettledEvent extends StoredEvent {
  /** Nothing was stored under its id when it was read. */
  isNew: boolean;
}

interface Owned {
  organization_id: string;
  row: EventRow;
  event: StoredEvent;
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
  column("observed", jsonb, ({ event }: Owned) => stateOf(event)),
  column("cost", numeric, ({ row }: Owned) => row.cost),
  column("redacted", json, ({ row }: Owned) => marksIn([row.primitive_name, row.args, row.result, row.metadata])),
] as const;

const NAMES = nameList(COLUMNS);
const KEY = new Set(["organization_id", "event_id", "received_at"]);
const CHANGED = COLUMNS.map(({ name }) => name).filter((name) => !KEY.has(name));

/** Raw SQL, as all of this: rows travel as one list a column. An event of capture-*, or of another session, stays. */
const UPSERT = `insert into recorded_event as known (${NAMES}, sanitized)
  select ${NAMES}, 0 from ${unnestList(COLUMNS)} n (${NAMES})
  on conflict (organization_id, event_id) do update set ${CHANGED.map((name) => `${name} = excluded.${name}`).join(", ")}
  where known.observed is not null and known.session_id = excluded.session_id`;

/** Has events copied that are new, if there are many: it fails with 23505 where one is there by now. Answers the others. */
export function copyEvents(
  copies: Copy[],
  organizationId: string,
  events: readonly SettledEvent[],
): readonly SettledEvent[] {
  const fresh = events.filter(({ isNew }) => isNew);
  if (fresh.length < MANY) return events;
  copies.push(copyOf("recorded_event", COPIED, rowsOf(organizationId, fresh)));
  return events.filter(({ isNew }) => !isNew);
}

/** Writes events. */
export function writeEvents(packet: Packet, organizationId: string, events: readonly SettledEvent[]): void {
  if (events.length === 0) return;
  const values = arrays(COLUMNS, rowsOf(organizationId, events));
  packet.push({ name: "observe-events", text: UPSERT, values });
}

/** In one order, so that two that write the same wait for each other. */
const rowsOf = (organization_id: string, events: readonly StoredEvent[]): Owned[] =>
  events
    .map((event) => ({ organization_id, row: event.row, event }))
    .sort((a, b) => (a.row.event_id < b.row.event_id ? -1 : 1));

const COPIED = [...COLUMNS, column("sanitized", int4, () => 0)];

/** Events at most that a turn draws to itself when it comes after them. */
const MAX_FOLLOWING = 2_000;

/** Events of sessions from a moment on. */
export async function readFollowing(
  client: ClientBase,
  organizationId: string,
  from: readonly { session_id: string; at: number }[],
): Promise<string[]> {
  if (from.length === 0) return [];
  const { rows } = await client.query<{ event_id: string }>({
    name: "observe-following",
    text: `select e.event_id from unnest($2::uuid[], $3::float8[]) n (session_id, at) cross join lateral (
        select event_id from recorded_event where organization_id = $1 and session_id = n.session_id
          and timestamp >= to_timestamp(n.at / 1000) order by timestamp, event_id limit ${MAX_FOLLOWING}) e`,
    values: [organizationId, from.map(({ session_id }) => session_id), from.map(({ at }) => at)],
  });
  return rows.map(({ event_id }) => event_id);
}

/** SQL of the place of the event with the id $2. */
export const CTID =
  "select ctid from recorded_event where organization_id = $1 and event_id between $2 and $2 order by event_id limit 1";

/** Removes events that turned out to be part of others. */
export function removeEvents(packet: Packet, organizationId: string, ids: readonly string[]): void {
  for (const id of ids) {
    packet.push({
      name: "observe-gone",
      text: `delete from recorded_event where organization_id = $1 and observed is not null and ctid = (${CTID})`,
      values: [organizationId, id],
    });
  }
}

const SELECT = `select event_id, session_id, parent_id, (extract(epoch from timestamp) * 1000)::float8 as timestamp,
    timestamp_sent, (extract(epoch from received_at) * 1000)::float8 as received_at, latency::float8 as latency, success,
    primitive_name, primitive_type, args, result, metadata::text as metadata, kind, open, model,
    input_tokens::float8 as input_tokens, output_tokens::float8 as output_tokens,
    cache_read_tokens::float8 as cache_read_tokens, cache_write_tokens::float8 as cache_write_tokens,
    cost::text as cost, message, observed
  from recorded_event where organization_id = $1`;

/**
 * Each by its id: left alone, PostgreSQL reads all of an organization it has no statistics of.
 * `offset 0` keeps the lookup by key: the observe-plans test fails without it.
 */
const BY_ID = `select e.* from (select unnest($2::uuid[]) union
    select o.event_id from unnest($3::uuid[]) s cross join lateral (
      select event_id from recorded_open where organization_id = $1 and session_id = s offset 0) o) n (id) cross join lateral (${SELECT} and event_id between n.id and n.id order by event_id limit 1) e`;

/** The events to read: by their ids, those that are open in some sessions, and all of others. */
export interface Which {
  ids: readonly string[];
  openIn: readonly string[];
  sessions: readonly string[];
}

/**
 * Reads events. Those of capture-* come without facts.
 * `offset 0` keeps the lookup by key: the observe-plans test fails without it.
 */
export async function readEvents(
  client: ClientBase,
  organizationId: string,
  { ids, openIn, sessions }: Which,
): Promise<(StoredEvent | { row: EventRow; facts: null })[]> {
  const packet: Packet = [];
  if (ids.length > 0 || openIn.length > 0)
    packet.push({
      name: "observe-events-known",
      text: BY_ID,
      values: [organizationId, uuidList(ids), uuidList(openIn)],
    });
  if (sessions.length > 0)
    packet.push({
      name: "observe-events-of",
      text: `select e.* from unnest($2::uuid[]) s cross join lateral (${SELECT} and session_id = s offset 0) e`,
      values: [organizationId, uuidList(sessions)],
    });
  const found = (await sendPacket(client, packet)) as Read[][];
  return found
    .flat()
    .map(({ observed, ...row }) =>
      observed ? { row, facts: factsIn(observed, row), above: observed.above ?? null } : { row, facts: null },
    );
}

/** UUIDs as the text of an array, which a driver would put together piece by piece. */
const uuidList = (ids: readonly string[]): string => `{${ids.join()}}`;
