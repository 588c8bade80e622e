import type { ClientBase } from "pg";
import type { Redactor } from "../../../redaction/index.ts";
import { markHours } from "../../../resources/recorded/analytics/index.ts";
import type { Redaction } from "../../rules/redaction.ts";
import { addFacts, type Batch, idInTrace, type NextEvent } from "../batch.ts";
import { applyGroups, grouped, matchGroups, withinBounds } from "../merge/groups.ts";
import { parentOf } from "../merge/parent.ts";
import { type Progress, progressOf } from "../merge/progress.ts";
import { place } from "../merge/resolve.ts";
import { momentsOf, settle } from "../merge/settle.ts";
import { aboveAll, addSpans } from "../merge/spans.ts";
import { movedSpans, turnsOf, withTurnId } from "../merge/trace-turns.ts";
import type { Observation } from "../observation.ts";
import { type Omissions, prepareAll } from "../prepare.ts";
import { MANY } from "../store/copy-rows.ts";
import { removeEmpty } from "../store/open-rows.ts";
import { type Packet, sendPacket } from "../store/packet.ts";
import { readParts, readTellings, writeParts } from "../store/part-rows.ts";
import { lockSessions, type NamedSession, type SessionRow } from "../store/session-rows.ts";
import { readSpans } from "../store/span-rows.ts";
import { writeTraces } from "../store/trace-rows.ts";
import { absorbKnown, unlockedSessions } from "./known.ts";
import { lockNamedTraces } from "./traces.ts";
import { copyNew, write } from "./write.ts";

/** The owner of the observations, and the rules by which they are cleaned. */
export interface Owner {
  organizationId: string;
  keyName: string;
  omit: Omissions;
  redaction: Redaction;
  redactor: Redactor;
  /** When they arrived, epoch ms. */
  now: number;
  /** True when new rows may be copied: not on the embedded engine. */
  mayCopy: boolean;
  /** True when the transaction ends with these, which spares the wait for another answer. */
  commits: boolean;
  /** Sessions that no observation names and whose events change all the same. */
  alsoLock: ReadonlySet<string>;
}

/** The result for a list: the reasons against observations, by their place, and the sessions that changed. */
export interface Stored {
  rejected: Map<number, string>;
  sessions: Iterable<string>;
  /** Sessions to lock as well: if there are any, nothing was stored, and all has to be done again. */
  unlocked: readonly string[];
}

const COMMIT = { name: "commit", text: "commit" };

/** Stores observations in the transaction at hand. */
export async function storeObservations(
  client: ClientBase,
  owner: Owner,
  observations: readonly Observation[],
): Promise<Stored> {
  const { organizationId, redactor, commits } = owner;
  const { prepared, rejected } = prepareAll(observations, owner);
  const packet: Packet = [];
  const end = async (sessions: Iterable<string>) => {
    await sendPacket(client, commits ? [...packet, COMMIT] : packet);
    return { rejected, sessions, unlocked: [] };
  };
  if (prepared.length === 0) return end([]);
  const named = await lockNamedTraces(client, owner, prepared);
  const { traces, made, turned, provisional } = named;
  const { kept, sessions } = place({ organizationId, traces }, prepared);
  const locked = await lockSessions(client, owner, sessions, [...provisional, ...owner.alsoLock]);
  const { now } = owner;
  const batch: Batch = {
    organizationId,
    now,
    kept,
    traces,
    sessions: locked,
    next: new Map(),
    gone: new Map(),
    above: new Map(),
    refused: new Map(),
    turns: turnsOf(locked),
  };
  await addTold(client, packet, batch, { sent: observations, rejected, redactor });
  const before = await readSpans(
    client,
    organizationId,
    named.known.map(({ trace_id }) => trace_id),
  );
  const spans = addSpans(movedSpans(before, batch), kept);
  const areSessionsNew = [...locked.values()].every(({ isNew }) => isNew);
  const isAllNew = owner.mayCopy && areSessionsNew && made.size === traces.size && batch.next.size >= MANY;
  const known = await absorbKnown(client, batch, spans, { turned, provisional, isAllNew });
  const unlocked = unlockedSessions(batch, known).filter((id) => !owner.alsoLock.has(id));
  if (unlocked.length > 0) return { rejected, sessions: [], unlocked };
  for (const [id, above] of aboveAll(spans)) batch.above.set(id, above);
  const parent = (id: string, event: NextEvent, progress: Progress) => parentOf(batch, id, event, progress);
  const settled = settle(batch, known, progressOf(batch), parent);
  for (const [index, reason] of refusals(batch)) rejected.set(index, reason);
  packet.push(...markHours(organizationId, momentsOf(settled.events, known, batch.gone)));
  const rest = owner.mayCopy ? await copyNew(client, organizationId, { settled, spans }) : undefined;
  const written = [...sessions, ...unnamed(locked, sessions, owner)];
  write(packet, owner, batch, {
    known,
    settled,
    sessions: written,
    events: settled.events,
    spans: [...spans.changed],
    ...rest,
  });
  writeTraces(packet, owner, named.known);
  removeEmpty(packet, organizationId, provisional);
  return end(locked.keys());
}

/** Sessions that were locked though nothing names them: they keep their names. */
const unnamed = (
  locked: ReadonlyMap<string, SessionRow>,
  named: readonly NamedSession[],
  { alsoLock }: Owner,
): NamedSession[] =>
  [...alsoLock].flatMap((id) => {
    const row = locked.get(id);
    if (!row || named.some(({ session_id }) => session_id === id)) return [];
    return [{ session_id: id, external_id: row.external_id, source: row.source ?? "", timestamp: row.timestamp }];
  });

/** The observations as they came, the reasons against some, and what hashes texts that may hold secrets. */
interface Arrived {
  sent: readonly Observation[];
  rejected: Map<number, string>;
  redactor: Redactor;
}

/** Puts observations into the batch, event by event, and those that are refused into `rejected`, with the reasons. */
async function addTold(
  client: ClientBase,
  packet: Packet,
  batch: Batch,
  { sent, rejected, redactor }: Arrived,
): Promise<void> {
  const { organizationId } = batch;
  const kept = grouped(batch.kept, sent, redactor);
  const known = await readTellings(
    client,
    organizationId,
    kept.map(({ part }) => part),
  );
  const matched = matchGroups(batch, known, withinBounds(known, kept, rejected));
  const parts = await readParts(client, organizationId, matched.needed);
  writeParts(packet, organizationId, applyGroups(batch, matched, parts));
  for (const each of batch.kept) {
    if (!each.facts || each.event_id !== null) continue;
    each.facts = withTurnId(batch, each.session_id, each.facts);
    each.event_id = idInTrace(batch, each.session_id, each.facts);
    addFacts(batch, each.event_id, each.session_id, each.facts);
  }
}

/** Observations of events that connectors may not change. */
const refusals = ({ kept, refused }: Batch): [number, string][] =>
  kept.flatMap(({ index, event_id }): [number, string][] => {
    const reason = event_id === null ? undefined : refused.get(event_id);
    return reason === undefined ? [] : [[index, reason]];
  });
