import { isSameName, preferSpelling } from "../../formats/names.ts";
import { getOwnProperty } from "../../formats/own.ts";
import { isUuid } from "../../formats/uuid.ts";
import { NAME_LOOKUP_DOCUMENTS, NAMED_ENTITY_KINDS, type NamedEntityKind } from "../api/named.ts";
import { CommandFailure, EXIT_CODES } from "../failure.ts";
import { addIssueToNotFoundError, type CommandContext } from "./caller.ts";

export interface StateNode {
  id: string;
  name: string;
  type: string;
  position: number;
}

export interface TeamNode {
  id: string;
  key: string;
  name: string;
  states: { nodes: StateNode[] };
}

/** Names of entities on the command line, as the user typed them. */
export interface EntityNames {
  /** An issue whose team is needed. */
  issue?: string | undefined;
  team?: string | undefined;
  /** True if the command needs a team even when `team` is missing. The organization must then have exactly one team. */
  someTeam?: boolean | undefined;
  user?: string | undefined;
  project?: string | undefined;
  labels?: readonly string[] | undefined;
  cycle?: string | undefined;
  milestone?: string | undefined;
  state?: string | undefined;
}

interface Named {
  id: string;
  name: string;
}

/** Entities that the names refer to. */
export interface FoundEntities {
  team?: TeamNode;
  user?: { id: string; app: boolean };
  project?: Named;
  /** Project of the named issue. */
  issueProject?: { id: string } | null | undefined;
  /** Ids of the labels. The keys are the names as the user typed them. */
  labels: Map<string, string>;
  /** All matches of each name. Several teams or projects may use the same name for a cycle, a milestone or a state. */
  several: { cycle?: readonly Nodes["cycle"][]; milestone?: readonly Nodes["milestone"][]; state?: readonly Named[] };
}

interface Nodes {
  team: TeamNode;
  user: Named & { displayName: string; email: string; app: boolean };
  project: Named & { slugId: string };
  label: Named & { team: { id: string } | null };
  cycle: Named & { team: { id: string } };
  milestone: Named & { project: { id: string } };
  state: Named;
}

type Answer = { issue?: { team: TeamNode; project: { id: string } | null } } & {
  [Kind in NamedEntityKind]?: { nodes: Nodes[Kind][] };
};

/**
 * Returns a filter that finds an object by its id or by any of its names. For a cycle, a number also matches the
 * cycle's number.
 */
export const buildNameFilter = (kind: NamedEntityKind, text: string): object => {
  if (isUuid(text)) return { id: { eq: text } };
  const names = NAMED_ENTITY_KINDS[kind].by.map((field) => ({ [field]: { eqIgnoreCase: text } }));
  return { or: kind === "cycle" && /^\d{1,9}$/.test(text) ? [...names, { number: { eq: Number(text) } }] : names };
};

/**
 * Looks up all names. Sends at most one request if every name is known. @throws CommandFailure for an unknown or ambiguous
 * name
 */
export async function findEntitiesByName(who: CommandContext, names: EntityNames): Promise<FoundEntities> {
  const variables = variablesOf(names);
  if (Object.keys(variables).length === 0) return { labels: new Map(), several: {} };
  const asked = who.ask<Answer>(NAME_LOOKUP_DOCUMENTS.find, variables);
  const answer = await (names.issue ? addIssueToNotFoundError(names.issue, asked) : asked);
  const team = answer.issue?.team ?? (answer.team && (await oneTeam(who, names.team, answer.team.nodes)));
  const user = answer.user && (await findUniqueNode(who, "user", String(names.user), answer.user.nodes));
  const project = answer.project && (await findUniqueNode(who, "project", String(names.project), answer.project.nodes));
  const labels = new Map<string, string>();
  for (const text of names.labels ?? []) labels.set(text, await labelOf(who, text, team, answer));
  const { cycle, milestone, state } = answer;
  const several = {
    ...(cycle && { cycle: await requireMatches(who, "cycle", String(names.cycle), cycle.nodes) }),
    ...(milestone && { milestone: await requireMatches(who, "milestone", String(names.milestone), milestone.nodes) }),
    ...(state && { state: await requireMatches(who, "state", String(names.state), state.nodes) }),
  };
  const issueProject = answer.issue?.project;
  return { ...(team && { team }), ...(user && { user }), ...(project && { project }), issueProject, labels, several };
}

function variablesOf({
  issue,
  team,
  someTeam,
  user,
  project,
  labels,
  ...others
}: EntityNames): Record<string, unknown> {
  const { cycle, milestone, state } = others;
  const ofTeam = team === undefined ? {} : { team: buildNameFilter("team", team) };
  const ofProject = project === undefined ? {} : { project: buildNameFilter("project", project) };
  const filters: Partial<Record<NamedEntityKind, object | undefined>> = {
    team: team === undefined ? (someTeam ? {} : undefined) : buildNameFilter("team", team),
    user: user === undefined ? undefined : user === "me" ? { isMe: { eq: true } } : buildNameFilter("user", user),
    project: project === undefined ? undefined : buildNameFilter("project", project),
    label: labels?.length ? { or: labels.map((label) => buildNameFilter("label", label)) } : undefined,
    cycle: cycle === undefined ? undefined : { ...buildCycleFilter(cycle), ...ofTeam },
    milestone: milestone === undefined ? undefined : { ...buildNameFilter("milestone", milestone), ...ofProject },
    state: state === undefined ? undefined : { ...buildNameFilter("state", state), ...ofTeam },
  };
  const asked = Object.entries(filters).filter(([, filter]) => filter);
  return {
    ...(issue !== undefined && { issue, ofIssue: true }),
    ...Object.fromEntries(
      asked.flatMap(([name, filter]) => [
        [name, filter],
        [`by_${name}`, true],
      ]),
    ),
  };
}

const CYCLES: Readonly<Record<string, string>> = { current: "isActive", next: "isNext", previous: "isPrevious" };

/** Returns the filter for a cycle. The text is `current`, `next`, `previous`, or the id, number or name of a cycle. */
export const buildCycleFilter = (text: string): object => {
  const word = getOwnProperty(CYCLES, text.toLowerCase());
  return word ? { [word]: { eq: true } } : buildNameFilter("cycle", text);
};

async function oneTeam(who: CommandContext, text: string | undefined, teams: TeamNode[]): Promise<TeamNode> {
  if (text !== undefined) {
    const byKey = teams.find(({ key }) => key.toLowerCase() === text.toLowerCase());
    return byKey ?? findUniqueNode(who, "team", text, teams);
  }
  const [only, ...more] = teams;
  if (only && more.length === 0) return only;
  const keys = teams.map(({ key }) => key).join(", ");
  throw new CommandFailure(only ? `Several teams exist: ${keys}.` : "There is no team yet.", {
    exit: EXIT_CODES.usage,
    cure: only ? `--team ${only.key}, or TRACKWAY_TEAM` : "trackway team create Engineering --key ENG",
  });
}

async function labelOf(
  who: CommandContext,
  text: string,
  team: TeamNode | undefined,
  { label }: Answer,
): Promise<string> {
  const found = (label?.nodes ?? []).filter(({ id, name }) => isSameName(name, text) || id === text.toLowerCase());
  const named = preferSpelling(text, found, ({ name }) => [name]);
  const own = named.filter(({ team: of }) => team && of?.id === team.id);
  const usable = own.length > 0 ? own : named.filter(({ team: of }) => !of || !team);
  return (await findUniqueNode(who, "label", text, usable)).id;
}

/** Returns the texts that can name a node of the API: its name and its display name. */
const spellings = (node: { id: string; name?: unknown; displayName?: unknown }): string[] =>
  [node.name, node.displayName].filter((name) => typeof name === "string");

/** Returns the node if a name matches exactly one node. @throws CommandFailure if the name matches no node or several nodes */
export async function findUniqueNode<Node extends { id: string }>(
  who: CommandContext,
  kind: NamedEntityKind,
  text: string,
  nodes: readonly Node[],
): Promise<Node> {
  const [only, second] = preferSpelling<Node>(text, await requireMatches(who, kind, text, nodes), spellings);
  if (only && !second) return only;
  const ids = nodes.map(({ id }) => id).join(", ");
  throw new CommandFailure(`"${text}" is the name of ${nodes.length} ${kind}s.`, {
    exit: EXIT_CODES.usage,
    cure: `one of ${ids}`,
  });
}

/** Returns `nodes`, the nodes that a name matches. @throws CommandFailure that lists the existing names if `nodes` is empty */
async function requireMatches<Node>(
  who: CommandContext,
  kind: NamedEntityKind,
  text: string,
  nodes: readonly Node[],
): Promise<readonly Node[]> {
  if (nodes.length > 0) return nodes;
  const { choices } = await who.ask<{ choices: { nodes: { name: string | null }[] } }>(
    NAME_LOOKUP_DOCUMENTS[`${kind}s`],
  );
  const all = [...new Set(choices.nodes.flatMap(({ name }) => name ?? []))].join(", ");
  throw new CommandFailure(`There is no ${kind} "${text}".`, {
    exit: EXIT_CODES.notFound,
    cure: all ? `one of ${all}` : `run the command without it: there are no ${kind}s yet`,
  });
}

/**
 * Returns the id of a team's state. The text is the name or id of a state, or a type. A type selects the first state of
 * that type.
 */
export const findTeamStateId = (team: Pick<TeamNode, "key" | "states"> | undefined, text: string): string =>
  findStateId(team?.states.nodes ?? [], text, `Team ${team?.key ?? ""} has no state "${text}".`);

/**
 * Returns the id of a state. The text is the name or id of a state, or a type. A type selects the first state of that
 * type. @throws CommandFailure with the message `none` and a list of the states if no state matches
 */
export function findStateId(states: readonly StateNode[], text: string, none: string): string {
  const sorted = states.toSorted((one, other) => one.position - other.position);
  const wanted = text.toLowerCase();
  const found =
    sorted.find(({ id, name }) => id === wanted || name.toLowerCase() === wanted) ??
    sorted.find(({ name }) => isSameName(name, text)) ??
    sorted.find(({ type }) => type === wanted);
  if (found) return found.id;
  throw new CommandFailure(none, {
    exit: EXIT_CODES.notFound,
    cure: `one of ${sorted.map(({ name }) => name).join(", ")}`,
  });
}
