import type { PlacedObservation } from "../fold/facts.ts";
import type { NamedSession } from "../store/session-rows.ts";

/**
 * Returns the sessions that observations name. A span that only links other spans creates no session for its trace. An
 * unrecognized span is used only for a session that no other observation names.
 */
export function findNamedSessions(kept: readonly PlacedObservation[]): Map<string, NamedSession> {
  const naming = kept.filter(({ facts, observation }) => facts !== null || observation.session !== undefined);
  const known = naming.filter(({ observation }) => !observation.isUnknown);
  const sessionsKnown = new Set(known.map(({ session_id }) => session_id));
  const unknown = naming.filter(
    ({ session_id, observation }) => observation.isUnknown && !sessionsKnown.has(session_id),
  );
  const sessions = new Map<string, NamedSession>();
  for (const { session_id, observation } of [...known, ...unknown]) {
    const { source, session, trace = "", startedAt, endedAt } = observation;
    const spelled = session ?? trace;
    const external_id = spelled.toLowerCase() === session_id ? null : spelled;
    const timestamp = startedAt ?? endedAt ?? Number.MAX_SAFE_INTEGER;
    const named = sessions.get(session_id);
    if (!named) {
      sessions.set(session_id, { session_id, external_id, source, timestamp });
      continue;
    }
    named.timestamp = Math.min(named.timestamp, timestamp);
    if (session !== undefined) named.external_id = external_id;
    if (source < named.source) named.source = source;
  }
  return sessions;
}
