import { findNamedSessionId, isAssignedToTurnByTime, isSourceWithoutIds } from "../correlation.ts";
import type { StoredObservation } from "../store/observation-rows.ts";
import { eventEnd, eventStart } from "./event.ts";
import type { EventDraft, EventFacts } from "./facts.ts";
import { toSessionId, toTurnId } from "./ids.ts";

/**
 * Facts about a trace. `session_id` is the session of the records that name no session. `turns` contains the turn of
 * the trace in each session.
 */
export interface Trace {
  session_id: string;
  turns: Map<string, TurnOfTrace>;
}

/** Turn of a trace in one session. `turn` was named by a record; `learned` was derived by the fold. */
interface TurnOfTrace {
  /** Event of the turn. */
  turn: string | null;
  /** Learned turn, in the agent's spelling. */
  learned?: string;
}

/**
 * Maximum time between two reports of the start of one turn. SAME_PROMPT_MS applies to reports with equal prompts,
 * because the clocks of the sources may differ. NEAR_MS applies if a report contains no prompt.
 */
export const SAME_PROMPT_MS = 300_000;
const NEAR_MS = 10_000;
/**
 * Number of characters of a prompt that are compared. Only the beginning is compared, because a source may have
 * truncated the rest.
 */
const PROMPT_CHARS = 256;

/** Finds the session of each trace. If several sessions are named, the one with the earliest time wins. */
export function findTraceSessions(
  organizationId: string,
  stored: readonly StoredObservation[],
): ReadonlyMap<string, string> {
  const named = new Map<string, { at: number; session: string }>();
  for (const { observation } of stored) {
    const { trace, startedAt, endedAt } = observation;
    const session = findNamedSessionId(organizationId, observation);
    if (trace === undefined || session === undefined) continue;
    const at = startedAt ?? endedAt ?? Number.MAX_SAFE_INTEGER;
    const known = named.get(trace);
    if (!known || at < known.at || (at === known.at && session < known.session)) named.set(trace, { at, session });
  }
  return new Map([...named].map(([trace, { session }]) => [trace, session]));
}

/** Finds the turn of each trace. A trace without a named session forms its own session. */
export function findTraces(
  organizationId: string,
  stored: readonly StoredObservation[],
  sessions: ReadonlyMap<string, string>,
): Map<string, Trace> {
  const traces = new Map<string, Trace>();
  for (const { observation } of stored) {
    const { trace, kind, id, turn } = observation;
    if (trace === undefined) continue;
    const session_id = sessions.get(trace) ?? toSessionId(organizationId, "", trace);
    const { turns } = traces.get(trace) ?? { turns: new Map<string, TurnOfTrace>() };
    traces.set(trace, { session_id, turns });
    const session = findNamedSessionId(organizationId, observation) ?? session_id;
    const known = turns.get(session) ?? { turn: null };
    turns.set(session, known);
    const spelled = kind === "turn" ? id : turn;
    if (spelled === undefined || findNamedSessionId(organizationId, observation) === undefined) continue;
    const own = toTurnId(session, spelled);
    if (known.turn === null || own < known.turn) known.turn = own;
  }
  return traces;
}

type Traces = ReadonlyMap<string, Trace>;

export function turnOfTrace(traces: Traces, session: string, trace: string): string | null {
  const known = traces.get(trace)?.turns.get(session);
  if (known === undefined) return null;
  return known.turn ?? (known.learned === undefined ? null : toTurnId(session, known.learned));
}

/**
 * The only source from which a turn is known: its id (from hooks or transcripts, for example), its trace (from spans
 * and log records), or its time. Undefined if the identity of the turn is certain.
 */
export type SoleTurnIdentitySource = "id" | "trace" | "time" | undefined;

/** Returns the only source from which a turn is known; undefined if the identity of the turn is certain. */
export function findSoleTurnIdentitySource(traces: Traces, { session_id, facts }: EventDraft): SoleTurnIdentitySource {
  if (facts.kind !== "turn" || isSourceWithoutIds(facts.source)) return undefined;
  if (facts.id !== undefined) return facts.trace === undefined ? "id" : undefined;
  if (facts.trace === undefined) return isAssignedToTurnByTime(facts) ? "time" : undefined;
  if (!traces.get(facts.trace)?.turns.has(session_id)) return undefined;
  return turnOfTrace(traces, session_id, facts.trace) === null ? "trace" : undefined;
}

/**
 * Finds the turn of each trace whose turn no record has named. First, a call that names both the trace and a turn
 * determines the turn. Second, a turn that is known only by its trace is matched by prompt and time with a turn that is
 * known only by its id. Returns the turn ids, in the agent's spelling, of prompts that are known only by their time.
 */
export function inferTurnsOfTraces(traces: Traces, drafts: ReadonlyMap<string, EventDraft>): Map<string, string> {
  for (const { session_id, facts } of drafts.values()) {
    const { kind, trace, turn } = facts;
    if (kind === "turn" || trace === undefined || turn === undefined || isAssignedToTurnByTime(facts)) continue;
    const known = traces.get(trace)?.turns.get(session_id);
    if (known?.turn !== null) continue;
    if (known.learned === undefined || turn < known.learned) known.learned = turn;
  }
  const turns = [...drafts].flatMap(([id, draft]): LooseTurn[] => {
    const by = findSoleTurnIdentitySource(traces, draft);
    return by ? [{ ...draft, id, by, at: eventStart(draft.facts) ?? 0 }] : [];
  });
  learnFromPrompts(traces, turns);
  const prompts = turns.filter(({ by }) => by === "time");
  return prompts.length > 0 ? learnFromOrder(prompts.sort(compareByTime), drafts) : new Map();
}

interface LooseTurn extends EventDraft {
  id: string;
  by?: SoleTurnIdentitySource;
  at: number;
}

/**
 * Assigns turn ids to prompts that are known only by their time. A prompt belongs to the first turn that ends after the
 * prompt and before the next prompt.
 */
function learnFromOrder(prompts: readonly LooseTurn[], drafts: ReadonlyMap<string, EventDraft>): Map<string, string> {
  const named = [...drafts].flatMap(([id, draft]): LooseTurn[] => {
    const at = eventEnd(draft.facts) ?? eventStart(draft.facts);
    return draft.facts.kind === "turn" && draft.facts.id !== undefined && at !== undefined
      ? [{ ...draft, id, at }]
      : [];
  });
  const learned = new Map<string, string>();
  for (const { session_id, facts, at } of named.sort(compareByTime)) {
    const prompt = prompts.findLast((each) => each.session_id === session_id && each.at <= at);
    if (prompt && facts.id !== undefined && !learned.has(prompt.id)) learned.set(prompt.id, facts.id);
  }
  return learned;
}

function learnFromPrompts(traces: Traces, turns: readonly LooseTurn[]): void {
  const named = turns.filter(({ by }) => by === "id");
  const loose = turns.filter(({ by }) => by === "trace").sort(compareByTime);
  for (const each of loose) {
    const trace = traces.get(each.facts.trace ?? "")?.turns.get(each.session_id);
    const isTurn = ({ session_id, facts }: LooseTurn) => session_id === each.session_id && isSame(facts, each.facts);
    const id = takeNearest(each, named, isTurn)?.facts.id;
    if (trace && id !== undefined) trace.learned = id;
  }
}

function isSame(named: EventFacts, loose: EventFacts): boolean {
  if (named.source !== loose.source) return false;
  const [start, end, begun] = [named.startedAt ?? named.startSeen, eventEnd(named), eventStart(loose)];
  if (begun === undefined) return false;
  // Only the end of the named turn was reported.
  if (start === undefined) return end !== undefined && begun <= end;
  const [a, b] = [promptOf(named), promptOf(loose)];
  if (a === "" || b === "") return Math.abs(start - begun) <= NEAR_MS;
  return a === b && Math.abs(start - begun) <= SAME_PROMPT_MS;
}

/** Returns the prompt of a turn; empty if a setting of the agent hides the prompt. */
const promptOf = ({ args }: EventFacts): string =>
  /^[<[]REDACTED[\]>]$/.test(args?.text ?? "") ? "" : (args?.text ?? "").trim().slice(0, PROMPT_CHARS);

/** Report, with the id of the reported event and the time of the report, epoch ms. */
interface Timed {
  id: string;
  at: number;
}

/** Sorts reports by time, then by id. */
export const compareByTime = (a: Timed, b: Timed): number => a.at - b.at || (a.id < b.id ? -1 : 1);

/** Removes from `others` the matching report that is nearest in time, and returns that report. */
export function takeNearest<T extends Timed>({ at }: Timed, others: T[], fits: (other: T) => boolean): T | undefined {
  const distance = (other: T) => Math.abs(other.at - at);
  const [nearest] = others.filter(fits).sort((a, b) => distance(a) - distance(b) || compareByTime(a, b));
  if (nearest) others.splice(others.indexOf(nearest), 1);
  return nearest;
}
