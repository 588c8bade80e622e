import { MAX_SPANS_PER_TRACE } from "../../rules/bounds.ts";
import { isAssignedToTurnByTime, isSubagentCall } from "../correlation.ts";
import { eventEnd, eventStart } from "./event.ts";
import { type EventDraft, mergeDraft, type PlacedObservation } from "./facts.ts";
import { toCallId, toTurnId } from "./ids.ts";
import { compareByTime, type Trace, turnOfTrace } from "./traces.ts";

/** Span of a trace, or an entry for an event in the trace that has no span of its own. */
interface Span {
  parent: string | undefined;
  events: Set<string>;
}

/** Spans of a trace, by id. */
type Spans = Map<string, Span>;

/**
 * Finds the surrounding event of each event by following the spans between them. If an event has several spans, its own
 * span takes precedence; between equals, the smallest id decides. If several events claim the same span, a turn gets
 * the span, otherwise an event with an id. A claiming event without an id is merged into the event that gets the span.
 */
export function findSurroundingEvents(
  drafts: Map<string, EventDraft>,
  kept: readonly PlacedObservation[],
): Map<string, string> {
  const traces = new Map<string, Spans>();
  for (const each of kept) if (each.observation.trace !== undefined) addSpan(traces, each, each.observation.trace);
  for (const [trace, id, span] of claimed(traces)) settleClaims(drafts, trace, id, span);
  const around = new Map<string, { above: string; isOwn: boolean }>();
  for (const trace of traces.values()) {
    for (const [id, span] of trace) {
      const [event] = span.events;
      const above = event === undefined ? undefined : eventAround(trace, span, event);
      if (event === undefined || above === undefined) continue;
      const [known, isOwn] = [around.get(event), !id.startsWith("=")];
      const isBetter = !known || (isOwn === known.isOwn ? above < known.above : isOwn);
      if (isBetter) around.set(event, { above, isOwn });
    }
  }
  return new Map([...around].map(([event, { above }]) => [event, above]));
}

/** Returns the spans that several events claim, sorted by id, because settling one span affects the next. */
const claimed = (traces: ReadonlyMap<string, Spans>): [Spans, string, Span][] =>
  [...traces]
    .flatMap(([name, trace]) =>
      [...trace].flatMap(([id, span]) => (span.events.size > 1 ? [{ order: `${name} ${id}`, trace, id, span }] : [])),
    )
    .sort((a, b) => (a.order < b.order ? -1 : 1))
    .map(({ trace, id, span }) => [trace, id, span]);

function addSpan(traces: Map<string, Spans>, { observation, event_id }: PlacedObservation, trace: string): void {
  const { span, parentSpan, isUnknown } = observation;
  if (span === undefined && event_id === null) return;
  const spans = traces.get(trace) ?? new Map<string, Span>();
  traces.set(trace, spans);
  // An event that is not a span gets an entry of its own. The event of an unrecognized span also gets an entry of its
  // own, because such an event does not surround other events.
  if (isUnknown && event_id !== null) add(spans, `=${event_id}`, event_id, parentSpan);
  if (span !== undefined) add(spans, span, isUnknown ? null : event_id, parentSpan);
  else add(spans, `=${event_id}`, event_id, parentSpan);
}

function add(spans: Spans, id: string, own: string | null, parentSpan: string | undefined): void {
  const known = spans.get(id);
  if (!known && spans.size >= MAX_SPANS_PER_TRACE) return;
  const next = known ?? { parent: undefined, events: new Set() };
  if (parentSpan !== undefined && !(next.parent !== undefined && next.parent <= parentSpan)) next.parent = parentSpan;
  if (own !== null) next.events.add(own);
  spans.set(id, next);
}

function settleClaims(drafts: Map<string, EventDraft>, trace: Spans, id: string, span: Span): void {
  if (span.events.size < 2) return;
  const claims = [...span.events].flatMap((event) => {
    const draft = drafts.get(event);
    return draft ? [{ event, draft }] : [];
  });
  const [owner, ...others] = claims.sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
  if (!owner) return;
  span.events = new Set([owner.event]);
  for (const { event, draft } of others) {
    if (draft.session_id !== owner.draft.session_id || draft.isMatched) continue;
    if (isNameless(draft)) {
      mergeDraft(owner.draft, owner.event, draft);
      drafts.delete(event);
      for (const other of trace.values()) if (other.events.delete(event)) other.events.add(owner.event);
      continue;
    }
    const beside = trace.get(`=${event}`)?.parent;
    const parent = owner.draft.facts.kind === "turn" ? id : span.parent;
    trace.set(`=${event}`, { parent: beside ?? parent, events: new Set([event]) });
  }
}

/**
 * Sort key of a claim. Turns come first, then events with an id, then events without an id; between equals, the
 * smallest event id comes first. The result does not depend on the order of the claims.
 */
const rank = ({ event, draft }: { event: string; draft: EventDraft }): string =>
  `${draft.facts.kind === "turn" ? 0 : isNameless(draft) ? 2 : 1}${event}`;

const isNameless = ({ facts }: EventDraft): boolean => facts.id === undefined && facts.kind !== "turn";

function eventAround(trace: Spans, { parent }: Span, own: string): string | undefined {
  let at = parent === undefined ? undefined : trace.get(parent);
  for (let steps = 0; at && steps < MAX_SPANS_PER_TRACE; steps += 1) {
    const [event] = at.events;
    if (event !== undefined && event !== own) return event;
    at = at.parent === undefined ? undefined : trace.get(at.parent);
  }
  return undefined;
}

/**
 * Period of a turn or subagent. The period of a turn lasts until the next turn; the period of a subagent lasts until
 * the subagent ends.
 */
interface TimeSpan {
  id: string;
  at: number;
  until: number;
  isTurn: boolean;
}

/** Returns turns and subagents in order of time, by session, for agents whose events are assigned by time. */
export function findTimeSpans(drafts: ReadonlyMap<string, EventDraft>): Map<string, TimeSpan[]> {
  const turns = new Map<string, TimeSpan[]>();
  for (const [id, { facts, kept, session_id }] of drafts) {
    const isTurn = facts.kind === "turn" && kept.some((each) => each.facts && isAssignedToTurnByTime(each.facts));
    const isSubagent = isSubagentCall(facts);
    const at = isTurn || isSubagent ? eventStart(facts) : undefined;
    if (at === undefined) continue;
    const own = turns.get(session_id) ?? [];
    turns.set(session_id, own);
    const until = (isSubagent ? eventEnd(facts) : undefined) ?? Number.POSITIVE_INFINITY;
    own.push({ id, at, until, isTurn });
  }
  for (const own of turns.values()) own.sort(compareByTime);
  return turns;
}

/**
 * Finds the parent of an event. The first available source decides, and the most exact source comes first: the call
 * that started the event, the event of the surrounding span, the turn, the turn of the trace. For an event that is
 * assigned by time, the turn or subagent at that time replaces the last two.
 */
export function findParentEventId(
  { session_id, facts }: EventDraft,
  around: string | undefined,
  traces: ReadonlyMap<string, Trace>,
  turns: readonly TimeSpan[] = [],
): string | null {
  if (facts.parentCall !== undefined) return toCallId(session_id, facts.parentCall);
  if (facts.kind === "turn") return null;
  if (around !== undefined) return around;
  if (isAssignedToTurnByTime(facts)) {
    const begun = eventStart(facts) ?? 0;
    const mayHold = ({ at, until, isTurn }: TimeSpan) =>
      at <= begun && begun <= until && (isTurn || !isSubagentCall(facts));
    return turns.findLast(mayHold)?.id ?? null;
  }
  if (facts.turn !== undefined) return toTurnId(session_id, facts.turn);
  return facts.trace === undefined ? null : turnOfTrace(traces, session_id, facts.trace);
}
