import { createHash } from "node:crypto";
import type { Prices } from "../../../prices/prices.ts";
import { namedSession, partOfTrace, partOfTurn, partsOf } from "../correlation.ts";
import type { StoredObservation } from "../store/observation-rows.ts";
import { type EventRow, project } from "./event.ts";
import { type Draft, type Facts, factsOf, type Kept, leastOf, takeIn } from "./facts.ts";
import { isMatched, matchedEvents } from "./groups.ts";
import { callIdOf, sessionIdOf, turnIdOf } from "./ids.ts";
import { endTurns, joinRequests, joinSubagents, showMessages } from "./joins.ts";
import { type Progress, progressOf } from "./progress.ts";
import { eventsAround, parentOf, spansOfTime } from "./spans.ts";
import { learnTurns, sessionsOfTraces, type Trace, tracesOf, turnOfTrace } from "./traces.ts";
import { settleTurns, spelledByAgent } from "./turn-owners.ts";

/** A fold's surroundings. */
export interface FoldContext {
  organizationId: string;
  /** Epoch ms: an agent's span waits some time for the event around it. */
  now: number;
  /** By session. */
  progress: ReadonlyMap<string, Progress>;
  prices: Prices;
}

/** An event, and the part by which it is found again. */
export interface FoldedEvent {
  row: EventRow;
  part: string;
  /** When it changes though nothing comes, epoch ms. */
  due: number | null;
}

/** The result of a fold. */
export interface Folded {
  events: FoldedEvent[];
  /** Every observation in its session. */
  kept: readonly Kept[];
  progress: ReadonlyMap<string, Progress>;
  /** The parts that were read or named, with what joins them: the least of the parts that influence one another. */
  components: ReadonlyMap<string, string>;
}

/**
 * Makes events of observations. It is a pure function of their set: the order and repeats make no difference. All that
 * bears on these events is to be among them, but for the progress of their sessions. It completes what was placed.
 */
export function fold({ organizationId, now, progress: before, prices }: FoldContext, placed: Placed): Folded {
  const { kept, traces } = placed;
  const drafts = draftsOf(kept, traces);
  const isFiled = kept.some(({ observation }) => observation.isTranscript);
  if (isFiled) joinRequests(drafts);
  const around = eventsAround(drafts, kept);
  const moved = isFiled ? joinSubagents(drafts, around) : undefined;
  moveTurns(drafts, traces, around, learnTurns(traces, drafts));
  const turns = spansOfTime(drafts);
  const parents = new Map(
    [...drafts].map(([id, draft]): [string, string | null] => {
      const parent = parentOf(draft, around.get(id), traces, turns.get(draft.session_id));
      return [id, moved?.get(parent ?? "") ?? parent];
    }),
  );
  const components = componentsOf(organizationId, placed, drafts);
  const isJoined = (part = "", other = "") => components.get(part) === components.get(other);
  endTurns(drafts, parents, isJoined);
  const progress = progressOf(before, new Set(components.keys()), { drafts, kept, traces });
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
    const { row, due } = project(facts, known);
    return { row, part: leastOf(own.map(({ part }) => part)), due };
  });
  showMessages(events, drafts, isJoined);
  return { events, kept, progress, components };
}

/** Observations in their sessions, what they say of their traces, and the parts of sessions that named one turn. */
export interface Placed {
  kept: readonly Kept[];
  traces: ReadonlyMap<string, Trace>;
  shared: readonly (readonly string[])[];
}

/** Finds the sessions of observations, for one fold. */
export function place(organizationId: string, all: readonly StoredObservation[]): Placed {
  const sessions = sessionsOfTraces(organizationId, all);
  const sessionOf = ({ observation }: StoredObservation): string => {
    const { trace = "" } = observation;
    return namedSession(organizationId, observation) ?? sessions.get(trace) ?? sessionIdOf(organizationId, "", trace);
  };
  const { stored, shared } = settleTurns(all, sessionOf);
  const traces = tracesOf(organizationId, stored, sessions);
  // The traces with a span or log record that a convention knows.
  const recognised = new Set(
    stored.flatMap(({ observation: { kind, isUnknown, trace } }) => (kind && !isUnknown ? [trace] : [])),
  );
  const kept = stored.map((each): Kept => {
    const { part, receivedAt, keyName, observation } = each;
    const { kind, isUnknown, isShown, trace = "" } = observation;
    const isEvent = !isUnknown || isShown || recognised.has(trace);
    const session_id = sessionOf(each);
    const facts = kind && isEvent ? factsOf(observation, kind) : null;
    return { part, receivedAt, keyName, observation, session_id, facts, event_id: null };
  });
  return { kept, traces, shared };
}

/** Puts observations together, event by event. */
function draftsOf(kept: readonly Kept[], traces: ReadonlyMap<string, Trace>): Map<string, Draft> {
  const drafts = new Map<string, Draft>();
  const matched: (Kept & { facts: Facts })[] = [];
  for (const each of kept) {
    const { facts, session_id } = each;
    if (!facts) continue;
    if (isMatched(facts)) matched.push(each as Kept & { facts: Facts });
    else addTo(drafts, eventIdOf(session_id, facts, traces), { session_id, facts, kept: [each], isMatched: false });
  }
  for (const [id, draft] of matchedEvents(matched)) addTo(drafts, id, draft);
  return drafts;
}

function addTo(drafts: Map<string, Draft>, id: string, draft: Draft): void {
  const known = drafts.get(id);
  if (known) takeIn(known, id, draft);
  else {
    for (const each of draft.kept) each.event_id = id;
    drafts.set(id, draft);
  }
}

/**
 * The id of an event: by the agent's own id; a turn that is known under a trace alone is the turn that the trace
 * belongs to; else by its span, or by its content.
 */
function eventIdOf(session: string, facts: Facts, traces: ReadonlyMap<string, Trace>): string {
  const { kind, id, span, trace } = facts;
  if (id !== undefined) return kind === "turn" ? turnIdOf(session, id) : callIdOf(session, id);
  const turn = kind === "turn" && trace !== undefined ? turnOfTrace(traces, session, trace) : null;
  return turn ?? callIdOf(session, span ?? contentOf(facts));
}

function contentOf({ kind, name, genericName, startedAt, endedAt, turn, trace, parentSpan, args }: Facts): string {
  const known = [kind, name ?? genericName, startedAt, endedAt, turn, trace, parentSpan];
  const content = startedAt === undefined && endedAt === undefined ? [...known, args?.text] : known;
  return createHash("sha1").update(JSON.stringify(content)).digest("hex");
}

/** Moves turns that are known under a trace or by their time alone to the turns that were learned for these. */
function moveTurns(
  drafts: Map<string, Draft>,
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
    const event = turnIdOf(session_id, learned);
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
 * Joins parts: those that an observation names, those of one event, those of a trace and the turn it was learned to be, and
 * those of sessions that named one turn.
 */
function componentsOf(
  organizationId: string,
  { kept, traces, shared }: Placed,
  drafts: ReadonlyMap<string, Draft>,
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
    const least = leastOf(parts.map(rootOf));
    for (const part of parts) roots.set(rootOf(part), least);
    roots.set(least, least);
  };
  for (const { part, observation } of kept) {
    const parts = partsOf(organizationId, observation);
    if (parts.length > 1 || parts[0] !== part || !roots.has(part)) join([part, ...parts]);
  }
  for (const { kept: own } of drafts.values()) {
    if (own.some(({ part }) => part !== own[0]?.part)) join(own.map(({ part }) => part));
  }
  for (const [trace, { turns }] of traces) {
    for (const [session_id, { learned }] of turns)
      if (learned !== undefined)
        join([partOfTrace(organizationId, trace), partOfTurn(session_id, spelledByAgent(learned))]);
  }
  for (const parts of shared) join(parts);
  return new Map([...roots.keys()].map((part) => [part, rootOf(part)]));
}
