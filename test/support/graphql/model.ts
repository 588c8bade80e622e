/** A team as the model knows it: states by their names. */
interface ModelTeam {
  id: string;
  key: string;
  /** Every key it ever had: they stay its own. */
  keys: Set<string>;
  counter: number;
  states: Record<string, string>;
}

/** An issue as the model knows it. */
export interface ModelIssue {
  id: string;
  identifier: string;
  title: string;
  priority: number;
  state: string;
  labels: string[];
  archived: boolean;
  trashed: boolean;
  previous: string[];
}

interface Tracked extends Omit<ModelIssue, "identifier" | "labels"> {
  team: string;
  number: number;
  labels: Set<string>;
}

/** The commands, by ids. */
export type Command =
  | { kind: "create"; teamId: string; title: string }
  | { kind: "update"; id: string; title?: string; priority?: number; stateId?: string }
  | { kind: "move"; id: string; teamId: string }
  | { kind: "tag" | "untag"; id: string; labelId: string }
  | { kind: "archive" | "restore" | "trash"; id: string }
  | { kind: "rename"; teamId: string; key: string }
  | { kind: "dropLabel"; labelId: string };

/** The tracker in memory: teams, states, issues, labels and the trash, with the rules of docs/tracker.md. */
export interface Model {
  teams: Map<string, ModelTeam>;
  labels: Map<string, { team: string | null }>;
  issues: Map<string, Tracked>;
}

export const newModel = (): Model => ({ teams: new Map(), labels: new Map(), issues: new Map() });

/** True for a command that the rules refuse. */
export function refuses({ teams, labels, issues }: Model, command: Command): boolean {
  if ("labelId" in command && !labels.has(command.labelId)) return true;
  const issue = "id" in command ? issues.get(command.id) : undefined;
  if ("id" in command && !issue) return true;
  if (command.kind === "tag") {
    const { team } = labels.get(command.labelId) ?? { team: null };
    return team !== null && team !== issue?.team;
  }
  if (command.kind === "update" && command.stateId) return !stateName(teams.get(issue?.team ?? ""), command.stateId);
  const taken = (key: string, by: string) => [...teams.values()].some((team) => team.keys.has(key) && team.id !== by);
  return command.kind === "rename" && taken(command.key, command.teamId);
}

/** Does what a command says. `id` is what a new issue got. */
export function apply(model: Model, command: Command, id = ""): void {
  if (command.kind === "create") create(model, command, id);
  else if (command.kind === "rename") rename(teamOf(model, command.teamId), command.key);
  else if (command.kind === "dropLabel") dropLabel(model, command.labelId);
  else change(model, issueOf(model, command.id), command);
}

/** Every issue as it should read. */
export const readModel = (model: Model): ModelIssue[] =>
  [...model.issues.values()].map(({ team, number, labels, ...issue }) => {
    return { ...issue, identifier: `${teamOf(model, team).key}-${number}`, labels: [...labels].sort() };
  });

function create(model: Model, { teamId, title }: { teamId: string; title: string }, id: string): void {
  const plain = { id, title, priority: 0, state: "Backlog", archived: false, trashed: false, previous: [] };
  model.issues.set(id, { ...plain, team: teamId, number: nextNumber(teamOf(model, teamId)), labels: new Set() });
}

function rename(team: ModelTeam, key: string): void {
  team.key = key;
  team.keys.add(key);
}

function dropLabel(model: Model, labelId: string): void {
  model.labels.delete(labelId);
  for (const issue of model.issues.values()) issue.labels.delete(labelId);
}

function change(model: Model, issue: Tracked, command: Extract<Command, { id: string }>): void {
  if (command.kind === "tag") issue.labels.add(command.labelId);
  if (command.kind === "untag") issue.labels.delete(command.labelId);
  if (command.kind === "archive") issue.archived = true;
  if (command.kind === "trash") Object.assign(issue, { archived: true, trashed: true });
  if (command.kind === "restore") Object.assign(issue, { archived: false, trashed: false });
  if (command.kind === "move" && issue.team !== command.teamId) move(model, issue, command.teamId);
  if (command.kind !== "update") return;
  issue.title = command.title ?? issue.title;
  issue.priority = command.priority ?? issue.priority;
  issue.state = stateName(model.teams.get(issue.team), command.stateId) ?? issue.state;
}

function move(model: Model, issue: Tracked, teamId: string): void {
  issue.previous = [...issue.previous, `${teamOf(model, issue.team).key}-${issue.number}`];
  Object.assign(issue, { team: teamId, number: nextNumber(teamOf(model, teamId)) });
  for (const label of issue.labels) {
    const { team } = model.labels.get(label) ?? { team: null };
    if (team !== null && team !== teamId) issue.labels.delete(label);
  }
}

function nextNumber(team: ModelTeam): number {
  team.counter += 1;
  return team.counter;
}

const stateName = (team: ModelTeam | undefined, stateId = ""): string | undefined =>
  Object.entries(team?.states ?? {}).find(([, id]) => id === stateId)?.[0];

function teamOf({ teams }: Model, id: string): ModelTeam {
  const team = teams.get(id);
  if (!team) throw new Error(`no team ${id}`);
  return team;
}

function issueOf({ issues }: Model, id: string): Tracked {
  const issue = issues.get(id);
  if (!issue) throw new Error(`no issue ${id}`);
  return issue;
}
