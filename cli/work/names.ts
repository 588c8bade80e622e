import { isSameName, preferSpelling } from "../../formats/names.ts";
import { readOwn } from "../../formats/own.ts";
import { isUuid } from "../../formats/uuid.ts";
import { NAME_DOCUMENTS, NAMED_KINDS, type NamedKind } from "../api/named.ts";
import { EXIT, Failure } from "../failure.ts";
import { type CommandContext, explainMissingIssue } from "./caller.ts";

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
  /** True if a team is needed even when `team` is missing. The organization must then have exactly one team. */
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
  /** Ids of labels, by the typed names. */
  labels: Map<string, string>;
  /** All matches of a name, because several teams and projects may use the same name. */
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
  [Kind in NamedKind]?: { nodes: Nodes[Kind][] };
};

/** Returns the filter for an object by its id or by any of its names. */
export const buildNameFilter = (kind: NamedKind, text: string): object => {
  if (isUuid(text)) return { id: { eq: text } };
  const names = NAMED_KINDS[kind].by.map((field) => ({ [field]: { eqIgnoreCase: text } }));
  return { or: kind === "cycle" && /^\d{1,9}$/.test(text) ? [...names, { number: { eq: Number(text) } }] : names };
};

/** Looks up all names with one request at most. @throws Failure for an unknown or ambiguous name */
export async function findNames(who: CommandContext, names: EntityNames): Promise<FoundEntities> {
  const variables = variablesOf(names);
  if (Object.keys(variables).length === 0) return { labels: new Map(), several: {} };
  const asked = who.ask<Answer>(NAME_DOCUMENTS.find, variables);
  const answer = await (names.issue ? explainMissingIssue(names.issue, asked) : asked);
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
  const filters: Partial<Record<NamedKind, object | undefined>> = {
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

/** Returns the filter for a cycle: current, next, previous, or a number or name. */
export const buildCycleFilter = (text: string): object => {
  const word = readOwn(CYCLES, text.toLowerCase());
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
  throw new Failure(only ? `Several teams exist: ${keys}.` : "There is no team yet.", {
    exit: EXIT.usage,
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

/** Returns all texts that can name a node of the API. */
const spellings = (node: { id: string; name?: unknown; displayName?: unknown }): string[] =>
  [node.name, node.displayName].filter((name) => typeof name === "string");

/** Returns the only node with a name. @throws Failure if there is no such node, or more than one */
export async function findUniqueNode<Node extends { id: string }>(
  who: CommandContext,
  kind: NamedKind,
  text: string,
  nodes: readonly Node[],
): Promise<Node> {
  const [only, second] = preferSpelling<Node>(text, await requireMatches(who, kind, text, nodes), spellings);
  if (only && !second) return only;
  const ids = nodes.map(({ id }) => id).join(", ");
  throw new Failure(`"${text}" is the name of ${nodes.length} ${kind}s.`, { exit: EXIT.usage, cure: `one of ${ids}` });
}

/** Returns all nodes with a name. @throws Failure that lists the existing names if there is no such node */
async function requireMatches<Node>(
  who: CommandContext,
  kind: NamedKind,
  text: string,
  nodes: readonly Node[],
): Promise<readonly Node[]> {
  if (nodes.length > 0) return nodes;
  const { choices } = await who.ask<{ choices: { nodes: { name: string | null }[] } }>(NAME_DOCUMENTS[`${kind}s`]);
  const all = [...new Set(choices.nodes.flatMap(({ name }) => name ?? []))].join(", ");
  throw new Failure(`There is no ${kind} "${text}".`, {
    exit: EXIT.notFound,
    cure: all ? `one of ${all}` : `run the command without it: there are no ${kind}s yet`,
  });
}

/** Returns the id of a team's state by name, or of the first state of a type. */
export const findTeamState = (team: Pick<TeamNode, "key" | "states"> | undefined, text: string): string =>
  findState(team?.states.nodes ?? [], text, `Team ${team?.key ?? ""} has no state "${text}".`);

/**
 * Returns the id of a state by name, or of the first state of a type. @throws Failure with the message `none` and a
 * list of the states if no state matches
 */
export function findState(states: readonly StateNode[], text: string, none: string): string {
  const sorted = states.toSorted((one, other) => one.position - other.position);
  const wanted = text.toLowerCase();
  const found =
    sorted.find(({ id, name }) => id === wanted || name.toLowerCase() === wanted) ??
    sorted.find(({ name }) => isSameName(name, text)) ??
    sorted.find(({ type }) => type === wanted);
  if (found) return found.id;
  throw new Failure(none, { exit: EXIT.notFound, cure: `one of ${sorted.map(({ name }) => name).join(", ")}` });
}
