import { eventIdOf } from "./event-id.ts";
import type { Facts } from "./facts.ts";
import { merge } from "./merge/merge.ts";
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
}

/** Adds to the state of an event. */
export function addFacts({ next }: Batch, id: string, session_id: string, facts: Facts): void {
  const known = next.get(id);
  next.set(id, { session_id, facts: known ? merge(known.facts, facts) : facts });
}

/** The id of an event in this batch's view of its trace. */
export function idInTrace({ traces }: Batch, sessionId: string, facts: Facts): string {
  const trace = facts.trace === undefined ? undefined : traces.get(facts.trace);
  const turn = trace && trace.session_id === sessionId ? trace.turn_id : null;
  return eventIdOf(sessionId, facts, turn);
}
