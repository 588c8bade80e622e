import { eventEnd, eventStart } from "./event.ts";
import { type EventDraft, type PlacedObservation, smallestText } from "./facts.ts";
import { toTurnId } from "./ids.ts";
import { compareByTime, findSoleTurnIdentitySource, type SoleTurnIdentitySource, type Trace } from "./traces.ts";
import { findOpenRequests, type UserRequest } from "./waits.ts";

/**
 * Summary of a session's turns, ends and requests. The summary determines when open events close and which state the
 * session is in.
 */
export interface SessionProgress {
  /** Latest turns, in order of time. */
  turns?: readonly KnownTurn[];
  /** Latest end of a turn, and latest end of the session; epoch ms. */
  turnEnd?: number;
  end?: number;
  /**
   * Latest turns that were named by a report of the session's end. A named turn counts as interrupted until a report of
   * the turn's own end arrives.
   */
  last?: readonly { id: string; at: number }[];
  /**
   * Requests to the user that no observation in the fold answers, in order of time. A later report may still show that
   * a request was answered.
   */
  waits?: readonly UserRequest[];
  /** Latest time of an event that a hook reported. */
  seenAt?: number;
  /**
   * Set after half an hour without reports: the arrival time of the last report, in epoch ms. Every event that arrived
   * until this time counts as ended.
   */
  silentAt?: number;
}

/**
 * A turn: the id of the turn's event, the start of the turn, and a part that contains the turn. If the identity of the
 * turn is uncertain, `by` is the only source of the identity.
 */
export interface KnownTurn {
  id: string;
  at: number;
  part: string;
  by?: SoleTurnIdentitySource;
  /**
   * `ended` is the end of the turn in epoch ms, if reported. `failed` is true if the turn failed. `live` is true if a
   * source other than a transcript reported the turn.
   */
  ended?: number;
  failed?: true;
  live?: true;
}

const MOST = 16;

/**
 * Updates the progress of each session after a fold. If the fold read a part, the turns from the fold replace the
 * stored turns of this part.
 */
export function updateProgress(
  before: ReadonlyMap<string, SessionProgress>,
  parts: ReadonlySet<string>,
  {
    drafts,
    kept,
    traces,
  }: {
    drafts: ReadonlyMap<string, EventDraft>;
    kept: readonly PlacedObservation[];
    traces: ReadonlyMap<string, Trace>;
  },
): Map<string, SessionProgress> {
  const all = new Map<string, SessionProgress>();
  const change = (session: string, by: (known: SessionProgress) => SessionProgress) =>
    all.set(session, by(all.get(session) ?? {}));
  for (const [session, known] of before) {
    const turns = (known.turns ?? []).filter(({ part, id }) => !parts.has(part) && !drafts.has(id));
    const waits = (known.waits ?? []).filter(({ part }) => !parts.has(part));
    all.set(session, { ...known, turns, ...(known.waits && { waits }) });
  }
  for (const [id, draft] of drafts) {
    if (draft.facts.kind === "turn")
      change(draft.session_id, (known) => advance(known, id, draft, findSoleTurnIdentitySource(traces, draft)));
  }
  for (const { observation, facts, session_id } of kept) {
    const at = observation.endedAt ?? observation.startedAt;
    if (observation.isHook && facts && at !== undefined)
      change(session_id, (known) => ({ ...known, seenAt: Math.max(known.seenAt ?? 0, at) }));
  }
  // Runs after the loops above, so that the members of a progress have a fixed order.
  for (const { observation, session_id } of kept) {
    const at = observation.endedAt ?? observation.startedAt;
    if (observation.ends !== "session" || at === undefined) continue;
    const turn = observation.turn === undefined ? undefined : toTurnId(session_id, observation.turn);
    change(session_id, (known) => finish(known, at, turn));
  }
  for (const [session, found] of findOpenRequests(kept, drafts))
    change(session, (known) => ({ ...known, waits: latest([...(known.waits ?? []), ...found]) }));
  return all;
}

function advance(
  progress: SessionProgress,
  id: string,
  { facts, kept }: EventDraft,
  by: KnownTurn["by"],
): SessionProgress {
  const at = eventStart(facts);
  const end = facts.ended ? eventEnd(facts) : undefined;
  const isLive = kept.some(({ observation }) => !observation.isTranscript);
  const turn = at !== undefined && {
    id,
    at,
    part: smallestText(kept.map(({ part }) => part)),
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

const latest = <T extends { id: string; at: number }>(all: T[]): T[] => all.sort(compareByTime).slice(-MOST);

/**
 * Records the end of a session, and the turn that the report of the end names. If several ends of the session name the
 * same turn, the time of the earliest of these ends is kept.
 */
function finish(progress: SessionProgress, at: number, turn: string | undefined): SessionProgress {
  const end = Math.max(progress.end ?? at, at);
  if (turn === undefined) return { ...progress, end };
  const known = progress.last ?? [];
  const before = known.find(({ id }) => id === turn);
  const others = known.filter((each) => each !== before);
  return { ...progress, end, last: latest([...others, { id: turn, at: Math.min(before?.at ?? at, at) }]) };
}

/**
 * State of a session according to the session's reports. When the state is read, the clock and the last calls refine
 * the state.
 */
export interface ReportedSessionState {
  state: "working" | "waitingForPermission" | "waitingForAnswer" | "idle" | "failed" | "ended";
  /** Epoch ms; undefined if unknown. */
  since?: number | undefined;
  waitsFor?: string | undefined;
  waitsEvent?: string | undefined;
}

/**
 * Derives the state of a session from its progress. An unanswered request takes precedence over everything else,
 * because the request came after every turn that has ended.
 */
export function deriveSessionState(progress: SessionProgress): ReportedSessionState {
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

/** Returns true if no later report shows that the request was answered. */
function isUnanswered(
  { at, turn, afterTurn, loose }: UserRequest,
  { turns, turnEnd, end, seenAt }: SessionProgress,
): boolean {
  if (end !== undefined && end >= at) return false;
  if (loose && seenAt !== undefined && seenAt > at) return false;
  const newest = turns?.at(-1);
  const own = turn === undefined ? undefined : turns?.find(({ id }) => id === turn);
  if (newest && (own ? newest !== own : newest.at > at)) return false;
  if (afterTurn) return true;
  return own ? own.ended === undefined : turnEnd === undefined || turnEnd < at;
}
