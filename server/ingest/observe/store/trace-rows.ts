import type { ClientBase } from "pg";
import { arrays, column, nameList, text, unnestList, uuid } from "../../tuple/index.ts";
import { MAX_SPANS } from "../bounds.ts";
import { copyRows, MANY } from "./copy-rows.ts";

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
  /** It was not stored yet. */
  isNew?: boolean;
}

/** Traces that are locked until the transaction ends. */
export interface LockedTraces {
  traces: Map<string, TraceRow>;
  /** Those that this transaction made. */
  made: ReadonlySet<string>;
}

/** Raw SQL, as all of this: docs/database.md says why. Locks traces in one order, those that are new too. */
export async function lockTraces(
  client: ClientBase,
  { organizationId, now }: { organizationId: string; now: number },
  traces: readonly string[],
): Promise<LockedTraces> {
  if (traces.length === 0) return { traces: new Map(), made: new Set() };
  const sorted = [...traces].sort();
  const { rows: inserted } = await client.query<{ trace_id: string }>({
    name: "observe-traces",
    text: `insert into recorded_trace (organization_id, trace_id, received_at)
      select $1, id, to_timestamp($3::float8 / 1000) from unnest($2::text[]) n (id)
      on conflict (organization_id, trace_id) do nothing returning trace_id`,
    values: [organizationId, sorted, now],
  });
  const made = new Set(inserted.map(({ trace_id }) => trace_id));
  if (made.size === sorted.length) return { traces: new Map(sorted.map((id) => [id, newTrace(id)])), made };
  const { rows } = await client.query<TraceRow>({
    name: "observe-traces-locked",
    text: `select trace_id, session_id, turn_id from recorded_trace
      where organization_id = $1 and trace_id = any($2) order by trace_id for update`,
    values: [organizationId, sorted],
  });
  return { traces: new Map(rows.map((row) => [row.trace_id, row])), made };
}

const newTrace = (trace_id: string): TraceRow => ({ trace_id, session_id: null, turn_id: null });

/** Traces as they are. Whoever changes one's turn holds its session, so the session's lock is enough. */
export async function readTraces(
  client: ClientBase,
  organizationId: string,
  traces: readonly string[],
): Promise<TraceRow[]> {
  if (traces.length === 0) return [];
  const { rows } = await client.query<TraceRow>({
    name: "observe-traces-read",
    text: "select trace_id, session_id, turn_id from recorded_trace where organization_id = $1 and trace_id = any($2)",
    values: [organizationId, traces],
  });
  return rows;
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

interface Owned {
  organization_id: string;
  span: SpanRow;
}

const COLUMNS = [
  column("organization_id", uuid, ({ organization_id }: Owned) => organization_id),
  column("trace_id", text, ({ span }: Owned) => span.trace_id),
  column("span_id", text, ({ span }: Owned) => span.span_id),
  column("parent_span_id", text, ({ span }: Owned) => span.parent_span_id),
  column("event_id", uuid, ({ span }: Owned) => span.event_id),
  column("above_id", uuid, ({ span }: Owned) => span.above_id),
] as const;
const NAMES = nameList(COLUMNS);

/** Writes spans that have changed. Whoever writes spans holds their trace, so those that were not read are copied where that can be done. */
export async function writeSpans(
  client: ClientBase,
  { organizationId, mayCopy }: { organizationId: string; mayCopy: boolean },
  changed: readonly SpanRow[],
): Promise<void> {
  const rows = changed.map((span) => ({ organization_id: organizationId, span }));
  const fresh = mayCopy ? rows.filter(({ span }) => span.isNew) : [];
  const copied = fresh.length >= MANY;
  if (copied) await copyRows(client, "recorded_span", COLUMNS, fresh);
  const rest = copied ? rows.filter(({ span }) => !span.isNew) : rows;
  if (rest.length === 0) return;
  await client.query({
    name: "observe-span-news",
    text: `insert into recorded_span (${NAMES}) select * from ${unnestList(COLUMNS)}
      on conflict (organization_id, trace_id, span_id) do update set
        parent_span_id = excluded.parent_span_id, event_id = excluded.event_id, above_id = excluded.above_id`,
    values: arrays(COLUMNS, rest),
  });
}
