import type { Batch, KeptObservation } from "../batch.ts";
import { factsOf } from "../facts.ts";
import { sessionIdOf, turnIdOf } from "../ids.ts";
import type { Observation } from "../observation.ts";
import type { NamedSession } from "../store/session-rows.ts";
import type { TraceRow } from "../store/trace-rows.ts";

/** The session that stands for a trace until something in it names one. */
export const provisionalSession = (organizationId: string, trace: string): string =>
  sessionIdOf(organizationId, "", trace);

/** A prepared observation and its place in what was sent. */
export interface Prepared {
  index: number;
  observation: Observation;
}

/** Learns which session and turn each trace belongs to. Answers the traces that were named only now. */
export function nameTraces(
  organizationId: string,
  traces: ReadonlyMap<string, TraceRow>,
  prepared: readonly Prepared[],
): { named: TraceRow[]; turned: TraceRow[] } {
  const [named, turned] = [new Set<TraceRow>(), new Set<TraceRow>()];
  for (const { observation } of prepared) {
    const trace = observation.trace === undefined ? undefined : traces.get(observation.trace);
    if (!trace || observation.session === undefined) continue;
    const session = sessionIdOf(organizationId, observation.source, observation.session);
    if (trace.session_id === null) {
      trace.session_id = session;
      named.add(trace);
    }
    const turn = turnOf(observation);
    if (turn === undefined || trace.session_id !== session) continue;
    const id = turnIdOf(session, turn);
    if (trace.turn_id !== null && trace.turn_id <= id) continue;
    trace.turn_id = id;
    turned.add(trace);
  }
  return { named: [...named], turned: [...turned] };
}

const turnOf = ({ kind, id, turn }: Observation): string | undefined => (kind === "turn" ? id : turn);

/** Places each observation in its session. */
export function place(
  { organizationId, traces }: Pick<Batch, "organizationId" | "traces">,
  prepared: readonly Prepared[],
): { kept: KeptObservation[]; sessions: NamedSession[] } {
  const sessions = new Map<string, NamedSession>();
  const kept = prepared.map(({ index, observation }): KeptObservation => {
    const session_id = sessionOf(organizationId, traces, observation);
    // A span that only links others does not make a session of its trace.
    if (observation.kind || observation.session !== undefined) note(sessions, session_id, observation);
    const facts = observation.kind ? factsOf(observation, observation.kind) : null;
    return { index, observation, session_id, facts, event_id: null };
  });
  return { kept, sessions: [...sessions.values()] };
}

function note(sessions: Map<string, NamedSession>, session_id: string, observation: Observation): void {
  const { source, session, trace = "", startedAt, endedAt } = observation;
  const spelled = session ?? trace;
  const external_id = spelled.toLowerCase() === session_id ? null : spelled;
  const timestamp = startedAt ?? endedAt ?? Number.MAX_SAFE_INTEGER;
  const named = sessions.get(session_id);
  if (!named) {
    sessions.set(session_id, { session_id, external_id, source, timestamp });
    return;
  }
  named.timestamp = Math.min(named.timestamp, timestamp);
  if (session !== undefined) named.external_id = external_id;
  if (source < named.source) named.source = source;
}

function sessionOf(
  organizationId: string,
  traces: Batch["traces"],
  { source, session, trace = "" }: Observation,
): string {
  if (session !== undefined) return sessionIdOf(organizationId, source, session);
  return traces.get(trace)?.session_id ?? provisionalSession(organizationId, trace);
}
