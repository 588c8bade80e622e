import { MAX_SPANS } from "../../rules/bounds.ts";
import { isDelegation, isPlacedByTime } from "../correlation.ts";
import { endOf, startOf } from "./event.ts";
import { type Draft, type Kept, takeIn } from "./facts.ts";
import { callIdOf, turnIdOf } from "./ids.ts";
import { inTime, type Trace, turnOfTrace } from "./traces.ts";

/** A span, or an event that is no span, in a trace. */
interface Span {
  parent: string | undefined;
  events: Set<string>;
}

/** The spans of a trace, by their ids. */
type Spans = Map<string, Span>;

/**
 * Finds the event around each event by the spans between them: by its own span before others, of such the least. Of a span that several events claim: a turn goes first,
 * then an event with an id of its own, and what has none is part of it.
 */
export function eventsAround(drafts: Map<string, Draft>, kept: readonly Kept[]): Map<string, string> {
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

/** The spans that several events claim, in order of their ids: one that is settled bears on the next. */
const claimed = (traces: ReadonlyMap<string, Spans>): [Spans, string, Span][] =>
  [...traces]
    .flatMap(([name, trace]) =>
      [...trace].flatMap(([id, span]) => (span.events.size > 1 ? [{ order: `${name} ${id}`, trace, id, span }] : [])),
    )
    .sort((a, b) => (a.order < b.order ? -1 : 1))
    .map(({ trace, id, span }) => [trace, id, span]);

function addSpan(traces: Map<string, Spans>, { observation, event_id }: Kept, trace: string): void {
  const { span, parentSpan, isUnknown } = observation;
  if (span === undefined && event_id === null) return;
  const spans = traces.get(trace) ?? new Map<string, Span>();
  traces.set(trace, spans);
  // An event that is no span has a place of its own among them; so has one that is no event around others.
  if (isUnknown && event_id !== null) add(spans, `=${event_id}`, event_id, parentSpan);
  if (span !== undefined) add(spans, span, isUnknown ? null : event_id, parentSpan);
  else add(spans, `=${event_id}`, event_id, parentSpan);
}

function add(spans: Spans, id: string, own: string | null, parentSpan: string | undefined): void {
  const known = spans.get(id);
  if (!known && spans.size >= MAX_SPANS) return;
  const next = known ?? { parent: undefined, events: new Set() };
  if (parentSpan !== undefined && !(next.parent !== undefined && next.parent <= parentSpan)) next.parent = parentSpan;
  if (own !== null) next.events.add(own);
  spans.set(id, next);
}

function settleClaims(drafts: Map<string, Draft>, trace: Spans, id: string, span: Span): void {
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
      takeIn(owner.draft, owner.event, draft);
      drafts.delete(event);
      for (const other of trace.values()) if (other.events.delete(event)) other.events.add(owner.event);
      continue;
    }
    const beside = trace.get(`=${event}`)?.parent;
    const parent = owner.draft.facts.kind === "turn" ? id : span.parent;
    trace.set(`=${event}`, { parent: beside ?? parent, events: new Set([event]) });
  }
}

/** Turns first, then what has an id, of such the least id: the same in any order. */
const rank = ({ event, draft }: { event: string; draft: Draft }): string =>
  `${draft.facts.kind === "turn" ? 0 : isNameless(draft) ? 2 : 1}${event}`;

const isNameless = ({ facts }: Draft): boolean => facts.id === undefined && facts.kind !== "turn";

function eventAround(trace: Spans, { parent }: Span, own: string): string | undefined {
  let at = parent === undefined ? undefined : trace.get(parent);
  for (let steps = 0; at && steps < MAX_SPANS; steps += 1) {
    const [event] = at.events;
    if (event !== undefined && event !== own) return event;
    at = at.parent === undefined ? undefined : trace.get(at.parent);
  }
  return undefined;
}

/** A turn, which lasts until the next one, or a subagent, which lasts until its end. */
interface TimeSpan {
  id: string;
  at: number;
  until: number;
  isTurn: boolean;
}

/** Turns and subagents in order of time, by session, where events belong to one by their time alone. */
export function spansOfTime(drafts: ReadonlyMap<string, Draft>): Map<string, TimeSpan[]> {
  const turns = new Map<string, TimeSpan[]>();
  for (const [id, { facts, kept, session_id }] of drafts) {
    const isTurn = facts.kind === "turn" && kept.some((each) => each.facts && isPlacedByTime(each.facts));
    const isSubagent = isDelegation(facts);
    const at = isTurn || isSubagent ? startOf(facts) : undefined;
    if (at === undefined) continue;
    const own = turns.get(session_id) ?? [];
    turns.set(session_id, own);
    const until = (isSubagent ? endOf(facts) : undefined) ?? Number.POSITIVE_INFINITY;
    own.push({ id, at, until, isTurn });
  }
  for (const own of turns.values()) own.sort(inTime);
  return turns;
}

/**
 * Finds the parent of an event, as exactly as it is known: the call that started it, the event of the span around it, its
 * turn, the turn of its trace, the turn or subagent that it lies in by time.
 */
export function parentOf(
  { session_id, facts }: Draft,
  around: string | undefined,
  traces: ReadonlyMap<string, Trace>,
  turns: readonly TimeSpan[] = [],
): string | null {
  if (facts.parentCall !== undefined) return callIdOf(session_id, facts.parentCall);
  if (facts.kind === "turn") return null;
  if (around !== undefined) return around;
  if (isPlacedByTime(facts)) {
    const begun = startOf(facts) ?? 0;
    const mayHold = ({ at, until, isTurn }: TimeSpan) =>
      at <= begun && begun <= until && (isTurn || !isDelegation(facts));
    return turns.findLast(mayHold)?.id ?? null;
  }
  if (facts.turn !== undefined) return turnIdOf(session_id, facts.turn);
  return facts.trace === undefined ? null : turnOfTrace(traces, session_id, facts.trace);
}
