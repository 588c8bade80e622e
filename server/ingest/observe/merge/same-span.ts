import { MAX_SPANS } from "../../rules/bounds.ts";
import type { Batch, NextEvent } from "../batch.ts";
import type { SpanRow } from "../store/span-rows.ts";
import { merge } from "./merge.ts";
import type { Spans } from "./spans.ts";

/**
 * Decides whose a span is that several events claim, once all that is known of them was read: a log may name the span
 * alone and the span its response's id, or the other way round. What has no id of its own is part of the event that has;
 * a model call that is reported under its turn's own span lies in that turn.
 */
export function settleClaims(spans: Spans, batch: Batch): void {
  for (const { row, event_id } of spans.claims) {
    const own = batch.gone.get(event_id) ?? event_id;
    const holder = row.event_id ?? own;
    const [mine, theirs] = [batch.next.get(own), batch.next.get(holder)];
    if (holder === own || !mine || mine.session_id !== (theirs ?? mine).session_id) continue;
    spans.changed.add(row);
    if (!theirs) row.event_id = own;
    else if (rank(mine, own) < rank(theirs, holder)) give(spans, batch, row, { owner: own, other: holder });
    else give(spans, batch, row, { owner: holder, other: own });
  }
}

/** Turns first, then what has an id, of such the least id: the same in any order. */
const rank = (event: NextEvent, id: string): string => `${isTurn(event) ? 0 : isNameless(event) ? 2 : 1}${id}`;

const isTurn = ({ facts }: NextEvent): boolean => facts.kind === "turn";
const isNameless = ({ facts }: NextEvent): boolean => facts.id === undefined && facts.kind !== "turn";

function give(spans: Spans, { next, gone }: Batch, row: SpanRow, { owner, other }: { owner: string; other: string }) {
  const [first, second] = [next.get(owner), next.get(other)];
  if (!first || !second) return;
  row.event_id = owner;
  if (isNameless(second)) {
    next.set(owner, { ...first, facts: merge(first.facts, second.facts) });
    next.delete(other);
    gone.set(other, owner);
    return;
  }
  const beside = { trace_id: row.trace_id, span_id: `=${other}`, event_id: other, above_id: null };
  const rows = spans.byTrace.get(row.trace_id);
  if (!rows || (rows.size >= MAX_SPANS && !rows.has(beside.span_id))) return;
  const known = rows.get(beside.span_id);
  const placed: SpanRow = {
    ...beside,
    ...(known ?? { isNew: true }),
    parent_span_id: isTurn(first) ? row.span_id : row.parent_span_id,
  };
  if (known?.parent_span_id === placed.parent_span_id) return;
  rows.set(beside.span_id, placed);
  if (known) spans.changed.delete(known);
  spans.changed.add(placed);
}
