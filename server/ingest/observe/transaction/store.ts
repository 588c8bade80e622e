import type { ClientBase } from "pg";
import type { Redaction } from "../../rules/redaction.ts";
import { markHours } from "../../store/marks.ts";
import { addFacts, type Batch, idInTrace, type NextEvent } from "../batch.ts";
import { grouped, matchGroups } from "../merge/groups.ts";
import { parentOf } from "../merge/parent.ts";
import { nameTraces, type Prepared, place, provisionalSession } from "../merge/resolve.ts";
import { momentsOf, progressOf, settle } from "../merge/settle.ts";
import { aboveAll, addSpans } from "../merge/spans.ts";
import type { Observation } from "../observation.ts";
import { type Omissions, prepare } from "../prepare.ts";
import type { Progress } from "../project.ts";
import { MANY } from "../store/copy-rows.ts";
import { removeEmpty } from "../store/open-rows.ts";
import { type Packet, sendPacket } from "../store/packet.ts";
import { readParts, writeParts } from "../store/part-rows.ts";
import { lockSessions } from "../store/session-rows.ts";
import { readSpans } from "../store/span-rows.ts";
import { lockTraces, writeTraces } from "../store/trace-rows.ts";
import { absorbKnown } from "./known.ts";
import { copyNew, write } from "./write.ts";

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
  /** Whether the transaction ends with these, which spares the wait for another answer. */
  commits: boolean;
}

/** What became of a list: why some were not kept, by their place, and which sessions got something. */
export interface Stored {
  rejected: Map<number, string>;
  sessions: Iterable<string>;
}

const COMMIT = { name: "commit", text: "commit" };

/** Stores observations in the transaction at hand. */
export async function storeObservations(
  client: ClientBase,
  owner: Owner,
  observations: readonly Observation[],
): Promise<Stored> {
  const { prepared, rejected } = prepareAll(observations, owner);
  const { organizationId, commits } = owner;
  const packet: Packet = [];
  const end = async (sessions: Iterable<string>) => {
    await sendPacket(client, commits ? [...packet, COMMIT] : packet);
    return { rejected, sessions };
  };
  if (prepared.length === 0) return end([]);
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
  await addTold(client, packet, batch, observations);
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
  packet.push(...markHours(organizationId, momentsOf(settled.events, known, batch.gone)));
  const rest = owner.mayCopy ? await copyNew(client, organizationId, { settled, spans }) : undefined;
  write(packet, owner, batch, { settled, sessions, events: settled.events, spans: [...spans.changed], ...rest });
  writeTraces(packet, owner, lockedTraces);
  removeEmpty(packet, organizationId, provisional);
  return end(locked.keys());
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
async function addTold(client: ClientBase, packet: Packet, batch: Batch, sent: readonly Observation[]): Promise<void> {
  const matched = grouped(batch.told, sent);
  const parts = await readParts(
    client,
    batch.organizationId,
    matched.map(({ part }) => part),
  );
  writeParts(packet, batch.organizationId, matchGroups(batch, parts, matched));
  for (const each of batch.told) {
    if (!each.facts || each.event_id !== null) continue;
    each.event_id = idInTrace(batch, each.session_id, each.facts);
    addFacts(batch, each.event_id, each.session_id, each.facts);
  }
}

/** What was told of events that are not the connectors' to change. */
const refusals = ({ told, refused }: Batch): [number, string][] =>
  told.flatMap(({ index, event_id }): [number, string][] => {
    const reason = event_id === null ? undefined : refused.get(event_id);
    return reason === undefined ? [] : [[index, reason]];
  });
