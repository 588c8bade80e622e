import { isSameName, preferSpelling } from "../../formats/names.ts";
import { getOwnProperty } from "../../formats/own.ts";
import type { GraphqlClient } from "../api/graphql.ts";
import { NAME_LOOKUP_DOCUMENTS } from "../documents/names.ts";
import { NotFoundError, ToolError } from "../errors.ts";
import { ENTITY_FILTER_BUILDERS } from "./filters.ts";

/** An entity that a name may refer to. */
interface NameCandidate {
  id: string;
  /** Names of the entity, in order of precedence. For example, the key of a team comes before its name. */
  names: string[];
}

interface NameQuery {
  /** The noun for messages, such as "team" or "user". */
  kind: string;
  /** The name as the caller wrote it. */
  text: string;
  /** Lists the existing names. Called only when no candidate matches. */
  choices(): Promise<string[]>;
}

const MAX_CHOICES = 30;

/**
 * Returns the only candidate that a name refers to.
 * @throws NotFoundError with the existing names when no candidate matches; ToolError with the matching candidates when
 * several match
 */
export async function matchUniqueCandidate<Found extends NameCandidate>(
  query: NameQuery,
  candidates: Found[],
): Promise<Found> {
  const matching = bestMatches(query.text, candidates);
  const [only, second] = matching;
  if (only && !second) return only;
  if (only) throw new ToolError(ambiguous(query, matching));
  throw new NotFoundError(unknown(query, await query.choices()));
}

/**
 * Returns the candidates that match the text. A match of the id wins. Otherwise, the candidates win whose matching name
 * has the highest precedence.
 */
function bestMatches<Found extends NameCandidate>(text: string, candidates: Found[]): readonly Found[] {
  const exact = candidates.filter(({ id }) => id.toLowerCase() === text.toLowerCase());
  if (exact.length > 0) return exact;
  const ranks = candidates.map(({ names }) => names.findIndex((name) => isSameName(name, text)));
  const top = Math.min(...ranks.filter((rank) => rank >= 0));
  const best = candidates.filter((_, index) => ranks[index] === top);
  return preferSpelling(text, best, ({ names }) => names.slice(top, top + 1));
}

function ambiguous({ kind, text }: NameQuery, matching: readonly NameCandidate[]): string {
  const shown = matching.map(({ names, id }) => `${names.join(" / ")} (${id})`).join(", ");
  return `"${text}" fits ${matching.length} ${kind}s: ${shown}. Call again with one of the ids.`;
}

function unknown({ kind, text }: NameQuery, choices: string[]): string {
  if (choices.length === 0) return `There is no ${kind} "${text}", and none to choose from. Leave the argument out.`;
  const shown = choices.slice(0, MAX_CHOICES).join(", ");
  const more = choices.length > MAX_CHOICES ? " and more" : "";
  return `There is no ${kind} "${text}". Call again with one of: ${shown}${more}.`;
}

/** Names in the arguments of a call, as the caller wrote them. */
export interface NameArguments {
  issue?: string | undefined;
  team?: string | undefined;
  state?: string | undefined;
  user?: string | undefined;
  /** Name of the user who created the issue. */
  creator?: string | undefined;
  project?: string | undefined;
  labels?: string[] | undefined;
  cycle?: string | undefined;
  /** Name of a milestone. If `project` is given, the milestone must belong to this project. */
  milestone?: string | undefined;
}

/** A team. `states` is present when the query requested the team's states. */
interface TeamWithStates {
  id: string;
  key: string;
  states?: { nodes: { id: string; name: string; type: string; position: number }[] };
}

/** Response to the fragment `Names`. */
export interface NameLookupResult {
  namedIssue?: { id: string; identifier: string; project: { id: string } | null; team: TeamWithStates };
  namedTeams?: { nodes: (TeamWithStates & { name: string })[] };
  namedUsers?: { nodes: { id: string; name: string; displayName: string; email: string }[] };
  namedProjects?: { nodes: { id: string; name: string; slugId: string }[] };
  namedLabels?: { nodes: { id: string; name: string; team: { id: string } | null }[] };
  namedCycles?: { nodes: { id: string; number: number; name: string | null; team: { id: string } }[] };
  namedMilestones?: { nodes: { id: string; name: string; project: { id: string; name: string } }[] };
}

/** Returns the variables for the fragment `Names`. With these variables, the fragment looks up only the given names. */
export function buildNameVariables(named: NameArguments): Record<string, unknown> {
  const labels = named.labels?.length ? named.labels : undefined;
  const users = [named.user, named.creator].filter((text) => text !== undefined).map(ENTITY_FILTER_BUILDERS.user);
  const ofProject = named.project !== undefined && { project: ENTITY_FILTER_BUILDERS.project(named.project) };
  return {
    ...(named.issue !== undefined && { issue: named.issue, byIssue: true }),
    ...(named.team !== undefined && { team: ENTITY_FILTER_BUILDERS.team(named.team), byTeam: true }),
    ...(users.length > 0 && { user: users.length > 1 ? { or: users } : users[0], byUser: true }),
    ...(named.project !== undefined && { project: ENTITY_FILTER_BUILDERS.project(named.project), byProject: true }),
    ...(labels && { labels: ENTITY_FILTER_BUILDERS.labels(labels), byLabels: true }),
    ...(named.cycle !== undefined && { cycle: ENTITY_FILTER_BUILDERS.cycle(named.cycle), byCycle: true }),
    ...(named.milestone !== undefined && {
      milestone: { ...ENTITY_FILTER_BUILDERS.milestone(named.milestone), ...ofProject },
      byMilestone: true,
    }),
  };
}

/** Looks up all given names with at most one request. Includes the team's states when a state is named. */
export async function fetchNamedEntities(graphql: GraphqlClient, named: NameArguments): Promise<NameLookupResult> {
  const variables = buildNameVariables(named);
  if (Object.keys(variables).length === 0) return {};
  return graphql<NameLookupResult>(NAME_LOOKUP_DOCUMENTS.resolve, { ...variables, ofTeam: named.state !== undefined });
}

interface Choices {
  choices: {
    nodes: { key?: string; name?: string | null; email?: string; number?: number; project?: { name: string } }[];
  };
}

/**
 * Creates functions that each resolve one kind of name to an entity found by `lookUpNames`.
 * @throws ToolError with the choices. Each created function throws this error if its name matches no entity or several
 * entities
 */
export function createNameResolver(graphql: GraphqlClient, named: NameArguments, found: NameLookupResult) {
  const choices = (document: string, filter?: object) => async () =>
    (await graphql<Choices>(document, { filter })).choices.nodes.map(choiceText);
  const match = <Found extends NameCandidate>(
    kind: keyof NameArguments,
    all: () => Promise<string[]>,
    candidates: Found[],
  ) => matchUniqueCandidate({ kind, text: String(named[kind]), choices: all }, candidates);
  return {
    team: () =>
      match(
        "team",
        choices(NAME_LOOKUP_DOCUMENTS.teams),
        (found.namedTeams?.nodes ?? []).map(withNames("key", "name")),
      ),
    user: () =>
      match("user", choices(NAME_LOOKUP_DOCUMENTS.users), (found.namedUsers?.nodes ?? []).map(namedUser(named.user))),
    creator: () =>
      match(
        "creator",
        choices(NAME_LOOKUP_DOCUMENTS.users),
        (found.namedUsers?.nodes ?? []).map(namedUser(named.creator)),
      ),
    project: () =>
      match(
        "project",
        choices(NAME_LOOKUP_DOCUMENTS.projects),
        (found.namedProjects?.nodes ?? []).map(withNames("slugId", "name")),
      ),
    cycle: (teamId?: string) => {
      const filter = teamId && { team: { id: { eq: teamId } } };
      return match(
        "cycle",
        choices(NAME_LOOKUP_DOCUMENTS.cycles, filter || undefined),
        cyclesOf(found, named.cycle, teamId),
      );
    },
    milestone: (projectId?: string) => {
      const filter = projectId && { project: { id: { eq: projectId } } };
      return match(
        "milestone",
        choices(NAME_LOOKUP_DOCUMENTS.milestones, filter || undefined),
        milestonesOf(found, projectId),
      );
    },
    labels: (teamId: string | undefined, texts: string[]) => {
      const filter = teamId && { or: [{ team: { null: true } }, { team: { id: { eq: teamId } } }] };
      const all = choices(NAME_LOOKUP_DOCUMENTS.labels, filter || undefined);
      return Promise.all(
        texts.map((text) => matchUniqueCandidate({ kind: "label", text, choices: all }, labelsOf(found, text, teamId))),
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

/**
 * Returns a function that turns a row into a candidate. The given members of the row are the candidate's names, in
 * order of precedence.
 */
function withNames<Member extends string>(...members: Member[]) {
  return <Node extends Record<Member, string> & { id: string }>(node: Node) => ({
    ...node,
    names: members.map((member) => getOwnProperty<string>(node, member) ?? ""),
  });
}

/**
 * Returns the labels that a name may refer to. A label of the team precedes an organization's label of the same name.
 */
function labelsOf(found: NameLookupResult, text: string, teamId: string | undefined) {
  const usable = (found.namedLabels?.nodes ?? []).filter(({ team }) => !teamId || !team || team.id === teamId);
  const own = usable.filter(({ team, name }) => teamId && team && isSameName(name, text));
  return (own.length > 0 ? own : usable).map(withNames("name"));
}

/** Returns a function that turns a user into a candidate. If the text is `me`, the candidate also has the name `me`. */
function namedUser(text: string | undefined) {
  return (user: { id: string; name: string; displayName: string; email: string }) => ({
    ...user,
    names: [user.email, user.displayName, user.name, ...(text === "me" ? ["me"] : [])],
  });
}

function cyclesOf(found: NameLookupResult, text: string | undefined, teamId: string | undefined) {
  return (found.namedCycles?.nodes ?? [])
    .filter(({ team }) => !teamId || team.id === teamId)
    .map((cycle) => ({
      ...cycle,
      names: [String(cycle.number), cycle.name ?? "", ...(text === "current" ? ["current"] : [])],
    }));
}

const milestonesOf = (found: NameLookupResult, projectId: string | undefined) =>
  (found.namedMilestones?.nodes ?? [])
    .filter(({ project }) => !projectId || project.id === projectId)
    .map(withNames("name"));

/** Finds a state of the team by its name, else by its type if only one state has that type. @throws ToolError */
async function resolveState(text: string, team: TeamWithStates | undefined) {
  const states = (team?.states?.nodes ?? []).toSorted((a, b) => a.position - b.position);
  const candidates = states.map((state) => ({ ...state, names: [state.name, state.type] }));
  if (candidates.some(({ id, names }) => id === text.toLowerCase() || names.some((name) => isSameName(name, text)))) {
    return matchUniqueCandidate({ kind: "state", text, choices: async () => [] }, candidates);
  }
  const known = states.map(({ name }) => name).join(", ");
  throw new ToolError(`Team ${team?.key ?? ""} has no state "${text}". Call again with one of: ${known}.`);
}
