import type { ClientBase } from "pg";
import type { Packet } from "./packet.ts";

/** The facts about a trace: the session and the turn that something in it named. */
export interface TraceRow {
  trace_id: string;
  session_id: string | null;
  turn_id: string | null;
}

/** Traces that are locked until the transaction ends. */
export interface LockedTraces {
  traces: Map<string, TraceRow>;
  /** Those that this transaction made. */
  made: ReadonlySet<string>;
}

const BY_ID = `select trace_id, session_id, turn_id from recorded_trace where organization_id = $1
  and trace_id between n.id and n.id order by trace_id limit 1`;

/**
 * Locks traces in one order, and makes missing ones with all that is known, so that a new one is written once. Raw SQL, as
 * all of this: docs/database.md says why.
 */
export async function lockTraces(
  client: ClientBase,
  { organizationId, now }: { organizationId: string; now: number },
  named: ReadonlyMap<string, TraceRow>,
): Promise<LockedTraces> {
  if (named.size === 0) return { traces: new Map(), made: new Set() };
  const sorted = [...named.values()].sort((a, b) => (a.trace_id < b.trace_id ? -1 : 1));
  const ids = sorted.map(({ trace_id }) => trace_id);
  const { rows: inserted } = await client.query<{ trace_id: string }>({
    name: "observe-traces",
    text: `insert into recorded_trace (organization_id, trace_id, session_id, turn_id, received_at)
      select $1, id, session_id, turn_id, to_timestamp($5::float8 / 1000)
      from unnest($2::text[], $3::uuid[], $4::uuid[]) n (id, session_id, turn_id)
      on conflict (organization_id, trace_id) do nothing returning trace_id`,
    values: [
      organizationId,
      ids,
      sorted.map(({ session_id }) => session_id),
      sorted.map(({ turn_id }) => turn_id),
      now,
    ],
  });
  const made = new Set(inserted.map(({ trace_id }) => trace_id));
  if (made.size === sorted.length) return { traces: new Map(named), made };
  const { rows } = await client.query<TraceRow>({
    name: "observe-traces-locked",
    text: `select t.* from unnest($2::text[]) n (id) cross join lateral (${BY_ID} for update) t`,
    values: [organizationId, ids],
  });
  return { traces: new Map(rows.map((row) => [row.trace_id, row])), made };
}

/** Traces of which nothing is known. */
export const newTraces = (ids: ReadonlySet<string>): Map<string, TraceRow> =>
  new Map([...ids].map((trace_id) => [trace_id, { trace_id, session_id: null, turn_id: null }]));

/** Traces as they are. Whoever changes one's turn holds its session, so the session's lock is enough. */
export async function readTraces(
  client: ClientBase,
  organizationId: string,
  traces: readonly string[],
): Promise<TraceRow[]> {
  if (traces.length === 0) return [];
  const { rows } = await client.query<TraceRow>({
    name: "observe-traces-read",
    text: `select t.* from unnest($2::text[]) n (id) cross join lateral (${BY_ID}) t`,
    values: [organizationId, traces],
  });
  return rows;
}

/** Writes what traces are known to belong to that were there before. As an insert, each is found by its key. */
export function writeTraces(
  packet: Packet,
  { organizationId, now }: { organizationId: string; now: number },
  traces: readonly TraceRow[],
): void {
  if (traces.length === 0) return;
  packet.push({
    name: "observe-trace-news",
    text: `insert into recorded_trace (organization_id, trace_id, session_id, turn_id, received_at)
      select $1, n.trace_id, n.session_id, n.turn_id, to_timestamp($3::float8 / 1000)
      from jsonb_to_recordset($2::jsonb) n (trace_id text, session_id uuid, turn_id uuid)
      on conflict (organization_id, trace_id) do update set
        session_id = excluded.session_id, turn_id = excluded.turn_id, received_at = excluded.received_at`,
    values: [organizationId, JSON.stringify(traces), now],
  });
}
