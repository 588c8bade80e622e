import { readOwn } from "../../formats/own.ts";
import { isUuid } from "../../formats/uuid.ts";
import { KINDS, type KindName, NAME } from "../api/named.ts";
import { EXIT, Failure } from "../failure.ts";
import { ofIssue, type Worker } from "./caller.ts";

/** A state of an issue, or a status of a project. */
export interface State {
  id: string;
  name: string;
  type: string;
  position: number;
}

/** A team with its states. */
export interface TeamNode {
  id: string;
  key: string;
  name: string;
  states: { nodes: State[] };
}

/** The names on a command line, as they were written. */
export interface Names {
  /** The issue whose team is meant. */
  issue?: string | undefined;
  team?: string | undefined;
  /** True if a team is needed though none is named: the only one there is. */
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

/** Its meaning. */
export interface Found {
  team?: TeamNode;
  user?: { id: string; app: boolean };
  project?: Named;
  /** The project of the issue that is named. */
  issueProject?: { id: string } | null | undefined;
  /** Ids by the names as they were written. */
  labels: Map<string, string>;
  /** All of that name: teams and projects have their own. */
  several: { cycle?: Nodes["cycle"][]; milestone?: Nodes["milestone"][]; state?: Named[] };
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
  [Kind in KindName]?: { nodes: Nodes[Kind][] };
};

/** The filter of what is called by a text: by id, or by any of its names. */
export const called = (kind: KindName, text: string): object => {
  if (isUuid(text)) return { id: { eq: text } };
  const names = KINDS[kind].by.map((field) => ({ [field]: { eqIgnoreCase: text } }));
  return { or: kind === "cycle" && /^\d{1,9}$/.test(text) ? [...names, { number: { eq: Number(text) } }] : names };
};

/** Looks up everything that is named, with one request at most. @throws Failure for what is unknown or ambiguous. */
export async function findNames(who: Worker, names: Names): Promise<Found> {
  const variables = variablesOf(names);
  if (Object.keys(variables).length === 0) return { labels: new Map(), several: {} };
  const asked = who.ask<Answer>(NAME.find, variables);
  const answer = await (names.issue ? ofIssue(names.issue, asked) : asked);
  const team = answer.issue?.team ?? (answer.team && (await oneTeam(who, names.team, answer.team.nodes)));
  const user = answer.user && (await theOne(who, "user", String(names.user), answer.user.nodes));
  const project = answer.project && (await theOne(who, "project", String(names.project), answer.project.nodes));
  const labels = new Map<string, string>();
  for (const text of names.labels ?? []) labels.set(text, await labelOf(who, text, team, answer));
  const { cycle, milestone, state } = answer;
  const several = {
    ...(cycle && { cycle: await some(who, "cycle", String(names.cycle), cycle.nodes) }),
    ...(milestone && { milestone: await some(who, "milestone", String(names.milestone), milestone.nodes) }),
    ...(state && { state: await some(who, "state", String(names.state), state.nodes) }),
  };
  const issueProject = answer.issue?.project;
  return { ...(team && { team }), ...(user && { user }), ...(project && { project }), issueProject, labels, several };
}

function variablesOf({ issue, team, someTeam, user, project, labels, ...others }: Names): Record<string, unknown> {
  const { cycle, milestone, state } = others;
  const ofTeam = team === undefined ? {} : { team: called("team", team) };
  const ofProject = project === undefined ? {} : { project: called("project", project) };
  const filters: Partial<Record<KindName, object | undefined>> = {
    team: team === undefined ? (someTeam ? {} : undefined) : called("team", team),
    user: user === undefined ? undefined : user === "me" ? { isMe: { eq: true } } : called("user", user),
    project: project === undefined ? undefined : called("project", project),
    label: labels?.length ? { or: labels.map((label) => called("label", label)) } : undefined,
    cycle: cycle === undefined ? undefined : { ...cycleOf(cycle), ...ofTeam },
    milestone: milestone === undefined ? undefined : { ...called("milestone", milestone), ...ofProject },
    state: state === undefined ? undefined : { ...called("state", state), ...ofTeam },
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

/** The filter of a cycle: current, next or previous, or by number or name. */
export const cycleOf = (text: string): object => {
  const word = readOwn(CYCLES, text.toLowerCase());
  return word ? { [word]: { eq: true } } : called("cycle", text);
};

async function oneTeam(who: Worker, text: string | undefined, teams: TeamNode[]): Promise<TeamNode> {
  if (text !== undefined) {
    const byKey = teams.find(({ key }) => key.toLowerCase() === text.toLowerCase());
    return byKey ?? theOne(who, "team", text, teams);
  }
  const [only, ...more] = teams;
  if (only && more.length === 0) return only;
  const keys = teams.map(({ key }) => key).join(", ");
  throw new Failure(only ? `Which team? There are ${keys}.` : "There is no team yet.", {
    exit: EXIT.usage,
    cure: only ? `--team ${only.key}, or TRACKWAY_TEAM` : "trackway team create Engineering --key ENG",
  });
}

async function labelOf(who: Worker, text: string, team: TeamNode | undefined, { label }: Answer): Promise<string> {
  const named = (label?.nodes ?? []).filter(
    ({ id, name }) => name.toLowerCase() === text.toLowerCase() || id === text.toLowerCase(),
  );
  const own = named.filter(({ team: of }) => team && of?.id === team.id);
  const usable = own.length > 0 ? own : named.filter(({ team: of }) => !of || !team);
  return (await theOne(who, "label", text, usable)).id;
}

/** The only one of a name. @throws Failure where there is none, or another */
export async function theOne<Node extends { id: string }>(
  who: Worker,
  kind: KindName,
  text: string,
  nodes: Node[],
): Promise<Node> {
  const [only, second] = await some(who, kind, text, nodes);
  if (only && !second) return only;
  const ids = nodes.map(({ id }) => id).join(", ");
  throw new Failure(`"${text}" is the name of ${nodes.length} ${kind}s.`, { exit: EXIT.usage, cure: `one of ${ids}` });
}

/** Those of a name. @throws Failure where there is none, which names what there is to choose from */
async function some<Node>(who: Worker, kind: KindName, text: string, nodes: Node[]): Promise<Node[]> {
  if (nodes.length > 0) return nodes;
  const { choices } = await who.ask<{ choices: { nodes: { name: string | null }[] } }>(NAME[`${kind}s`]);
  const all = [...new Set(choices.nodes.flatMap(({ name }) => name ?? []))].join(", ");
  throw new Failure(`There is no ${kind} "${text}".`, {
    exit: EXIT.notFound,
    cure: all ? `one of ${all}` : `the same without it: there is no ${kind} yet`,
  });
}

/** A state of a team by its name, or the first of a type. */
export const stateOf = (team: Pick<TeamNode, "key" | "states"> | undefined, text: string): string =>
  stateIn(team?.states.nodes ?? [], text, `Team ${team?.key ?? ""} has no state "${text}".`);

/** A state by its name, or the first of a type. @throws Failure with the sentence for none, which names those there are */
export function stateIn(states: readonly State[], text: string, none: string): string {
  const sorted = states.toSorted((one, other) => one.position - other.position);
  const wanted = text.toLowerCase();
  const found =
    sorted.find(({ id, name }) => id === wanted || name.toLowerCase() === wanted) ??
    sorted.find(({ type }) => type === wanted);
  if (found) return found.id;
  throw new Failure(none, { exit: EXIT.notFound, cure: `one of ${sorted.map(({ name }) => name).join(", ")}` });
}
