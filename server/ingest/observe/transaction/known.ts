import type { ClientBase } from "pg";
import type { Batch } from "../batch.ts";
import { isPlacedByTime } from "../merge/cluster.ts";
import { settleClaims } from "../merge/same-span.ts";
import { absorb, type Known } from "../merge/settle.ts";
import { eventsIn, findAbove, moveSpans, type Spans } from "../merge/spans.ts";
import { learnTurns, looseTurns, moveAbove } from "../merge/turns.ts";
import { startOf } from "../project.ts";
import { readEvents, readFollowing, type Which } from "../store/event-rows.ts";
import { readSpans } from "../store/span-rows.ts";
import { readTraces, type TraceRow } from "../store/trace-rows.ts";

/** The facts about traces and sessions that a batch brought. */
interface Learned {
  turned: readonly TraceRow[];
  provisional: readonly string[];
  /** Sessions and traces were made just now, and the batch is large enough to copy. An event that exists then fails the copy. */
  isAllNew: boolean;
}

/** Reads and merges every stored event that the batch bears on. */
export async function absorbKnown(client: ClientBase, batch: Batch, spans: Spans, learned: Learned): Promise<Known[]> {
  const known = learned.isAllNew ? [] : await absorbStored(client, batch, spans, learned);
  moveSpans(spans, batch);
  settleClaims(spans, batch);
  known.push(...(await absorbLearned(client, batch, spans, learned)));
  moveSpans(spans, batch);
  const late = [...findAbove(spans).keys()].filter((id) => !batch.next.has(id));
  if (late.length > 0)
    known.push(...(await absorbRead(client, batch, { ids: late, openIn: [], sessions: [] }, learned.provisional)));
  moveAbove(batch);
  return known;
}

async function absorbStored(client: ClientBase, batch: Batch, spans: Spans, learned: Learned): Promise<Known[]> {
  const { organizationId } = batch;
  const own = [...batch.sessions.keys()].filter((id) => !learned.provisional.includes(id));
  const turned = eventsIn(
    spans,
    [...learned.turned].map(({ trace_id }) => trace_id),
  );
  const moved = findAbove(spans);
  const timed = await readFollowing(client, organizationId, timedTurns(batch));
  const claimed = spans.claims.flatMap(({ row }) => row.event_id ?? []);
  const ids = new Set([...batch.next.keys(), ...batch.gone.keys(), ...turned, ...moved.keys(), ...timed]);
  for (const id of [...claimed, ...looseTurns(batch)]) ids.add(id);
  const { provisional } = learned;
  return absorbRead(client, batch, { ids: [...ids], openIn: own, sessions: provisional }, provisional);
}

/** Merges what stands in traces of which the batch has shown the turn. */
async function absorbLearned(client: ClientBase, batch: Batch, spans: Spans, learned: Learned): Promise<Known[]> {
  if (learned.isAllNew) return [];
  const traces = learnTurns(batch);
  if (traces.length === 0) return [];
  const elsewhere = traces.filter((trace) => !spans.byTrace.has(trace));
  const read = await readSpans(client, batch.organizationId, elsewhere);
  const ids = [...eventsIn(spans, traces), ...read.flatMap(({ event_id }) => event_id ?? [])];
  const others = ids.filter((id) => !batch.next.has(id) && !batch.gone.has(id));
  return absorbRead(client, batch, { ids: others, openIn: [], sessions: [] }, learned.provisional);
}

/** Merges stored events into the batch, as their traces are known now. */
async function absorbRead(
  client: ClientBase,
  batch: Batch,
  which: Which,
  provisional: readonly string[],
): Promise<Known[]> {
  const { organizationId, traces } = batch;
  const known = await readEvents(client, organizationId, which);
  const distinct = [...new Map(known.map((event) => [event.row.event_id, event])).values()];
  // An event may stand in a trace that this batch does not name: without it, it would lose its trace's turn.
  const others = distinct.flatMap(({ facts }) => facts?.trace ?? []).filter((trace) => !traces.has(trace));
  for (const trace of await readTraces(client, organizationId, others)) traces.set(trace.trace_id, trace);
  absorb(batch, distinct, ({ row, facts }) => {
    if (!provisional.includes(row.session_id)) return row.session_id;
    return traces.get(facts.trace ?? "")?.session_id ?? row.session_id;
  });
  return distinct;
}

/** The turns of the batch under which others stand by their time alone. */
const timedTurns = ({ next }: Batch): { session_id: string; at: number }[] =>
  [...next.values()].flatMap(({ session_id, facts }) =>
    facts.kind === "turn" && isPlacedByTime(facts) ? [{ session_id, at: startOf(facts) ?? 0 }] : [],
  );

/** Sessions of events that the batch bears on, though it names others: to change them, they have to be locked as well. */
export function unlockedSessions({ sessions }: Batch, known: readonly Known[]): string[] {
  const foreign = known.filter(({ row, facts }) => facts !== null && !sessions.has(row.session_id));
  return [...new Set(foreign.map(({ row }) => row.session_id))];
}
