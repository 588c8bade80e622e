import { type Batch, turnNamed } from "../batch.ts";
import type { Facts } from "../facts.ts";
import { turnIdOf } from "../ids.ts";
import type { SessionRow } from "../store/session-rows.ts";
import type { SpanRow } from "../store/span-rows.ts";

/** The turns of traces that sessions have learned. */
export const turnsOf = (sessions: ReadonlyMap<string, SessionRow>): Batch["turns"] =>
  new Map(
    [...sessions].flatMap(([id, { observed }]) => (observed?.progress.traces ? [[id, observed.progress.traces]] : [])),
  );

/** The turn of a trace, as a record named it or as the session has learned it. */
export function turnOfTrace(batch: Pick<Batch, "traces" | "turns">, sessionId: string, trace: string): string | null {
  const named = turnNamed(batch, sessionId, trace);
  const learned = batch.turns.get(sessionId)?.find(({ id }) => id === trace);
  return named ?? (learned ? turnIdOf(sessionId, learned.turn) : null);
}

/** Gives a turn that is known under its trace alone the id that the session has learned for it. */
export function withTurnId(batch: Pick<Batch, "traces" | "turns">, sessionId: string, facts: Facts): Facts {
  const { kind, id, trace } = facts;
  if (kind !== "turn" || id !== undefined || trace === undefined || turnNamed(batch, sessionId, trace)) return facts;
  const learned = batch.turns.get(sessionId)?.find((each) => each.id === trace);
  return learned ? { ...facts, id: learned.turn } : facts;
}

/** Spans of which a session learned, while their trace was not locked, that what they are is another event. */
export function movedSpans(known: readonly SpanRow[], { turns }: Batch): SpanRow[] {
  const moved = new Map(
    [...turns].flatMap(([session, traces]) =>
      traces.flatMap(({ turn, from }) => from.map((id) => [id, turnIdOf(session, turn)] as const)),
    ),
  );
  return known.map((row) => ({ ...row, event_id: moved.get(row.event_id ?? "") ?? row.event_id }));
}
