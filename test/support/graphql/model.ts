/** Team in the model: states by name. */
interface ModelTeam {
  id: string;
  key: string;
  /** Every key that the team has ever had. Old keys stay reserved for the team. */
  keys: Set<string>;
  counter: number;
  states: Record<string, string>;
}

/** Issue with the values that the API should return. */
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

/** Commands of the model, which refer to entities by id. */
export type ModelCommand =
  | { kind: "create"; teamId: string; title: string }
  | { kind: "update"; id: string; title?: string; priority?: number; stateId?: string }
  | { kind: "move"; id: string; teamId: string }
  | { kind: "tag" | "untag"; id: string; labelId: string }
  | { kind: "archive" | "restore" | "trash"; id: string }
  | { kind: "rename"; teamId: string; key: string }
  | { kind: "dropLabel"; labelId: string };

/** In-memory model of the tracker: teams, states, issues, labels and the trash, with the rules of docs/tracker.md. */
export interface TrackerModel {
  teams: Map<string, ModelTeam>;
  labels: Map<string, { team: string | null }>;
  issues: Map<string, Tracked>;
}

export const createModel = (): TrackerModel => ({ teams: new Map(), labels: new Map(), issues: new Map() });

/** True for a command that the rules refuse. */
export function refusesCommand({ teams, labels, issues }: TrackerModel, command: ModelCommand): boolean {
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

/** Applies a command to the model. `id` is the id of a new issue. */
export function applyCommand(model: TrackerModel, command: ModelCommand, id = ""): void {
  if (command.kind === "create") create(model, command, id);
  else if (command.kind === "rename") rename(teamOf(model, command.teamId), command.key);
  else if (command.kind === "dropLabel") dropLabel(model, command.labelId);
  else change(model, issueOf(model, command.id), command);
}

/** Returns every issue with the values that the API should return. */
export const readModel = (model: TrackerModel): ModelIssue[] =>
  [...model.issues.values()].map(({ team, number, labels, ...issue }) => {
    return { ...issue, identifier: `${teamOf(model, team).key}-${number}`, labels: [...labels].sort() };
  });

function create(model: TrackerModel, { teamId, title }: { teamId: string; title: string }, id: string): void {
  const plain = { id, title, priority: 0, state: "Backlog", archived: false, trashed: false, previous: [] };
  model.issues.set(id, { ...plain, team: teamId, number: nextNumber(teamOf(model, teamId)), labels: new Set() });
}

function rename(team: ModelTeam, key: string): void {
  team.key = key;
  team.keys.add(key);
}

function dropLabel(model: TrackerModel, labelId: string): void {
  model.labels.delete(labelId);
  for (const issue of model.issues.values()) issue.labels.delete(labelId);
}

function change(model: TrackerModel, issue: Tracked, command: Extract<ModelCommand, { id: string }>): void {
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

function move(model: TrackerModel, issue: Tracked, teamId: string): void {
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

function teamOf({ teams }: TrackerModel, id: string): ModelTeam {
  const team = teams.get(id);
  if (!team) throw new Error(`no team ${id}`);
  return team;
}

function issueOf({ issues }: TrackerModel, id: string): Tracked {
  const issue = issues.get(id);
  if (!issue) throw new Error(`no issue ${id}`);
  return issue;
}
