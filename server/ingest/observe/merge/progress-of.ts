import type { Batch } from "../batch.ts";
import { turnIdOf } from "../ids.ts";
import { advance, finish, forget, learnt } from "../progress.ts";
import type { Progress } from "./progress.ts";
import { looseness } from "./turns.ts";

/** How far each session has come. */
export function progressOf(batch: Batch): Map<string, Progress> {
  const progress = new Map<string, Progress>();
  for (const [id, { observed }] of batch.sessions) progress.set(id, forget(observed?.progress ?? {}, batch.gone));
  const set = (session: string, change: (known: Progress) => Progress) =>
    progress.set(session, change(progress.get(session) ?? {}));
  // Not as entries: a list for each of thousands of events, of which few are turns.
  batch.next.forEach((event, id) => {
    const { session_id, facts } = event;
    if (facts.kind === "turn") set(session_id, (known) => advance(known, id, facts, looseness(batch, event)));
  });
  for (const [session, turns] of batch.turns) set(session, (known) => learnt(known, session, turns, batch.gone));
  for (const { observation, session_id } of batch.told) {
    const at = observation.endedAt ?? observation.startedAt;
    if (observation.ends !== "session" || at === undefined) continue;
    const last = observation.turn === undefined ? undefined : turnIdOf(session_id, observation.turn);
    set(session_id, (known) => finish(known, at, last));
  }
  return progress;
}
