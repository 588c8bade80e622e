import type { Facts } from "./facts.ts";
import { turnIdOf } from "./ids.ts";
import { isPlacedByTime } from "./merge/cluster.ts";
import type { LooseTurn, Progress, TraceTurn } from "./merge/progress.ts";
import { endOf, startOf } from "./project.ts";

/** Turns that are remembered for events that are placed by time. */
const MAX_TURNS = 1_000;
/** Turns that are remembered until they are told of in another way, and traces whose turns were learned. */
const MAX_LOOSE = 16;
const MAX_TRACES = 64;

/** How far a session has come with a turn. */
export function advance(progress: Progress, id: string, facts: Facts, by: LooseTurn["by"] | undefined): Progress {
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
export function learnt(
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
export function forget(progress: Progress, gone: ReadonlyMap<string, string | null>): Progress {
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
export function finish(progress: Progress, at: number, turn: string | undefined): Progress {
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
