import { MAX_SPANS } from "../../rules/bounds.ts";
import type { Batch, KeptObservation } from "../batch.ts";
import type { SpanRow } from "../store/span-rows.ts";
import { isMatched } from "./cluster.ts";

/** An event that was reported for a span which another event holds. */
interface Claim {
  row: SpanRow;
  event_id: string;
}

/** The spans of the batch's traces, with those of the batch itself. */
export interface Spans {
  byTrace: Map<string, Map<string, SpanRow>>;
  changed: Set<SpanRow>;
  /** Spans that a batch reports as another event than the one that holds them. */
  claims: Claim[];
}

/** Adds the spans of a batch to those that are known. */
export function addSpans(known: readonly SpanRow[], kept: readonly KeptObservation[]): Spans {
  const spans: Spans = { byTrace: new Map(), changed: new Set(), claims: [] };
  for (const row of known) traceIn(spans, row.trace_id).set(row.span_id, row);
  for (const each of kept) addSpan(spans, each);
  return spans;
}

const traceIn = ({ byTrace }: Spans, trace: string): Map<string, SpanRow> => {
  const found = byTrace.get(trace) ?? new Map<string, SpanRow>();
  byTrace.set(trace, found);
  return found;
};

function addSpan(spans: Spans, { observation, event_id: own, facts }: KeptObservation): void {
  const { trace, span, parentSpan = null } = observation;
  if (trace === undefined || (span === undefined && own === null)) return;
  const rows = traceIn(spans, trace);
  // An event that is no span has a place of its own among them.
  const span_id = span ?? `=${own}`;
  const row = rows.get(span_id);
  if (!row && rows.size >= MAX_SPANS) return;
  const next = row ?? newSpan(trace, span_id);
  const parent = next.parent_span_id ?? parentSpan;
  const isClaimed = own !== null && next.event_id !== null && own !== next.event_id && !(facts && isMatched(facts));
  if (isClaimed) spans.claims.push({ row: next, event_id: own });
  const event_id = isClaimed ? next.event_id : (own ?? next.event_id);
  if (row && parent === row.parent_span_id && event_id === row.event_id) return;
  next.parent_span_id = parent;
  next.event_id = event_id;
  rows.set(span_id, next);
  spans.changed.add(next);
}

const newSpan = (trace_id: string, span_id: string): SpanRow => ({
  trace_id,
  span_id,
  parent_span_id: null,
  event_id: null,
  above_id: null,
  isNew: true,
});

/** Puts an event in the place of another. */
export function moveSpans(spans: Spans, { gone }: Batch): void {
  if (gone.size === 0) return;
  for (const row of rowsOf(spans)) {
    const moved = row.event_id === null ? undefined : gone.get(row.event_id);
    if (!moved) continue;
    row.event_id = moved;
    spans.changed.add(row);
  }
}

/** Finds the enclosing event of each event. Answers the events whose enclosing event has changed. */
export function findAbove(spans: Spans): Map<string, string | null> {
  const moved = new Map<string, string | null>();
  for (const rows of spans.byTrace.values()) {
    for (const row of rows.values()) {
      if (row.event_id === null) continue;
      const above = aboveOf(row, rows);
      if (above === row.above_id) continue;
      row.above_id = above;
      spans.changed.add(row);
      moved.set(row.event_id, above);
    }
  }
  return moved;
}

function aboveOf(row: SpanRow, rows: ReadonlyMap<string, SpanRow>): string | null {
  let at = row.parent_span_id === null ? undefined : rows.get(row.parent_span_id);
  for (let steps = 0; at && steps < MAX_SPANS; steps += 1) {
    if (at.event_id !== null && at.event_id !== row.event_id) return at.event_id;
    at = at.parent_span_id === null ? undefined : rows.get(at.parent_span_id);
  }
  return null;
}

/** The enclosing event of each event of the traces; of several the nearest to the event's own span. */
export function aboveAll(spans: Spans): Map<string, string> {
  const above = new Map<string, string>();
  for (const { event_id, above_id, span_id } of rowsOf(spans)) {
    if (event_id === null || above_id === null) continue;
    if (!above.has(event_id) || !span_id.startsWith("=")) above.set(event_id, above_id);
  }
  return above;
}

/** Every event of these traces. */
export const eventsIn = ({ byTrace }: Spans, traces: readonly string[]): string[] =>
  traces.flatMap((trace) => [...(byTrace.get(trace)?.values() ?? [])].flatMap(({ event_id }) => event_id ?? []));

const rowsOf = ({ byTrace }: Spans): SpanRow[] => [...byTrace.values()].flatMap((rows) => [...rows.values()]);
