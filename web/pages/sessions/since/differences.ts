import type { SinceYesterdayQuery } from "../../../data/documents.ts";

type Data = SinceYesterdayQuery;

/** A figure of a tool since yesterday, and before. */
export interface Risen {
  name: string;
  now: number;
  before: number;
}

/** A tool is slower or dearer from this ratio on, and with so many calls or sessions on both sides: one alone decides nothing. */
const RATIO = 1.5;
const LEAST_CALLS = 20;
const LEAST_SESSIONS = 5;
/** Less than this is no difference that anybody notices, in ms and in US dollars. */
const LEAST_MS = 100;
const LEAST_COST = 0.01;
/** Tools and agents that are listed. */
const MOST = 5;

/** The tools whose slow calls (the 95th percentile) got slower, the ones that rose most first; in ms. */
export function slowerTools({ now, before }: Pick<Data, "now" | "before">): Risen[] {
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

/** The tools that cost more a session, the ones that rose most first; in US dollars. Days begin at midnight, UTC. */
export function dearerTools({ tools }: Pick<Data, "tools">, yesterday: string): Risen[] {
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

const risen = (all: readonly Risen[], least: number): Risen[] =>
  all
    .filter(({ now, before }) => before > 0 && now - before >= least && now / before >= RATIO)
    .sort((a, b) => b.now / b.before - a.now / a.before)
    .slice(0, MOST);

/** The agents with sessions since yesterday and none in the month before. Where there are too many to read, nobody is new. */
export function newAgents({ agents }: Pick<Data, "agents">, yesterday: string): string[] {
  if (agents.truncated) return [];
  const isNew = ({ days }: Data["agents"]["groups"][number]) =>
    days.some(({ sessions }) => sessions > 0) && days.every(({ day, sessions }) => sessions === 0 || day >= yesterday);
  return agents.groups
    .filter(isNew)
    .slice(0, MOST)
    .map(({ name }) => name);
}
