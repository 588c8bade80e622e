import type { Batch, NextEvent } from "../batch.ts";
import { callIdOf, turnIdOf } from "../ids.ts";
import { startOf } from "../project.ts";
import { isPlacedByTime } from "./cluster.ts";
import { type Progress, turnAt } from "./progress.ts";
import { turnOfTrace } from "./trace-turns.ts";

/**
 * Finds the parent of an event, as exactly as it is known: the call that started it, the event of the span around it, its
 * turn, the turn of its trace, the turn that it lies in by time.
 */
export function parentOf(
  batch: Batch,
  id: string,
  { session_id, facts }: NextEvent,
  progress: Progress,
): string | null {
  if (facts.parentCall !== undefined) return callIdOf(session_id, facts.parentCall);
  if (facts.kind === "turn") return null;
  const around = batch.above.get(id);
  if (around !== undefined) return around;
  if (isPlacedByTime(facts)) return turnAt(progress, startOf(facts) ?? 0);
  if (facts.turn !== undefined) return turnIdOf(session_id, facts.turn);
  return facts.trace === undefined ? null : turnOfTrace(batch, session_id, facts.trace);
}
