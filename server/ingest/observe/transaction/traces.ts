import type { ClientBase } from "pg";
import { nameTraces, type Prepared, provisionalSession } from "../merge/resolve.ts";
import { lockTraces, newTraces, type TraceRow } from "../store/trace-rows.ts";

/** The traces that observations name, locked until the transaction ends. */
export interface NamedTraces {
  traces: Map<string, TraceRow>;
  /** Those that this transaction made. */
  made: ReadonlySet<string>;
  /** Those that were there before; what is known of them now is still to be written. */
  known: readonly TraceRow[];
  /** Those of which a turn was named only now. */
  turned: readonly TraceRow[];
  /** The sessions that stood for those whose session was named only now. */
  provisional: readonly string[];
}

/**
 * Locks the traces that observations name, and learns which session and turn each belongs to. Those that are new are made
 * with both, as if nothing was known of any.
 */
export async function lockNamedTraces(
  client: ClientBase,
  owner: { organizationId: string; now: number },
  prepared: readonly Prepared[],
): Promise<NamedTraces> {
  const { organizationId } = owner;
  const wanted = newTraces(new Set(prepared.flatMap(({ observation }) => observation.trace ?? [])));
  const fresh = nameTraces(organizationId, wanted, prepared);
  const { traces, made } = await lockTraces(client, owner, wanted);
  if (made.size === traces.size) return { traces, made, known: [], turned: fresh.turned, provisional: [] };
  const { named, turned } = nameTraces(organizationId, traces, prepared);
  return {
    traces,
    made,
    known: [...traces.values()].filter(({ trace_id }) => !made.has(trace_id)),
    turned: [...turned, ...fresh.turned.filter(({ trace_id }) => made.has(trace_id))],
    // No event of a new trace has left a session.
    provisional: named.map(({ trace_id }) => provisionalSession(organizationId, trace_id)),
  };
}
