import { eventIdOf } from "./event-id.ts";
import type { Facts } from "./facts.ts";
import { merge } from "./merge/merge.ts";
import type { TraceTurn } from "./merge/progress.ts";
import type { Observation } from "./observation.ts";
import type { SessionRow } from "./store/session-rows.ts";
import type { TraceRow } from "./store/trace-rows.ts";

/** An observation that is to be kept, and the session it belongs to. */
export interface Told {
  index: number;
  observation: Observation;
  session_id: string;
  /** Null: it tells of the session, or links spans. */
  facts: Facts | null;
  /** The event it tells of, once that is known. */
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
  told: Told[];
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
