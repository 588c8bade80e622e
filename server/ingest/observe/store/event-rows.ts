import type { ClientBase } from "pg";
import {
  arrays,
  bool,
  column,
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

/** An event as it is stored: what is shown of it, and what is known. */
export interface StoredEvent {
  row: EventRow;
  facts: Facts;
  /** The event of the span around it, where one is known. */
  above: string | null;
}

interface Owned extends StoredEvent {
  organization_id: string;
}

const COLUMNS = [
  column("organization_id", uuid, (event: Owned) => event.organization_id),
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
  column("error_message", text, ({ row }: Owned) => row.error_message),
  column("observed", jsonb, (event: Owned) => JSON.stringify(stateOf(event))),
  column("cost", text, ({ row }: Owned) => row.cost),
] as const;

const NAMES = nameList(COLUMNS);
const KEY = new Set(["organization_id", "event_id", "received_at"]);
const CHANGED = COLUMNS.map(({ name }) => name).filter((name) => !KEY.has(name));

/** Raw SQL, as all of this: rows travel as one list a column. An event of capture-*, or of another session, stays. */
const UPSERT = `insert into recorded_event as known (${NAMES}, sanitized)
  select ${NAMES.replace(/\bcost\b/, "cost::numeric")}, 0 from ${unnestList(COLUMNS)} n (${NAMES})
  on conflict (organization_id, event_id) do update set ${CHANGED.map((name) => `${name} = excluded.${name}`).join(", ")}
  where known.observed is not null and known.session_id = excluded.session_id
  returning event_id`;

/** Writes events; answers the ids of those that were. */
export async function writeEvents(
  client: ClientBase,
  organization_id: string,
  events: readonly StoredEvent[],
): Promise<Set<string>> {
  if (events.length === 0) return new Set();
  const rows = events
    .map((event) => ({ ...event, organization_id }))
    .sort((a, b) => (a.row.event_id < b.row.event_id ? -1 : 1));
  const values = arrays(COLUMNS, rows);
  const result = await client.query<{ event_id: string }>({ name: "observe-events", text: UPSERT, values });
  return new Set(result.rows.map(({ event_id }) => event_id));
}

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

/** Removes events that turned out to be part of others. */
export async function removeEvents(client: ClientBase, organizationId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const text = `delete from recorded_event where organization_id = $1 and event_id = any($2) and observed is not null`;
  await client.query({ text, values: [organizationId, ids] });
}

/** The long texts stand in their own columns; what a failure hides stays with the state. */
function stateOf({ facts, row, above }: StoredEvent): object {
  const { args, result, ...state } = facts;
  return {
    ...state,
    ...(above !== null && { above }),
    ...(args && { args: { truncated: args.truncated } }),
    ...(result && { result: result.text === row.result ? { truncated: result.truncated } : result }),
  };
}

const SELECT = `select event_id, session_id, parent_id, (extract(epoch from timestamp) * 1000)::float8 as timestamp,
    timestamp_sent, (extract(epoch from received_at) * 1000)::float8 as received_at, latency::float8 as latency, success,
    primitive_name, primitive_type, args, result, metadata::text as metadata, kind, open, model,
    input_tokens::float8 as input_tokens, output_tokens::float8 as output_tokens,
    cache_read_tokens::float8 as cache_read_tokens, cache_write_tokens::float8 as cache_write_tokens,
    cost::text as cost, error_message, observed
  from recorded_event where organization_id = $1`;

/** Events by their ids, and those of sessions that are wholly provisional. Events of capture-* come without facts. */
export async function readEvents(
  client: ClientBase,
  organizationId: string,
  { ids, sessions }: { ids: readonly string[]; sessions: readonly string[] },
): Promise<(StoredEvent | { row: EventRow; facts: null })[]> {
  const found: Read[] = [];
  if (ids.length > 0) found.push(...(await read(client, "event_id = any($2)", [organizationId, ids])));
  if (sessions.length > 0) found.push(...(await read(client, "session_id = any($2)", [organizationId, sessions])));
  return found.map(({ observed, ...row }) =>
    observed ? { row, facts: factsIn(observed, row), above: observed.above ?? null } : { row, facts: null },
  );
}

type State = Facts & { above?: string };
type Read = EventRow & { observed: State | null };

async function read(client: ClientBase, where: string, values: unknown[]): Promise<Read[]> {
  return (await client.query<Read>({ text: `${SELECT} and ${where}`, values })).rows;
}

function factsIn(observed: State, row: EventRow): Facts {
  const { args, result, above: _above, ...state } = observed;
  const truncated = (text: { truncated?: boolean }) => (text.truncated ? { truncated: true } : {});
  return {
    ...state,
    ...(args && { args: { text: row.args, ...truncated(args) } }),
    ...(result && { result: { text: result.text ?? row.result, ...truncated(result) } }),
  };
}
