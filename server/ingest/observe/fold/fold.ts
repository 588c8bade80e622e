import { createHash } from "node:crypto";
import type { CostCalculator } from "../../../prices/prices.ts";
import { findNamedSessionId, findPartIds, tracePartId, turnPartId } from "../correlation.ts";
import type { StoredObservation } from "../store/observation-rows.ts";
import { buildEventRow, type FoldedEventRow } from "./event.ts";
import {
  type EventDraft,
  type EventFacts,
  mergeDraft,
  type PlacedObservation,
  readFacts,
  smallestText,
} from "./facts.ts";
import { isMatchedByContent, matchReportsToEvents } from "./groups.ts";
import { toCallId, toSessionId, toTurnId } from "./ids.ts";
import { copyMessagesToAgentEvents, endTurns, joinSubagents, joinTranscriptModelCalls } from "./joins.ts";
import { type SessionProgress, updateProgress } from "./progress.ts";
import { findParentEventId, findSurroundingEvents, findTimeSpans } from "./spans.ts";
import { findTraceSessions, findTraces, inferTurnsOfTraces, type Trace, turnOfTrace } from "./traces.ts";
import { resolveSharedTurns, toAgentTurnId } from "./turn-owners.ts";

/** Input of a fold, in addition to the observations. */
export interface FoldContext {
  organizationId: string;
  /**
   * Current time in epoch ms. The fold compares this time with the arrival of an agent's span that still waits for its
   * surrounding event.
   */
  now: number;
  /** Progress by session. */
  progress: ReadonlyMap<string, SessionProgress>;
  prices: CostCalculator;
}

/** Event and the part that contains the event. */
export interface FoldedEvent {
  row: FoldedEventRow;
  part: string;
  /** Time at which the event changes without new reports, epoch ms. */
  due: number | null;
}

export interface FoldOutput {
  events: FoldedEvent[];
  /** All observations, each with the session of the observation. */
  kept: readonly PlacedObservation[];
  progress: ReadonlyMap<string, SessionProgress>;
  /**
   * Component of each part that was read or named. A component consists of the parts that influence each other; its id
   * is the smallest of their ids.
   */
  components: ReadonlyMap<string, string>;
}

/**
 * Creates events from observations. The result does not depend on the order of the observations or on repeats. The
 * input must include every observation that affects the events, except observations that the sessions' progress already
 * summarizes. Modifies `placed`.
 */
export function foldObservations(
  { organizationId, now, progress: before, prices }: FoldContext,
  placed: PlacedObservations,
): FoldOutput {
  const { kept, traces } = placed;
  const drafts = draftsOf(kept, traces);
  const isFiled = kept.some(({ observation }) => observation.isTranscript);
  if (isFiled) joinTranscriptModelCalls(drafts);
  const around = findSurroundingEvents(drafts, kept);
  const moved = isFiled ? joinSubagents(drafts, around) : undefined;
  moveTurns(drafts, traces, around, inferTurnsOfTraces(traces, drafts));
  const turns = findTimeSpans(drafts);
  const parents = new Map(
    [...drafts].map(([id, draft]): [string, string | null] => {
      const parent = findParentEventId(draft, around.get(id), traces, turns.get(draft.session_id));
      return [id, moved?.get(parent ?? "") ?? parent];
    }),
  );
  const components = componentsOf(organizationId, placed, drafts);
  const isJoined = (part = "", other = "") => components.get(part) === components.get(other);
  endTurns(drafts, parents, isJoined);
  const progress = updateProgress(before, new Set(components.keys()), { drafts, kept, traces });
  const events = [...drafts].map(([event_id, draft]): FoldedEvent => {
    const { session_id, facts, kept: own } = draft;
    const parent_id = parents.get(event_id) ?? null;
    const received_at = own.reduce((least, { receivedAt }) => Math.min(least, receivedAt), Number.POSITIVE_INFINITY);
    const known = {
      event_id,
      session_id,
      parent_id,
      received_at,
      now,
      prices,
      progress: progress.get(session_id) ?? {},
    };
    const { row, due } = buildEventRow(facts, known);
    return { row, part: smallestText(own.map(({ part }) => part)), due };
  });
  copyMessagesToAgentEvents(events, drafts, isJoined);
  return { events, kept, progress, components };
}

/**
 * Observations, each with the session of the observation; the facts about the observations' traces; and groups of
 * parts. The sessions of one group named the same turn.
 */
export interface PlacedObservations {
  kept: readonly PlacedObservation[];
  traces: ReadonlyMap<string, Trace>;
  shared: readonly (readonly string[])[];
}

/** Finds the session of each observation. The result is the input of a fold. */
export function assignObservationsToSessions(
  organizationId: string,
  all: readonly StoredObservation[],
): PlacedObservations {
  const sessions = findTraceSessions(organizationId, all);
  const sessionOf = ({ observation }: StoredObservation): string => {
    const { trace = "" } = observation;
    return (
      findNamedSessionId(organizationId, observation) ?? sessions.get(trace) ?? toSessionId(organizationId, "", trace)
    );
  };
  const { stored, copies, shared } = resolveSharedTurns(all, {
    own: sessionOf,
    origins: (each) => findOriginIds(organizationId, each),
  });
  const traces = findTraces(organizationId, stored, sessions);
  // Ids of the traces in which a convention recognizes at least one span or log record.
  const recognised = new Set(
    stored.flatMap(({ observation: { kind, isUnknown, trace } }) => (kind && !isUnknown ? [trace] : [])),
  );
  const kept = stored.map((each): PlacedObservation => {
    const { part, receivedAt, keyName, observation } = each;
    const { kind, isUnknown, isShown, trace = "" } = observation;
    const isEvent = !copies.has(each) && (!isUnknown || isShown || recognised.has(trace));
    const session_id = sessionOf(each);
    const facts = kind && isEvent ? readFacts(observation, kind) : null;
    return { part, receivedAt, keyName, observation, session_id, facts, event_id: null };
  });
  return { kept, traces, shared };
}

const findOriginIds = (organizationId: string, { observation }: StoredObservation): string[] =>
  (observation.copyOf ?? []).flatMap(
    (session) => findNamedSessionId(organizationId, { ...observation, session }) ?? [],
  );

/** Groups observations by event. */
function draftsOf(kept: readonly PlacedObservation[], traces: ReadonlyMap<string, Trace>): Map<string, EventDraft> {
  const drafts = new Map<string, EventDraft>();
  const matched: (PlacedObservation & { facts: EventFacts })[] = [];
  for (const each of kept) {
    const { facts, session_id } = each;
    if (!facts) continue;
    if (isMatchedByContent(facts)) matched.push(each as PlacedObservation & { facts: EventFacts });
    else addTo(drafts, eventIdOf(session_id, facts, traces), { session_id, facts, kept: [each], isMatched: false });
  }
  for (const [id, draft] of matchReportsToEvents(matched)) addTo(drafts, id, draft);
  return drafts;
}

function addTo(drafts: Map<string, EventDraft>, id: string, draft: EventDraft): void {
  const known = drafts.get(id);
  if (known) mergeDraft(known, id, draft);
  else {
    for (const each of draft.kept) each.event_id = id;
    drafts.set(id, draft);
  }
}

/**
 * Returns the id of an event. The agent's id has priority. A turn that is known only by its trace gets the id of the
 * trace's turn. Any other event gets an id from the span, or from a hash of the content.
 */
function eventIdOf(session: string, facts: EventFacts, traces: ReadonlyMap<string, Trace>): string {
  const { kind, id, span, trace } = facts;
  if (id !== undefined) return kind === "turn" ? toTurnId(session, id) : toCallId(session, id);
  const turn = kind === "turn" && trace !== undefined ? turnOfTrace(traces, session, trace) : null;
  return turn ?? toCallId(session, span ?? contentOf(facts));
}

function contentOf({ kind, name, genericName, startedAt, endedAt, turn, trace, parentSpan, args }: EventFacts): string {
  const known = [kind, name ?? genericName, startedAt, endedAt, turn, trace, parentSpan];
  const content = startedAt === undefined && endedAt === undefined ? [...known, args?.text] : known;
  return createHash("sha1").update(JSON.stringify(content)).digest("hex");
}

/** Merges each turn that is known only by its trace or its time into the identified turn for that trace or time. */
function moveTurns(
  drafts: Map<string, EventDraft>,
  traces: ReadonlyMap<string, Trace>,
  around: Map<string, string>,
  byTime: ReadonlyMap<string, string>,
): void {
  const moved = new Map<string, string>();
  for (const [id, draft] of [...drafts]) {
    const { facts, session_id } = draft;
    if (facts.kind !== "turn" || facts.id !== undefined || draft.isMatched) continue;
    const { turn, learned: byTrace } = traces.get(facts.trace ?? "")?.turns.get(session_id) ?? {};
    const learned = turn === null ? byTrace : byTime.get(id);
    if (learned === undefined) continue;
    drafts.delete(id);
    const event = toTurnId(session_id, learned);
    moved.set(id, event);
    addTo(drafts, event, { ...draft, facts: { ...facts, id: learned } });
  }
  if (moved.size === 0) return;
  for (const [event, above] of around) {
    const next = moved.get(above);
    if (next !== undefined) around.set(event, next);
  }
}

/**
 * Returns the component of each part. Two parts are in the same component if one observation names both, if an event
 * has observations in both, or if both contain observations of a turn that several sessions named. The part of a trace
 * is in the same component as the part of the trace's learned turn.
 */
function componentsOf(
  organizationId: string,
  { kept, traces, shared }: PlacedObservations,
  drafts: ReadonlyMap<string, EventDraft>,
): Map<string, string> {
  const roots = new Map<string, string>();
  const rootOf = (part: string): string => {
    const above = roots.get(part) ?? part;
    if (above === part) return part;
    const root = rootOf(above);
    roots.set(part, root);
    return root;
  };
  const join = (parts: readonly string[]) => {
    const least = smallestText(parts.map(rootOf));
    for (const part of parts) roots.set(rootOf(part), least);
    roots.set(least, least);
  };
  for (const { part, observation } of kept) {
    const parts = findPartIds(organizationId, observation);
    if (parts.length > 1 || parts[0] !== part || !roots.has(part)) join([part, ...parts]);
  }
  for (const { kept: own } of drafts.values()) {
    if (own.some(({ part }) => part !== own[0]?.part)) join(own.map(({ part }) => part));
  }
  for (const [trace, { turns }] of traces) {
    for (const [session_id, { learned }] of turns)
      if (learned !== undefined)
        join([tracePartId(organizationId, trace), turnPartId(session_id, toAgentTurnId(learned))]);
  }
  for (const parts of shared) join(parts);
  return new Map([...roots.keys()].map((part) => [part, rootOf(part)]));
}
