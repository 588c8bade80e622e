import { createHash } from "node:crypto";
import type { Facts } from "./facts.ts";
import { callIdOf, turnIdOf } from "./ids.ts";
import { merge } from "./merge/merge.ts";
import type { TraceTurn } from "./merge/progress.ts";
import type { Observation } from "./observation.ts";
import type { SessionRow } from "./store/session-rows.ts";
import type { TraceRow } from "./store/trace-rows.ts";

/** An observation that is to be kept, and the session it belongs to. */
export interface KeptObservation {
  index: number;
  observation: Observation;
  session_id: string;
  /** Null for an observation of the session alone, or one that only links spans. */
  facts: Facts | null;
  /** The event that it is about, once that is known. */
  event_id: string | null;
}

/** The state of an event that a batch arrives at. */
export interface NextEvent {
  session_id: string;
  facts: Facts;
}

/** One transaction's work. */
export interface Batch {
  organizationId: string;
  /** Epoch ms. */
  now: number;
  kept: KeptObservation[];
  traces: Map<string, TraceRow>;
  sessions: Map<string, SessionRow>;
  /** States by the event's id. */
  next: Map<string, NextEvent>;
  /** Events that turned out to be part of others, and of which. */
  gone: Map<string, string | null>;
  /** The event of the span around an event, by its id. */
  above: Map<string, string>;
  /** Events that are not the connectors' to change, and why. */
  refused: Map<string, string>;
  /** Turns of traces that no record named along with them, by session. */
  turns: Map<string, readonly TraceTurn[]>;
}

/** Adds to the state of an event. */
export function addFacts({ next }: Batch, id: string, session_id: string, facts: Facts): void {
  const known = next.get(id);
  next.set(id, { session_id, facts: known ? merge(known.facts, facts) : facts });
}

/** The id of an event in this batch's view of its trace. */
export function idInTrace({ traces }: Batch, sessionId: string, facts: Facts): string {
  return eventIdOf(sessionId, facts, facts.trace === undefined ? null : turnNamed({ traces }, sessionId, facts.trace));
}

/** The turn of a trace that a record named along with it. */
export function turnNamed({ traces }: Pick<Batch, "traces">, sessionId: string, trace: string): string | null {
  const row = traces.get(trace);
  return row?.session_id === sessionId ? row.turn_id : null;
}

/**
 * The id of an event: by the agent's own id; a turn that is known under a trace alone is the turn that the trace
 * belongs to; else by its span, or by its content.
 */
function eventIdOf(sessionId: string, facts: Facts, traceTurn: string | null): string {
  const { kind, id, span } = facts;
  if (id !== undefined) return kind === "turn" ? turnIdOf(sessionId, id) : callIdOf(sessionId, id);
  if (kind === "turn" && traceTurn !== null) return traceTurn;
  return callIdOf(sessionId, span ?? contentOf(facts));
}

function contentOf({ kind, name, genericName, startedAt, endedAt, turn, trace, parentSpan, args }: Facts): string {
  const known = [kind, name ?? genericName, startedAt, endedAt, turn, trace, parentSpan];
  const content = startedAt === undefined && endedAt === undefined ? [...known, args?.text] : known;
  return createHash("sha1").update(JSON.stringify(content)).digest("hex");
}
