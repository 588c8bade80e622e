import type { GraphqlClient } from "../api/graphql.ts";
import { NAME } from "../documents/names.ts";
import { FILTERS } from "./filters.ts";

/** The names in a call, as they were written. */
export interface NameArguments {
  issue?: string | undefined;
  team?: string | undefined;
  state?: string | undefined;
  user?: string | undefined;
  /** A second user. */
  creator?: string | undefined;
  project?: string | undefined;
  labels?: string[] | undefined;
  cycle?: string | undefined;
  /** A milestone of the project, where one is named. */
  milestone?: string | undefined;
}

/** A team, with its states when they were asked for. */
export interface TeamWithStates {
  id: string;
  key: string;
  states?: { nodes: { id: string; name: string; type: string; position: number }[] };
}

/** The answer to the fragment `Names`. */
export interface FoundNames {
  namedIssue?: { id: string; identifier: string; project: { id: string } | null; team: TeamWithStates };
  namedTeams?: { nodes: (TeamWithStates & { name: string })[] };
  namedUsers?: { nodes: { id: string; name: string; displayName: string; email: string }[] };
  namedProjects?: { nodes: { id: string; name: string; slugId: string }[] };
  namedLabels?: { nodes: { id: string; name: string; team: { id: string } | null }[] };
  namedCycles?: { nodes: { id: string; number: number; name: string | null; team: { id: string } }[] };
  namedMilestones?: { nodes: { id: string; name: string; project: { id: string; name: string } }[] };
}

/** Variables that make the fragment `Names` look up what is named, and nothing else. */
export function nameVariables(named: NameArguments): Record<string, unknown> {
  const labels = named.labels?.length ? named.labels : undefined;
  const users = [named.user, named.creator].filter((text) => text !== undefined).map(FILTERS.user);
  const ofProject = named.project !== undefined && { project: FILTERS.project(named.project) };
  return {
    ...(named.issue !== undefined && { issue: named.issue, byIssue: true }),
    ...(named.team !== undefined && { team: FILTERS.team(named.team), byTeam: true }),
    ...(users.length > 0 && { user: users.length > 1 ? { or: users } : users[0], byUser: true }),
    ...(named.project !== undefined && { project: FILTERS.project(named.project), byProject: true }),
    ...(labels && { labels: FILTERS.labels(labels), byLabels: true }),
    ...(named.cycle !== undefined && { cycle: FILTERS.cycle(named.cycle), byCycle: true }),
    ...(named.milestone !== undefined && {
      milestone: { ...FILTERS.milestone(named.milestone), ...ofProject },
      byMilestone: true,
    }),
  };
}

/** Looks up everything named, in one request at most. The states of the team come with it when one is named. */
export async function lookUpNames(graphql: GraphqlClient, named: NameArguments): Promise<FoundNames> {
  const variables = nameVariables(named);
  if (Object.keys(variables).length === 0) return {};
  return graphql<FoundNames>(NAME.resolve, { ...variables, ofTeam: named.state !== undefined });
}
