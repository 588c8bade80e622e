import { isUuid } from "../../formats/uuid.ts";
import { NAME } from "../api/documents.ts";
import { EXIT, Failure } from "../failure.ts";
import { ofIssue, type Worker } from "./caller.ts";

interface State {
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
  someTeam?: boolean;
  user?: string | undefined;
  project?: string | undefined;
  labels?: readonly string[] | undefined;
}

/** Its meaning. */
export interface Found {
  team?: TeamNode;
  user?: { id: string; app: boolean };
  project?: { id: string };
  /** Ids by the names as they were written. */
  labels: Map<string, string>;
}

interface Answer {
  issue?: { team: TeamNode };
  teams?: { nodes: TeamNode[] };
  users?: { nodes: { id: string; name: string; displayName: string; email: string; app: boolean }[] };
  projects?: { nodes: { id: string; name: string; slugId: string }[] };
  issueLabels?: { nodes: { id: string; name: string; team: { id: string } | null }[] };
}

const by = (fields: string[], text: string): object =>
  isUuid(text) ? { id: { eq: text } } : { or: fields.map((field) => ({ [field]: { eqIgnoreCase: text } })) };

/** Looks up everything that is named, with one request at most. @throws Failure for what is unknown or ambiguous. */
export async function findNames(who: Worker, names: Names): Promise<Found> {
  const variables = variablesOf(names);
  if (Object.keys(variables).length === 0) return { labels: new Map() };
  const asked = who.ask<Answer>(NAME.find, variables);
  const answer = await (names.issue ? ofIssue(names.issue, asked) : asked);
  const team = answer.issue?.team ?? (answer.teams && (await oneTeam(who, names.team, answer.teams.nodes)));
  const { users, projects } = answer;
  const user = users && (await theOne(who, "user", String(names.user), users.nodes));
  const project = projects && (await theOne(who, "project", String(names.project), projects.nodes));
  const labels = new Map<string, string>();
  for (const text of names.labels ?? []) labels.set(text, await labelOf(who, text, team, answer));
  return { ...(team && { team }), ...(user && { user }), ...(project && { project }), labels };
}

function variablesOf({ issue, team, someTeam, user, project, labels }: Names): Record<string, unknown> {
  return {
    ...(issue !== undefined && { issue, ofIssue: true }),
    ...((team !== undefined || someTeam) && {
      byTeam: true,
      team: team === undefined ? {} : by(["key", "name"], team),
    }),
    ...(user !== undefined && {
      byUser: true,
      user: user === "me" ? { isMe: { eq: true } } : by(["email", "displayName", "name"], user),
    }),
    ...(project !== undefined && { byProject: true, project: by(["name", "slugId"], project) }),
    ...(labels?.length && { byLabels: true, labels: { or: labels.map((label) => by(["name"], label)) } }),
  };
}

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
    cure: only ? `--team ${only.key}, or TRACKWAY_TEAM` : `make one with ${teamCreate(who)}`,
  });
}

/** The request that makes a team, to paste: nothing but the API has one. */
const teamCreate = ({ caller }: Worker): string => {
  const query = 'mutation { teamCreate(input: { key: "ENG", name: "Engineering" }) { success } }';
  return `curl ${caller.url}/graphql -H "Authorization: $TRACKWAY_API_KEY" --json '${JSON.stringify({ query })}', or with trackway import`;
};

async function labelOf(
  who: Worker,
  text: string,
  team: TeamNode | undefined,
  { issueLabels }: Answer,
): Promise<string> {
  const named = (issueLabels?.nodes ?? []).filter(
    ({ id, name }) => name.toLowerCase() === text.toLowerCase() || id === text.toLowerCase(),
  );
  const own = named.filter(({ team: of }) => team && of?.id === team.id);
  const usable = own.length > 0 ? own : named.filter(({ team: of }) => !of || !team);
  return (await theOne(who, "label", text, usable)).id;
}

type Kind = "team" | "user" | "project" | "label";

async function theOne<Node extends { id: string }>(
  who: Worker,
  kind: Kind,
  text: string,
  nodes: Node[],
): Promise<Node> {
  const [only, second] = nodes;
  if (only && !second) return only;
  if (only) {
    const ids = nodes.map(({ id }) => id).join(", ");
    throw new Failure(`"${text}" is the name of ${nodes.length} ${kind}s.`, {
      exit: EXIT.usage,
      cure: `one of ${ids}`,
    });
  }
  const { choices } = await who.ask<{ choices: { nodes: { name: string }[] } }>(NAME[`${kind}s`]);
  const all = choices.nodes.map(({ name }) => name).join(", ");
  throw new Failure(`There is no ${kind} "${text}".`, {
    exit: EXIT.notFound,
    cure: all ? `one of ${all}` : `the same without it: there is no ${kind} yet`,
  });
}

/** A state of a team by its name, or the first of a type. */
export function stateOf(team: TeamNode | undefined, text: string): string {
  const states = (team?.states.nodes ?? []).toSorted((one, other) => one.position - other.position);
  const wanted = text.toLowerCase();
  const found =
    states.find(({ id, name }) => id === wanted || name.toLowerCase() === wanted) ??
    states.find(({ type }) => type === wanted);
  if (found) return found.id;
  throw new Failure(`Team ${team?.key ?? ""} has no state "${text}".`, {
    exit: EXIT.notFound,
    cure: `one of ${states.map(({ name }) => name).join(", ")}`,
  });
}
