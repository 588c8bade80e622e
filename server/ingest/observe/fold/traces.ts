import { hasNoIds, isPlacedByTime, namedSession } from "../correlation.ts";
import type { StoredObservation } from "../store/observation-rows.ts";
import { endOf, startOf } from "./event.ts";
import type { Draft, Facts } from "./facts.ts";
import { sessionIdOf, turnIdOf } from "./ids.ts";

/** The facts about a trace: the session of what names none, and its turn in each session. */
export interface Trace {
  session_id: string;
  turns: Map<string, TurnOfTrace>;
}

/** The turn of a trace in one session: that which a record named, and that which was learned. */
interface TurnOfTrace {
  /** The event of the turn. */
  turn: string | null;
  /** The learned turn in the agent's spelling. */
  learned?: string;
}

/** Two reports of one turn's beginning lie within this time: for the same prompt, whatever their clocks say; or for any. */
export const SAME_PROMPT_MS = 300_000;
const NEAR_MS = 10_000;
/** Characters of a prompt that are compared: a source may have cut the rest. */
const PROMPT_CHARS = 256;

/** Finds the session that each trace belongs to: of several the one that was named for the earliest moment. */
export function sessionsOfTraces(
  organizationId: string,
  stored: readonly StoredObservation[],
): ReadonlyMap<string, string> {
  const named = new Map<string, { at: number; session: string }>();
  for (const { observation } of stored) {
    const { trace, startedAt, endedAt } = observation;
    const session = namedSession(organizationId, observation);
    if (trace === undefined || session === undefined) continue;
    const at = startedAt ?? endedAt ?? Number.MAX_SAFE_INTEGER;
    const known = named.get(trace);
    if (!known || at < known.at || (at === known.at && session < known.session)) named.set(trace, { at, session });
  }
  return new Map([...named].map(([trace, { session }]) => [trace, session]));
}

/** Finds the turn that each trace belongs to. A trace whose session nothing named stands for one itself. */
export function tracesOf(
  organizationId: string,
  stored: readonly StoredObservation[],
  sessions: ReadonlyMap<string, string>,
): Map<string, Trace> {
  const traces = new Map<string, Trace>();
  for (const { observation } of stored) {
    const { trace, kind, id, turn } = observation;
    if (trace === undefined) continue;
    const session_id = sessions.get(trace) ?? sessionIdOf(organizationId, "", trace);
    const { turns } = traces.get(trace) ?? { turns: new Map<string, TurnOfTrace>() };
    traces.set(trace, { session_id, turns });
    const session = namedSession(organizationId, observation) ?? session_id;
    const known = turns.get(session) ?? { turn: null };
    turns.set(session, known);
    const spelled = kind === "turn" ? id : turn;
    if (spelled === undefined || namedSession(organizationId, observation) === undefined) continue;
    const own = turnIdOf(session, spelled);
    if (known.turn === null || own < known.turn) known.turn = own;
  }
  return traces;
}

type Traces = ReadonlyMap<string, Trace>;

/** The turn of a trace of a session. */
export function turnOfTrace(traces: Traces, session: string, trace: string): string | null {
  const known = traces.get(trace)?.turns.get(session);
  if (known === undefined) return null;
  return known.turn ?? (known.learned === undefined ? null : turnIdOf(session, known.learned));
}

/** The one way in which a turn is known: by an id alone (from hooks), under a trace alone (from spans and logs), or by its time. */
export type Looseness = "id" | "trace" | "time" | undefined;

/** Reports in which one way a turn is known. */
export function looseness(traces: Traces, { session_id, facts }: Draft): Looseness {
  if (facts.kind !== "turn" || hasNoIds(facts.source)) return undefined;
  if (facts.id !== undefined) return facts.trace === undefined ? "id" : undefined;
  if (facts.trace === undefined) return isPlacedByTime(facts) ? "time" : undefined;
  if (!traces.get(facts.trace)?.turns.has(session_id)) return undefined;
  return turnOfTrace(traces, session_id, facts.trace) === null ? "trace" : undefined;
}

/**
 * Learns which turn a trace belongs to where no record names both: a call of both is of that turn, and a turn that is
 * known under the trace alone is the turn that is known by its id at that time, with that prompt. Answers the turns of
 * prompts that are known by their time alone, in the agent's spelling.
 */
export function learnTurns(traces: Traces, drafts: ReadonlyMap<string, Draft>): Map<string, string> {
  for (const { session_id, facts } of drafts.values()) {
    const { kind, trace, turn } = facts;
    if (kind === "turn" || trace === undefined || turn === undefined || isPlacedByTime(facts)) continue;
    const known = traces.get(trace)?.turns.get(session_id);
    if (known?.turn !== null) continue;
    if (known.learned === undefined || turn < known.learned) known.learned = turn;
  }
  const turns = [...drafts].flatMap(([id, draft]): LooseTurn[] => {
    const by = looseness(traces, draft);
    return by ? [{ ...draft, id, by, at: startOf(draft.facts) ?? 0 }] : [];
  });
  learnFromPrompts(traces, turns);
  const prompts = turns.filter(({ by }) => by === "time");
  return prompts.length > 0 ? learnFromOrder(prompts.sort(inTime), drafts) : new Map();
}

interface LooseTurn extends Draft {
  id: string;
  by?: Looseness;
  at: number;
}

/** A prompt that is known by its time alone began the turn that ended next, before the next prompt. */
function learnFromOrder(prompts: readonly LooseTurn[], drafts: ReadonlyMap<string, Draft>): Map<string, string> {
  const named = [...drafts].flatMap(([id, draft]): LooseTurn[] => {
    const at = endOf(draft.facts) ?? startOf(draft.facts);
    return draft.facts.kind === "turn" && draft.facts.id !== undefined && at !== undefined
      ? [{ ...draft, id, at }]
      : [];
  });
  const learned = new Map<string, string>();
  for (const { session_id, facts, at } of named.sort(inTime)) {
    const prompt = prompts.findLast((each) => each.session_id === session_id && each.at <= at);
    if (prompt && facts.id !== undefined && !learned.has(prompt.id)) learned.set(prompt.id, facts.id);
  }
  return learned;
}

function learnFromPrompts(traces: Traces, turns: readonly LooseTurn[]): void {
  const named = turns.filter(({ by }) => by === "id");
  const loose = turns.filter(({ by }) => by === "trace").sort(inTime);
  for (const each of loose) {
    const trace = traces.get(each.facts.trace ?? "")?.turns.get(each.session_id);
    const isTurn = ({ session_id, facts }: LooseTurn) => session_id === each.session_id && isSame(facts, each.facts);
    const id = takeNearest(each, named, isTurn)?.facts.id;
    if (trace && id !== undefined) trace.learned = id;
  }
}

function isSame(named: Facts, loose: Facts): boolean {
  if (named.source !== loose.source) return false;
  const [start, end, begun] = [named.startedAt ?? named.startSeen, endOf(named), startOf(loose)];
  if (begun === undefined) return false;
  // Only the end of this one was reported.
  if (start === undefined) return end !== undefined && begun <= end;
  const [a, b] = [promptOf(named), promptOf(loose)];
  if (a === "" || b === "") return Math.abs(start - begun) <= NEAR_MS;
  return a === b && Math.abs(start - begun) <= SAME_PROMPT_MS;
}

/** The prompt of a turn; empty when a setting of the agent hides it. */
const promptOf = ({ args }: Facts): string =>
  /^[<[]REDACTED[\]>]$/.test(args?.text ?? "") ? "" : (args?.text ?? "").trim().slice(0, PROMPT_CHARS);

/** A report, by the id of its event and its time, epoch ms. */
interface Timed {
  id: string;
  at: number;
}

/** The order of reports in time; of those of one moment, that of their ids. */
export const inTime = (a: Timed, b: Timed): number => a.at - b.at || (a.id < b.id ? -1 : 1);

/** Takes the report out of `others` that lies nearest to one in time, of those that fit. */
export function takeNearest<T extends Timed>({ at }: Timed, others: T[], fits: (other: T) => boolean): T | undefined {
  const distance = (other: T) => Math.abs(other.at - at);
  const [nearest] = others.filter(fits).sort((a, b) => distance(a) - distance(b) || inTime(a, b));
  if (nearest) others.splice(others.indexOf(nearest), 1);
  return nearest;
}
