import { readOwn } from "../../formats/own.ts";
import type { GraphqlClient } from "../api/graphql.ts";
import { NAME } from "../documents/names.ts";
import { NotFound, ToolError } from "../errors.ts";
import { FILTERS } from "./filters.ts";

/** Something a name may stand for. */
interface NameCandidate {
  id: string;
  /** The names that match it, in order of precedence: a key goes before a name. */
  names: string[];
}

interface NameQuery {
  /** The kind of thing: "team", "user". */
  kind: string;
  /** The written text. */
  text: string;
  /** Called when nothing matches, for what there is to choose from. */
  choices(): Promise<string[]>;
}

const MAX_CHOICES = 30;

/**
 * The one candidate a name means.
 * @throws ToolError with what there is when none matches, and with those that match when several do.
 */
export async function matchName<Found extends NameCandidate>(query: NameQuery, candidates: Found[]): Promise<Found> {
  const matching = bestMatches(query.text.toLowerCase(), candidates);
  const [only, second] = matching;
  if (only && !second) return only;
  if (only) throw new ToolError(ambiguous(query, matching));
  throw new NotFound(unknown(query, await query.choices()));
}

/** The candidates that match by the name of the highest precedence. */
function bestMatches<Found extends NameCandidate>(text: string, candidates: Found[]): Found[] {
  const exact = candidates.filter(({ id }) => id.toLowerCase() === text);
  if (exact.length > 0) return exact;
  const ranks = candidates.map(({ names }) => names.findIndex((name) => name.toLowerCase() === text));
  const top = Math.min(...ranks.filter((rank) => rank >= 0));
  return candidates.filter((_, index) => ranks[index] === top);
}

function ambiguous({ kind, text }: NameQuery, matching: NameCandidate[]): string {
  const shown = matching.map(({ names, id }) => `${names.join(" / ")} (${id})`).join(", ");
  return `"${text}" fits ${matching.length} ${kind}s: ${shown}. Call again with one of the ids.`;
}

function unknown({ kind, text }: NameQuery, choices: string[]): string {
  if (choices.length === 0) return `There is no ${kind} "${text}", and none to choose from. Leave the argument out.`;
  const shown = choices.slice(0, MAX_CHOICES).join(", ");
  const more = choices.length > MAX_CHOICES ? " and more" : "";
  return `There is no ${kind} "${text}". Call again with one of: ${shown}${more}.`;
}

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
interface TeamWithStates {
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
    names: members.map((member) => readOwn<string>(node, member) ?? ""),
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
