import { endOf, startOf } from "./event.ts";
import { type Draft, type Kept, leastOf } from "./facts.ts";
import { turnIdOf } from "./ids.ts";
import { inTime, type Looseness, looseness, type Trace } from "./traces.ts";
import { type KnownWait, waitsIn } from "./waits.ts";

/** The progress of a session, by which its open events close. */
export interface Progress {
  /** Its latest turns, in order of time. */
  turns?: readonly KnownTurn[];
  /** The latest end of a turn, and of the session. */
  turnEnd?: number;
  end?: number;
  /** The latest turns that an end of the session named: they were interrupted, unless an end of their own arrives. */
  last?: readonly { id: string; at: number }[];
  /** Its requests to a person, in order of time, also where a later report answers them. */
  waits?: readonly KnownWait[];
  /** The latest time of an event that a hook reported. */
  seenAt?: number;
  /** The arrival of the last report before half an hour without any: what came until then is over. */
  silentAt?: number;
}

/** A turn: its event, its beginning, a part that it stands in, and the one way in which it is known. */
export interface KnownTurn {
  id: string;
  at: number;
  part: string;
  by?: Looseness;
  /** Its end, if there was one; whether it failed; and that it was reported while it went on. */
  ended?: number;
  failed?: true;
  live?: true;
}

const MOST = 16;

/** The progress of each session after a fold: turns of the parts that it read are those that it made. */
export function progressOf(
  before: ReadonlyMap<string, Progress>,
  parts: ReadonlySet<string>,
  {
    drafts,
    kept,
    traces,
  }: { drafts: ReadonlyMap<string, Draft>; kept: readonly Kept[]; traces: ReadonlyMap<string, Trace> },
): Map<string, Progress> {
  const all = new Map<string, Progress>();
  const change = (session: string, by: (known: Progress) => Progress) => all.set(session, by(all.get(session) ?? {}));
  for (const [session, known] of before) {
    const turns = (known.turns ?? []).filter(({ part, id }) => !parts.has(part) && !drafts.has(id));
    const waits = (known.waits ?? []).filter(({ part }) => !parts.has(part));
    all.set(session, { ...known, turns, ...(known.waits && { waits }) });
  }
  for (const [id, draft] of drafts) {
    if (draft.facts.kind === "turn")
      change(draft.session_id, (known) => advance(known, id, draft, looseness(traces, draft)));
  }
  for (const { observation, facts, session_id } of kept) {
    const at = observation.endedAt ?? observation.startedAt;
    if (observation.isHook && facts && at !== undefined)
      change(session_id, (known) => ({ ...known, seenAt: Math.max(known.seenAt ?? 0, at) }));
  }
  // After the others, so that the members of a progress come in one order.
  for (const { observation, session_id } of kept) {
    const at = observation.endedAt ?? observation.startedAt;
    if (observation.ends !== "session" || at === undefined) continue;
    const turn = observation.turn === undefined ? undefined : turnIdOf(session_id, observation.turn);
    change(session_id, (known) => finish(known, at, turn));
  }
  for (const [session, found] of waitsIn(kept, drafts))
    change(session, (known) => ({ ...known, waits: latest([...(known.waits ?? []), ...found]) }));
  return all;
}

function advance(progress: Progress, id: string, { facts, kept }: Draft, by: KnownTurn["by"]): Progress {
  const at = startOf(facts);
  const end = facts.ended ? endOf(facts) : undefined;
  const isLive = kept.some(({ observation }) => !observation.isTranscript);
  const turn = at !== undefined && {
    id,
    at,
    part: leastOf(kept.map(({ part }) => part)),
    ...(by && { by }),
    ...(facts.ended && { ended: end ?? at }),
    ...(facts.success === false && { failed: true as const }),
    ...(isLive && { live: true as const }),
  };
  return {
    ...progress,
    ...(turn && { turns: latest([...(progress.turns ?? []), turn]) }),
    ...(end !== undefined && { turnEnd: Math.max(progress.turnEnd ?? end, end) }),
  };
}

const latest = <T extends { id: string; at: number }>(all: T[]): T[] => all.sort(inTime).slice(-MOST);

/** The end of a session, and the turn that it names. Of a session that ended twice in one turn, the first end counts. */
function finish(progress: Progress, at: number, turn: string | undefined): Progress {
  const end = Math.max(progress.end ?? at, at);
  if (turn === undefined) return { ...progress, end };
  const known = progress.last ?? [];
  const before = known.find(({ id }) => id === turn);
  const others = known.filter((each) => each !== before);
  return { ...progress, end, last: latest([...others, { id: turn, at: Math.min(before?.at ?? at, at) }]) };
}

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
  const wait = waits.find((each) => isUnanswered(each, progress));
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
function isUnanswered({ at, turn, afterTurn, loose }: KnownWait, { turns, turnEnd, end, seenAt }: Progress): boolean {
  if (end !== undefined && end >= at) return false;
  if (loose && seenAt !== undefined && seenAt > at) return false;
  const newest = turns?.at(-1);
  const own = turn === undefined ? undefined : turns?.find(({ id }) => id === turn);
  if (newest && (own ? newest !== own : newest.at > at)) return false;
  if (afterTurn) return true;
  return own ? own.ended === undefined : turnEnd === undefined || turnEnd < at;
}
