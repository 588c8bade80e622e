import type { Batch } from "../batch.ts";
import type { Facts } from "../facts.ts";
import { turnIdOf } from "../ids.ts";
import { endOf, startOf } from "../project.ts";
import { isPlacedByTime } from "./cluster.ts";
import { looseness } from "./turns.ts";

/** The progress of a session, by which its open events close. */
export interface Progress {
  /** The newest turn. */
  turn?: { id: string; at: number };
  /** The latest end of a turn, and of the session. */
  turnEnd?: number;
  end?: number;
  /** The latest turns that an end of the session named: they were interrupted, unless an end of their own arrives. */
  last?: { id: string; at: number }[];
  /** Turns in order of time, where events belong to a turn by their time alone. */
  turns?: { id: string; at: number }[];
  /** The latest turns that are known in one of two ways. */
  loose?: LooseTurn[];
  /** The latest traces whose turns were learned. */
  traces?: readonly TraceTurn[];
}

/** A turn that is known by its id alone, or under its trace alone: what is known otherwise may be the same. */
export interface LooseTurn {
  id: string;
  at: number;
  by: "id" | "trace";
}

/** The turn that a trace belongs to, in the agent's spelling, and the events that turned out to be that turn. */
export interface TraceTurn {
  id: string;
  turn: string;
  from: readonly string[];
}

/** Turns that are remembered for events that are placed by time. */
const MAX_TURNS = 1_000;
/** Turns that are remembered until they are known in the other way too, and traces whose turns were learned. */
const MAX_LOOSE = 16;
const MAX_TRACES = 64;

/** The progress of each session. */
export function progressOf(batch: Batch): Map<string, Progress> {
  const progress = new Map<string, Progress>();
  for (const [id, { observed }] of batch.sessions) progress.set(id, forget(observed?.progress ?? {}, batch.gone));
  const set = (session: string, change: (known: Progress) => Progress) =>
    progress.set(session, change(progress.get(session) ?? {}));
  // Entries would make a list for each of thousands of events, and hardly any is a turn.
  batch.next.forEach((event, id) => {
    const { session_id, facts } = event;
    if (facts.kind === "turn") set(session_id, (known) => advance(known, id, facts, looseness(batch, event)));
  });
  for (const [session, turns] of batch.turns) set(session, (known) => learnt(known, session, turns, batch.gone));
  for (const { observation, session_id } of batch.kept) {
    const at = observation.endedAt ?? observation.startedAt;
    if (observation.ends !== "session" || at === undefined) continue;
    const last = observation.turn === undefined ? undefined : turnIdOf(session_id, observation.turn);
    set(session_id, (known) => finish(known, at, last));
  }
  return progress;
}

/** Adds a turn to the progress of its session. */
function advance(progress: Progress, id: string, facts: Facts, by: LooseTurn["by"] | undefined): Progress {
  const at = startOf(facts);
  const end = facts.ended ? endOf(facts) : undefined;
  const { turn } = progress;
  const isNewest = at !== undefined && (!turn || turn.id === id || at > turn.at || (at === turn.at && id > turn.id));
  return {
    ...progress,
    ...(isNewest && { turn: { id, at } }),
    ...(end !== undefined && { turnEnd: Math.max(progress.turnEnd ?? end, end) }),
    ...(at !== undefined && isPlacedByTime(facts) && { turns: withTurn(progress.turns ?? [], { id, at }) }),
    ...looseWith(progress, id, by && { id, at: at ?? 0, by }),
  };
}

function looseWith({ loose = [] }: Progress, id: string, turn: LooseTurn | undefined): Pick<Progress, "loose"> {
  const others = loose.filter((each) => each.id !== id);
  if (!turn) return others.length < loose.length ? { loose: others } : {};
  const inTime = [...others, turn].sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
  return { loose: inTime.slice(-MAX_LOOSE) };
}

/** The same with the turns of traces that were learned, and the events that were found to be those turns. */
function learnt(
  progress: Progress,
  session: string,
  turns: readonly TraceTurn[],
  gone: ReadonlyMap<string, string | null>,
): Progress {
  const traces = turns.slice(-MAX_TRACES).map(({ id, turn, from }) => {
    const event = turnIdOf(session, turn);
    const now = [...gone].filter(([, to]) => to === event).map(([moved]) => moved);
    return { id, turn, from: [...new Set([...from, ...now])] };
  });
  return traces.length > 0 ? { ...progress, traces } : progress;
}

function withTurn(turns: readonly { id: string; at: number }[], turn: { id: string; at: number }) {
  const others = turns.filter(({ id }) => id !== turn.id);
  return [...others, turn].sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)).slice(-MAX_TURNS);
}

/** The same after events turned out to be part of others. */
function forget(progress: Progress, gone: ReadonlyMap<string, string | null>): Progress {
  const { turn, turns, loose } = progress;
  const isGone = turn && gone.has(turn.id);
  const next = isGone ? gone.get(turn.id) : undefined;
  const { turn: _turn, ...rest } = progress;
  return {
    ...(isGone ? { ...rest, ...(next && { turn: { id: next, at: turn.at } }) } : progress),
    ...(turns && { turns: turns.filter(({ id }) => !gone.has(id)) }),
    ...(loose && { loose: loose.filter(({ id }) => !gone.has(id)) }),
  };
}

/** The end of a session, and the turn that it names. Of a session that ended twice in one turn, the first end counts. */
function finish(progress: Progress, at: number, turn: string | undefined): Progress {
  const end = Math.max(progress.end ?? at, at);
  if (turn === undefined) return { ...progress, end };
  const known = progress.last ?? [];
  const before = known.find(({ id }) => id === turn);
  const others = known.filter((each) => each !== before);
  const last = [...others, { id: turn, at: Math.min(before?.at ?? at, at) }];
  return { ...progress, end, last: last.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)).slice(-MAX_LOOSE) };
}

/** The turn that a moment lies in. */
export const turnAt = ({ turns = [] }: Progress, at: number): string | null =>
  turns.findLast((turn) => turn.at <= at)?.id ?? null;
