import type { Progress } from "./progress.ts";
import type { KnownWait } from "./waits.ts";

/** The state of a session as its reports have it; the clock and its last calls say the rest when it is read. */
export interface StateOfSession {
  state: "working" | "waitingForPermission" | "waitingForAnswer" | "idle" | "failed" | "ended";
  /** Epoch ms; undefined while nothing is known of it. */
  since?: number | undefined;
  waitsFor?: string | undefined;
  waitsEvent?: string | undefined;
}

/** The state of a session by its progress. A request that nothing answered goes first: it came after all that is over. */
export function stateOf(progress: Progress): StateOfSession {
  const { turns, end, last, waits = [], seenAt } = progress;
  const wait = waits.find((each) => isOpen(each, progress));
  if (wait) {
    const state = wait.for === "permission" ? "waitingForPermission" : "waitingForAnswer";
    return { state, since: wait.at, waitsFor: wait.question, waitsEvent: wait.event };
  }
  const newest = turns?.at(-1);
  const isOver = end !== undefined && (newest === undefined || newest.at <= end);
  const isCut = isOver && newest?.ended === undefined && last?.some(({ id }) => id === newest?.id);
  if (newest?.failed || isCut) return { state: "failed", since: newest?.ended ?? end };
  if (isOver) return { state: "ended", since: end };
  if (newest?.live && newest.ended === undefined) return { state: "working", since: Math.max(newest.at, seenAt ?? 0) };
  return { state: "idle", since: newest?.ended };
}

/** Reports whether nothing that came later says that a request was answered. */
function isOpen({ at, turn, afterTurn, loose }: KnownWait, { turns, turnEnd, end, seenAt }: Progress): boolean {
  if (end !== undefined && end >= at) return false;
  if (loose && seenAt !== undefined && seenAt > at) return false;
  const newest = turns?.at(-1);
  const own = turn === undefined ? undefined : turns?.find(({ id }) => id === turn);
  if (newest && (own ? newest !== own : newest.at > at)) return false;
  if (afterTurn) return true;
  return own ? own.ended === undefined : turnEnd === undefined || turnEnd < at;
}
