import type { SinceYesterdayQuery } from "../../../data/documents.ts";

type Data = SinceYesterdayQuery;

/** Figure of a tool that has risen: the value since yesterday (`now`) and the value in the period before (`before`). */
export interface IncreasedToolFigure {
  name: string;
  now: number;
  before: number;
}

/**
 * Minimum ratio of the new value to the old value, and minimum numbers of calls and sessions in each period. With fewer
 * calls or sessions, a single call could decide the result.
 */
const RATIO = 1.5;
const LEAST_CALLS = 20;
const LEAST_SESSIONS = 5;
/** Minimum differences in milliseconds and in US dollars. Smaller differences are not noticeable. */
const LEAST_MS = 100;
const LEAST_COST = 0.01;
/** Maximum number of tools and agents in the list. */
const MOST = 5;

/**
 * Returns the tools whose 95th percentile of the latency (in milliseconds) has risen, largest relative increase first.
 */
export function findSlowerTools({ now, before }: Pick<Data, "now" | "before">): IncreasedToolFigure[] {
  const known = new Map(before.tools.map((tool) => [tool.name, tool]));
  return risen(
    now.tools.flatMap(({ name, calls, p95 }) => {
      const last = known.get(name);
      if (!last || p95 === null || last.p95 === null || Math.min(calls, last.calls) < LEAST_CALLS) return [];
      return [{ name, now: p95, before: last.p95 }];
    }),
    LEAST_MS,
  );
}

/**
 * Returns the tools whose cost per session (in US dollars) has risen, largest relative increase first. Days begin at
 * midnight, UTC.
 */
export function findMoreExpensiveTools({ tools }: Pick<Data, "tools">, yesterday: string): IncreasedToolFigure[] {
  return risen(
    tools.groups.flatMap(({ name, days }) => {
      const [last, first] = [costs(days, (day) => day >= yesterday), costs(days, (day) => day < yesterday)];
      if (Math.min(last.sessions, first.sessions) < LEAST_SESSIONS) return [];
      return [{ name, now: last.cost / last.sessions, before: first.cost / first.sessions }];
    }),
    LEAST_COST,
  );
}

type Day = Data["tools"]["groups"][number]["days"][number];

function costs(days: readonly Day[], counts: (day: string) => boolean): { cost: number; sessions: number } {
  const some = days.filter(({ day }) => counts(day));
  return {
    cost: some.reduce((sum, { cost }) => sum + (cost ?? 0), 0),
    sessions: some.reduce((sum, { sessions }) => sum + sessions, 0),
  };
}

const risen = (all: readonly IncreasedToolFigure[], least: number): IncreasedToolFigure[] =>
  all
    .filter(({ now, before }) => before > 0 && now - before >= least && now / before >= RATIO)
    .sort((a, b) => b.now / b.before - a.now / a.before)
    .slice(0, MOST);

/**
 * Returns the agents that had sessions since yesterday and no sessions in the month before. Returns an empty list if
 * the server truncated the list of agents.
 */
export function findNewAgents({ agents }: Pick<Data, "agents">, yesterday: string): string[] {
  if (agents.truncated) return [];
  const isNew = ({ days }: Data["agents"]["groups"][number]) =>
    days.some(({ sessions }) => sessions > 0) && days.every(({ day, sessions }) => sessions === 0 || day >= yesterday);
  return agents.groups
    .filter(isNew)
    .slice(0, MOST)
    .map(({ name }) => name);
}
