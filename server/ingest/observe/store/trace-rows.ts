import type { ClientBase } from "pg";
import { MAX_SPANS } from "../bounds.ts";

/** What is known of a trace: the session and the turn that something in it named. */
export interface TraceRow {
  trace_id: string;
  session_id: string | null;
  turn_id: string | null;
}

/** A span, or an event that is no span, in a trace. */
export interface SpanRow {
  trace_id: string;
  span_id: string;
  parent_span_id: string | null;
  /** The event it is. */
  event_id: string | null;
  /** The event above it, as it was found last. */
  above_id: string | null;
}

/** Raw SQL, as all of this: docs/database.md says why. Locks traces in one order, those that are new too. */
export async function lockTraces(
  client: ClientBase,
  { organizationId, now }: { organizationId: string; now: number },
  traces: readonly string[],
): Promise<Map<string, TraceRow>> {
  if (traces.length === 0) return new Map();
  const sorted = [...traces].sort();
  await client.query({
    name: "observe-traces",
    text: `insert into recorded_trace (organization_id, trace_id, received_at)
      select $1, id, to_timestamp($3::float8 / 1000) from unnest($2::text[]) n (id) on conflict (organization_id, trace_id) do nothing`,
    values: [organizationId, sorted, now],
  });
  const { rows } = await client.query<TraceRow>({
    name: "observe-traces-locked",
    text: `select trace_id, session_id, turn_id from recorded_trace
      where organization_id = $1 and trace_id = any($2) order by trace_id for update`,
    values: [organizationId, sorted],
  });
  return new Map(rows.map((row) => [row.trace_id, row]));
}

/** Traces as they are. Whoever changes one's turn holds its session, so the session's lock is enough. */
export async function readTraces(
  client: ClientBase,
  organizationId: string,
  traces: readonly string[],
): Promise<TraceRow[]> {
  if (traces.length === 0) return [];
  const text = `select trace_id, session_id, turn_id from recorded_trace where organization_id = $1 and trace_id = any($2)`;
  return (await client.query<TraceRow>({ text, values: [organizationId, traces] })).rows;
}

/** Writes what traces are known to belong to. */
export async function writeTraces(
  client: ClientBase,
  { organizationId, now }: { organizationId: string; now: number },
  traces: readonly TraceRow[],
): Promise<void> {
  if (traces.length === 0) return;
  await client.query({
    name: "observe-trace-news",
    text: `update recorded_trace t set session_id = n.session_id, turn_id = n.turn_id, received_at = to_timestamp($3::float8 / 1000)
      from jsonb_to_recordset($2::jsonb) n (trace_id text, session_id uuid, turn_id uuid)
      where t.organization_id = $1 and t.trace_id = n.trace_id`,
    values: [organizationId, JSON.stringify(traces), now],
  });
}

/** The spans of traces, as many as a trace remembers. */
export async function readSpans(
  client: ClientBase,
  organizationId: string,
  traces: readonly string[],
): Promise<SpanRow[]> {
  if (traces.length === 0) return [];
  const { rows } = await client.query<SpanRow>({
    name: "observe-spans",
    text: `select s.* from unnest($2::text[]) t (id) cross join lateral (
        select trace_id, span_id, parent_span_id, event_id, above_id from recorded_span
        where organization_id = $1 and trace_id = t.id limit ${MAX_SPANS}) s`,
    values: [organizationId, traces],
  });
  return rows;
}

/** Writes spans that are new or have changed. */
export async function writeSpans(client: ClientBase, organizationId: string, spans: readonly SpanRow[]): Promise<void> {
  if (spans.length === 0) return;
  await client.query({
    name: "observe-span-news",
    text: `insert into recorded_span (organization_id, trace_id, span_id, parent_span_id, event_id, above_id)
      select $1, trace_id, span_id, parent_span_id, event_id, above_id from jsonb_to_recordset($2::jsonb)
        n (trace_id text, span_id text, parent_span_id text, event_id uuid, above_id uuid)
      on conflict (organization_id, trace_id, span_id) do update set
        parent_span_id = excluded.parent_span_id, event_id = excluded.event_id, above_id = excluded.above_id`,
    values: [organizationId, JSON.stringify(spans)],
  });
}
