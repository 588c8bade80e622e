import type { ClientBase } from "pg";
import type { Redaction } from "../rules/redaction.ts";
import { markHours } from "../store/marks.ts";
import { addFacts, type Batch, idInTrace, type NextEvent } from "./batch.ts";
import { isPlacedByTime } from "./merge/cluster.ts";
import { grouped, matchGroups } from "./merge/groups.ts";
import { parentOf } from "./merge/parent.ts";
import { nameTraces, type Prepared, place, provisionalSession } from "./merge/resolve.ts";
import { settleClaims } from "./merge/same-span.ts";
import { absorb, type Known, momentsOf, progressOf, type Settled, settle } from "./merge/settle.ts";
import { aboveAll, addSpans, eventsIn, findAbove, moveSpans, type Spans } from "./merge/spans.ts";
import type { Observation } from "./observation.ts";
import { type Omissions, prepare } from "./prepare.ts";
import { type Progress, startOf } from "./project.ts";
import { MANY } from "./store/copy-rows.ts";
import { readEvents, readFollowing, removeEvents, writeEvents } from "./store/event-rows.ts";
import { readOpen, removeEmpty, writeOpen } from "./store/open-rows.ts";
import { readParts, writeParts } from "./store/part-rows.ts";
import { showReplies } from "./store/replies.ts";
import { lockSessions, type NamedSession, writeSessions } from "./store/session-rows.ts";
import { lockTraces, readSpans, readTraces, type TraceRow, writeSpans, writeTraces } from "./store/trace-rows.ts";
import { noTotals } from "./totals.ts";

/** Whose observations these are, and how they are cleaned. */
export interface Owner {
  organizationId: string;
  keyName: string;
  omit: Omissions;
  redaction: Redaction;
  /** When they arrived, epoch ms. */
  now: number;
  /** Whether new rows may be copied: not on the embedded engine. */
  mayCopy: boolean;
}

/** What became of a list: why some were not kept, by their place, and which sessions got something. */
export interface Stored {
  rejected: Map<number, string>;
  sessions: Iterable<string>;
}

/** Stores observations in the transaction at hand. */
export async function storeObservations(
  client: ClientBase,
  owner: Owner,
  observations: readonly Observation[],
): Promise<Stored> {
  const { prepared, rejected } = prepareAll(observations, owner);
  if (prepared.length === 0) return { rejected, sessions: [] };
  const { organizationId } = owner;
  const traceIds = new Set(prepared.flatMap(({ observation }) => observation.trace ?? []));
  const { traces, made } = await lockTraces(client, owner, [...traceIds]);
  // Those that are read later, of events told of before, are not locked and stay as they are.
  const lockedTraces = [...traces.values()];
  const { named, turned } = nameTraces(organizationId, traces, prepared);
  const { told, sessions } = place({ organizationId, traces }, prepared);
  // A trace of which nothing was known before has left no session of its own.
  const provisional = named
    .filter(({ trace_id }) => !made.has(trace_id))
    .map(({ trace_id }) => provisionalSession(organizationId, trace_id));
  const locked = await lockSessions(client, owner, sessions, provisional);
  const { now } = owner;
  const batch: Batch = {
    organizationId,
    now,
    told,
    traces,
    sessions: locked,
    next: new Map(),
    gone: new Map(),
    above: new Map(),
    refused: new Map(),
  };
  await addTold(client, batch, observations);
  const before = await readSpans(
    client,
    organizationId,
    [...traceIds].filter((id) => !made.has(id)),
  );
  const spans = addSpans(before, told);
  const areSessionsNew = [...locked.values()].every(({ isNew }) => isNew);
  const isAllNew = owner.mayCopy && areSessionsNew && made.size === traces.size && batch.next.size >= MANY;
  const known = await absorbKnown(client, batch, spans, { named, turned, provisional, isAllNew });
  for (const [id, above] of aboveAll(spans)) batch.above.set(id, above);
  const parent = (id: string, event: NextEvent, progress: Progress) => parentOf(batch, id, event, progress);
  const settled = settle(batch, known, progressOf(batch), parent);
  for (const [index, reason] of refusals(batch)) rejected.set(index, reason);
  await markHours(client, organizationId, momentsOf(settled.events, known, batch.gone));
  await write(client, owner, batch, { settled, sessions, spans });
  await writeTraces(client, owner, lockedTraces);
  await removeEmpty(client, organizationId, provisional);
  return { rejected, sessions: locked.keys() };
}

function prepareAll(observations: readonly Observation[], { redaction, omit, now }: Owner) {
  const rejected = new Map<number, string>();
  const prepared: Prepared[] = [];
  for (const [index, sent] of observations.entries()) {
    const observation = prepare(sent, { redaction, omit, now });
    if ("reason" in observation) rejected.set(index, observation.reason);
    else prepared.push({ index, observation });
  }
  return { prepared, rejected };
}

/** Puts what was told into the batch, event by event. */
async function addTold(client: ClientBase, batch: Batch, sent: readonly Observation[]): Promise<void> {
  const matched = grouped(batch.told, sent);
  const parts = await readParts(
    client,
    batch.organizationId,
    matched.map(({ part }) => part),
  );
  await writeParts(client, batch.organizationId, matchGroups(batch, parts, matched));
  for (const each of batch.told) {
    if (!each.facts || each.event_id !== null) continue;
    each.event_id = idInTrace(batch, each.session_id, each.facts);
    addFacts(batch, each.event_id, each.session_id, each.facts);
  }
}

interface Learned {
  named: readonly TraceRow[];
  turned: readonly TraceRow[];
  provisional: readonly string[];
  /** Sessions and traces were made just now, and enough is told to copy it: then an event that is there all the same fails the copy. */
  isAllNew: boolean;
}

/** Reads and merges every stored event that the batch bears on. */
async function absorbKnown(client: ClientBase, batch: Batch, spans: Spans, learned: Learned): Promise<Known[]> {
  const known = learned.isAllNew ? [] : await absorbStored(client, batch, spans, learned);
  moveSpans(spans, batch);
  settleClaims(spans, batch);
  moveSpans(spans, batch);
  const late = [...findAbove(spans).keys()].filter((id) => !batch.next.has(id));
  if (late.length === 0) return known;
  return [...known, ...(await absorbRead(client, batch, { ids: late, sessions: [] }, learned.provisional))];
}

async function absorbStored(client: ClientBase, batch: Batch, spans: Spans, learned: Learned): Promise<Known[]> {
  const { organizationId } = batch;
  const own = [...batch.sessions.keys()].filter((id) => !learned.provisional.includes(id));
  const open = await readOpen(client, organizationId, own);
  const turned = eventsIn(
    spans,
    [...learned.turned].map(({ trace_id }) => trace_id),
  );
  const moved = findAbove(spans);
  const timed = await readFollowing(client, organizationId, timedTurns(batch));
  const claimed = spans.claims.flatMap(({ row }) => row.event_id ?? []);
  const ids = new Set([...batch.next.keys(), ...batch.gone.keys(), ...open, ...turned, ...moved.keys(), ...timed]);
  for (const id of claimed) ids.add(id);
  const { provisional } = learned;
  return absorbRead(client, batch, { ids: [...ids], sessions: provisional }, provisional);
}

/** Merges stored events into the batch, as their traces are known now. */
async function absorbRead(
  client: ClientBase,
  batch: Batch,
  which: Parameters<typeof readEvents>[2],
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

/** What was told of events that are not the connectors' to change. */
const refusals = ({ told, refused }: Batch): [number, string][] =>
  told.flatMap(({ index, event_id }): [number, string][] => {
    const reason = event_id === null ? undefined : refused.get(event_id);
    return reason === undefined ? [] : [[index, reason]];
  });

interface Outcome {
  settled: Settled;
  sessions: readonly NamedSession[];
  spans: Spans;
}

async function write(client: ClientBase, owner: Owner, batch: Batch, outcome: Outcome): Promise<void> {
  const { organizationId } = owner;
  const { settled, sessions, spans } = outcome;
  await removeEvents(client, organizationId, [...batch.gone.keys()]);
  await writeEvents(client, owner, settled.events);
  await showReplies(client, organizationId, settled.events);
  await writeOpen(client, organizationId, settled.events, [...batch.gone.keys()]);
  const told = new Map<string, Observation[]>(sessions.map(({ session_id }) => [session_id, []]));
  for (const { session_id, observation } of batch.told) told.get(session_id)?.push(observation);
  const news = sessions.map((named) => ({
    named,
    progress: settled.progress.get(named.session_id) ?? {},
    totals: settled.totals.get(named.session_id) ?? noTotals(),
    observations: told.get(named.session_id) ?? [],
  }));
  await writeSessions(client, owner, batch.sessions, news);
  await writeSpans(client, owner, [...spans.changed]);
}
