import type { GraphqlClient } from "../api/graphql.ts";
import { NAME } from "../documents/names.ts";
import { ToolError } from "../errors.ts";
import type { FoundNames, NameArguments, TeamWithStates } from "./look-up-names.ts";
import { matchName, type NameCandidate } from "./match-name.ts";

interface Choices {
  choices: {
    nodes: { key?: string; name?: string | null; email?: string; number?: number; project?: { name: string } }[];
  };
}

/** Turns what `lookUpNames` found into one thing a name; throws a ToolError with the choices when that cannot be. */
export function nameResolver(graphql: GraphqlClient, named: NameArguments, found: FoundNames) {
  const choices = (document: string, filter?: object) => async () =>
    (await graphql<Choices>(document, { filter })).choices.nodes.map(choiceText);
  const match = <Found extends NameCandidate>(
    kind: keyof NameArguments,
    all: () => Promise<string[]>,
    candidates: Found[],
  ) => matchName({ kind, text: String(named[kind]), choices: all }, candidates);
  return {
    team: () => match("team", choices(NAME.teams), (found.namedTeams?.nodes ?? []).map(withNames("key", "name"))),
    user: () => match("user", choices(NAME.users), (found.namedUsers?.nodes ?? []).map(namedUser(named.user))),
    creator: () => match("creator", choices(NAME.users), (found.namedUsers?.nodes ?? []).map(namedUser(named.creator))),
    project: () =>
      match("project", choices(NAME.projects), (found.namedProjects?.nodes ?? []).map(withNames("slugId", "name"))),
    cycle: (teamId?: string) => {
      const filter = teamId && { team: { id: { eq: teamId } } };
      return match("cycle", choices(NAME.cycles, filter || undefined), cyclesOf(found, named.cycle, teamId));
    },
    milestone: (projectId?: string) => {
      const filter = projectId && { project: { id: { eq: projectId } } };
      return match("milestone", choices(NAME.milestones, filter || undefined), milestonesOf(found, projectId));
    },
    labels: (teamId: string | undefined, texts: string[]) => {
      const filter = teamId && { or: [{ team: { null: true } }, { team: { id: { eq: teamId } } }] };
      const all = choices(NAME.labels, filter || undefined);
      return Promise.all(
        texts.map((text) => matchName({ kind: "label", text, choices: all }, labelsOf(found, text, teamId))),
      );
    },
    state: (team: TeamWithStates | undefined) => resolveState(named.state ?? "", team),
  };
}

function choiceText({ key, name, email, number, project }: Choices["choices"]["nodes"][number]): string {
  if (key) return `${key} (${name})`;
  if (number !== undefined) return name ? `${number} (${name})` : String(number);
  if (project) return `${name} (${project.name})`;
  return email ? `${name} (${email})` : String(name);
}

/** Makes candidates whose names are some of their members, in order of precedence. */
function withNames<Member extends string>(...members: Member[]) {
  return <Node extends Record<Member, string> & { id: string }>(node: Node) => ({
    ...node,
    names: members.map((member): string => node[member]),
  });
}

/** The labels a name may stand for: the team's own goes before the organization's of the same name. */
function labelsOf(found: FoundNames, text: string, teamId: string | undefined) {
  const usable = (found.namedLabels?.nodes ?? []).filter(({ team }) => !teamId || !team || team.id === teamId);
  const own = usable.filter(({ team, name }) => teamId && team && name.toLowerCase() === text.toLowerCase());
  return (own.length > 0 ? own : usable).map(withNames("name"));
}

/** A user found by the filter for `me` matches that word. */
function namedUser(text: string | undefined) {
  return (user: { id: string; name: string; displayName: string; email: string }) => ({
    ...user,
    names: [user.email, user.displayName, user.name, ...(text === "me" ? ["me"] : [])],
  });
}

function cyclesOf(found: FoundNames, text: string | undefined, teamId: string | undefined) {
  return (found.namedCycles?.nodes ?? [])
    .filter(({ team }) => !teamId || team.id === teamId)
    .map((cycle) => ({
      ...cycle,
      names: [String(cycle.number), cycle.name ?? "", ...(text === "current" ? ["current"] : [])],
    }));
}

const milestonesOf = (found: FoundNames, projectId: string | undefined) =>
  (found.namedMilestones?.nodes ?? [])
    .filter(({ project }) => !projectId || project.id === projectId)
    .map(withNames("name"));

/** A state of the team by name, else by type when only one has that type. */
async function resolveState(text: string, team: TeamWithStates | undefined) {
  const states = (team?.states?.nodes ?? []).toSorted((a, b) => a.position - b.position);
  const candidates = states.map((state) => ({ ...state, names: [state.name, state.type] }));
  const wanted = text.toLowerCase();
  if (candidates.some(({ id, names }) => id === wanted || names.some((name) => name.toLowerCase() === wanted))) {
    return matchName({ kind: "state", text, choices: async () => [] }, candidates);
  }
  const known = states.map(({ name }) => name).join(", ");
  throw new ToolError(`Team ${team?.key ?? ""} has no state "${text}". Call again with one of: ${known}.`);
}
