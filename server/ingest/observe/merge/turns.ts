import { addFacts, type Batch, idInTrace, type NextEvent } from "../batch.ts";
import type { Facts } from "../facts.ts";
import { endOf, startOf } from "../project.ts";
import { isPlacedByTime } from "./cluster.ts";
import type { LooseTurn } from "./progress.ts";
import { turnOfTrace, withTurnId } from "./trace-turns.ts";

/** Two reports of one turn's beginning lie within this time: for the same prompt, whatever their clocks say; or for any. */
const SAME_PROMPT_MS = 300_000;
const NEAR_MS = 10_000;
/** Characters of a prompt that are compared: a source may have cut the rest. */
const PROMPT_CHARS = 256;

/** Reports in which one way a turn is known: by an id alone (from hooks), or under a trace alone (from spans and logs). */
export function looseness(batch: Batch, { session_id, facts }: NextEvent): LooseTurn["by"] | undefined {
  if (facts.kind !== "turn" || isPlacedByTime(facts)) return undefined;
  if (facts.id !== undefined) return facts.trace === undefined ? "id" : undefined;
  if (facts.trace === undefined || batch.traces.get(facts.trace)?.session_id !== session_id) return undefined;
  return turnOfTrace(batch, session_id, facts.trace) === null ? "trace" : undefined;
}

/** Known turns that may be those that a batch reports in the other way. */
export function looseTurns(batch: Batch): string[] {
  return [...batch.next.values()].flatMap((event) => {
    const loose = looseness(batch, event);
    if (!loose) return [];
    const known = batch.sessions.get(event.session_id)?.observed?.progress.loose ?? [];
    return known.filter((other) => other.by !== loose).map(({ id }) => id);
  });
}

/**
 * Learns which turn a trace belongs to where no record names both: a call of both is of that turn, and a turn that is
 * known under the trace alone is the turn that is known by its id at that time, with that prompt.
 * Answers the traces. The batch's reports of their turns have moved to them.
 */
export function learnTurns(batch: Batch): string[] {
  const learned = new Set([...learnFromCalls(batch), ...learnFromPrompts(batch)]);
  if (learned.size > 0) moveTurns(batch);
  return [...learned];
}

function learnFromCalls(batch: Batch): string[] {
  const found = [...batch.next.values()].flatMap(({ session_id, facts }) => {
    const { kind, trace, turn } = facts;
    if (kind === "turn" || trace === undefined || turn === undefined || isPlacedByTime(facts)) return [];
    // A trace of another session's is no turn of this one.
    const isOurs = batch.traces.get(trace)?.session_id === session_id;
    return isOurs && turnOfTrace(batch, session_id, trace) === null ? [{ session_id, trace, turn }] : [];
  });
  for (const each of found.sort((a, b) => (a.turn < b.turn ? 1 : -1))) learn(batch, each);
  return found.map(({ trace }) => trace);
}

function learnFromPrompts(batch: Batch): string[] {
  const turns = [...batch.next].flatMap(([id, event]) => {
    const by = looseness(batch, event);
    return by ? [{ ...event, id, by, at: startOf(event.facts) ?? 0 }] : [];
  });
  const named = turns.filter(({ by }) => by === "id");
  const found = turns
    .filter(({ by }) => by === "trace")
    .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
    .flatMap((loose) => {
      const [turn] = named
        .filter(({ session_id, facts }) => session_id === loose.session_id && isSame(facts, loose.facts))
        .sort((a, b) => Math.abs(a.at - loose.at) - Math.abs(b.at - loose.at) || (a.id < b.id ? -1 : 1));
      if (!turn) return [];
      named.splice(named.indexOf(turn), 1);
      return [{ session_id: loose.session_id, trace: loose.facts.trace ?? "", turn: turn.facts.id ?? "" }];
    });
  for (const each of found) learn(batch, each);
  return found.map(({ trace }) => trace);
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

interface Lesson {
  session_id: string;
  trace: string;
  turn: string;
}

function learn({ turns }: Batch, { session_id, trace, turn }: Lesson): void {
  const known = turns.get(session_id) ?? [];
  turns.set(session_id, [...known.filter(({ id }) => id !== trace), { id: trace, turn, from: [] }]);
}

/** Replaces turns that are known under a trace alone by the turns that they are. */
function moveTurns(batch: Batch): void {
  for (const [id, { session_id, facts }] of [...batch.next]) {
    const known = withTurnId(batch, session_id, facts);
    if (known === facts) continue;
    const turn = idInTrace(batch, session_id, known);
    batch.next.delete(id);
    batch.gone.set(id, turn);
    addFacts(batch, turn, session_id, known);
  }
}

/** Moves the children of an event that is now part of another under that one. */
export function moveAbove({ above, gone }: Batch): void {
  for (const [id, event] of above) {
    const moved = gone.get(event);
    if (moved) above.set(id, moved);
  }
}
