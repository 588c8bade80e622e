import type { Caller } from "../api/graphql.ts";
import { given, type Kind } from "../import/row.ts";
import { listed, type Node } from "./pages.ts";

/** A line of an export: what `trackway import jsonl` takes as one row. */
export type Line = { [Of in Kind]?: Record<string, unknown> };

/** The names that lines refer to. */
interface Known {
  teams: Set<string>;
  /** Names of states and labels by their ids. */
  states: Map<string, string>;
  labels: Map<string, string>;
  projects: Set<string>;
}

/** True if an issue is to be seen: not in the trash, nor its team. */
export const isThere = ({ trashed, team }: Node): boolean => !trashed && !team.archivedAt;

/** Every line of an export in its order, in which what a line refers to comes before it. */
export async function* exportLines(caller: Caller): AsyncGenerator<Line> {
  const known: Known = { teams: new Set(), states: new Map(), labels: new Map(), projects: new Set() };
  yield* teams(caller, known);
  yield* labels(caller, known);
  yield* projects(caller, known);
  yield* plans(caller, known, ["milestone"]);
  yield* cycles(caller, known);
  for await (const node of listed(caller, "issue")) if (isThere(node)) yield { issue: issueOf(node, known) };
  for (const kind of ["comment", "answer"] as const) {
    for await (const node of listed(caller, kind)) {
      if (node["issue"] && isThere(node["issue"]) && !node["archivedAt"]) yield { comment: commentOf(node) };
    }
  }
  yield* links(caller);
  yield* plans(caller, known, ["template", "view"]);
}

const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

async function gathered(caller: Caller, name: Parameters<typeof listed>[1]): Promise<Node[]> {
  const all: Node[] = [];
  for await (const node of listed(caller, name)) all.push(node);
  return all;
}

/** Teams that have issues, with all of their states: an empty one is nothing to import. */
async function* teams(caller: Caller, known: Known): AsyncGenerator<Line> {
  const found = (await gathered(caller, "team")).filter(isUsed);
  for (const node of found.sort((one, other) => byText(one["key"], other["key"]))) {
    const { key, name, description, color, icon, defaultIssueState, states } = node;
    known.teams.add(key);
    for (const { id, name: state } of states.nodes) known.states.set(id, state);
    const all = states.nodes.map(({ id: _, ...state }: Node) => given(state)).sort(byPosition);
    yield { team: given({ key, name, description, color, icon, defaultState: defaultIssueState.name, states: all }) };
  }
}

const isUsed = ({ archivedAt, issues, archived }: Node): boolean =>
  !archivedAt && [...issues.nodes, ...archived.nodes].some(({ trashed }) => !trashed);

const byPosition = (one: Node, other: Node): number =>
  one["position"] - other["position"] || byText(one["name"], other["name"]);

/** Labels of the organization and of these teams, groups first. */
async function* labels(caller: Caller, known: Known): AsyncGenerator<Line> {
  const all = await gathered(caller, "label");
  for (const { id, name } of all) known.labels.set(id, name);
  const order = ({ isGroup, team, name }: Node) => `${isGroup ? 0 : 1} ${team?.key ?? ""} ${name}`;
  const shown = all.filter(({ archivedAt, team }) => !archivedAt && (!team || known.teams.has(team.key)));
  for (const node of shown.sort((one, other) => byText(order(one), order(other)))) {
    const { name, color, description, isGroup, team, parent } = node;
    const group = { group: parent?.name, isGroup: isGroup || undefined };
    yield { label: given({ name, team: team?.key, color, description, ...group }) };
  }
}

async function* projects(caller: Caller, known: Known): AsyncGenerator<Line> {
  for await (const { trashed, teams: of, ...fields } of listed(caller, "project")) {
    const keys = of.nodes.map(({ key }: Node) => key).filter((key: string) => known.teams.has(key));
    if (trashed || keys.length === 0) continue;
    known.projects.add(fields["id"]);
    yield { project: given({ ...fields, teams: keys.sort(byText) }) };
  }
}

async function* cycles(caller: Caller, known: Known): AsyncGenerator<Line> {
  const all = (await gathered(caller, "cycle")).filter(({ team }) => known.teams.has(team.key));
  const order = (one: Node, other: Node) =>
    byText(one["team"].key, other["team"].key) || one["number"] - other["number"];
  for (const { team, ...fields } of all.sort(order)) yield { cycle: given({ team: team.key, ...fields }) };
}

function issueOf(node: Node, known: Known): Record<string, unknown> {
  const { id, identifier, previousIdentifiers, externalIds, team, state, title, description } = node;
  const { priority, estimate, sortOrder, labelIds, dueDate, project, projectMilestone, cycle, creator, assignee } =
    node;
  const { createdAt, updatedAt, startedAt, completedAt, canceledAt, archivedAt } = node;
  const names = labelIds.flatMap((label: string) => known.labels.get(label) ?? []);
  return given({
    ...{ id, identifier, previousIdentifiers, externalIds, team: team.key, title, description, state: state.name },
    ...{ priority, estimate, sortOrder, labels: names.sort(byText) },
    creator: person(creator ?? node["externalUserCreator"]),
    assignee: person(assignee ?? node["externalUserAssignee"]),
    project: project && known.projects.has(project.id) ? project.id : undefined,
    milestone: project && known.projects.has(project.id) ? projectMilestone?.id : undefined,
    cycle: cycle?.number,
    ...{ dueDate, createdAt, updatedAt, startedAt, completedAt, canceledAt, archivedAt },
  });
}

const person = (node: Node | null | undefined) =>
  node ? given({ name: node["name"], email: node["email"]?.toLowerCase() }) : undefined;

function commentOf(node: Node): Record<string, unknown> {
  const { id, externalIds, issue, parentId, body, createdAt, updatedAt, editedAt, resolvedAt } = node;
  const author = person(node["user"] ?? node["externalUser"]);
  const fields = { id, externalIds, issue: issue.id, parent: parentId, body, author };
  return given({ ...fields, createdAt, updatedAt, editedAt, resolvedAt });
}

async function* links(caller: Caller): AsyncGenerator<Line> {
  for await (const node of listed(caller, "parent")) {
    const { id, parent } = node;
    if (isThere(node) && isThere(parent)) yield { parent: { issue: id, parent: parent.id } };
  }
  for await (const { issue, relatedIssue, ...fields } of listed(caller, "relation")) {
    if (!isThere(issue) || !isThere(relatedIssue)) continue;
    const { id, type, createdAt, updatedAt } = fields;
    yield { relation: { id, type, issue: issue.id, relatedIssue: relatedIssue.id, createdAt, updatedAt } };
  }
}

/** Milestones, templates and views: what people plan with. */
async function* plans(
  caller: Caller,
  known: Known,
  kinds: readonly ("milestone" | "template" | "view")[],
): AsyncGenerator<Line> {
  const isKept = ({ team, project }: Node): boolean =>
    (!team || known.teams.has(team.key)) && (!project || known.projects.has(project.id));
  for (const kind of kinds) {
    for await (const node of listed(caller, kind)) {
      if (!isKept(node)) continue;
      const { team, project, ...fields } = node;
      const more = kind === "template" ? valuesOf(node, known) : {};
      yield { [kind]: given({ ...fields, team: team?.key, project: project?.id, ...more }) };
    }
  }
}

/** The values of a template: what it refers to by name, as far as that goes along. */
function valuesOf({ templateData }: Node, known: Known): Record<string, unknown> {
  const { stateId, labelIds, projectId, assigneeId, delegateId, parentId, projectMilestoneId, cycleId, ...plain } =
    templateData;
  return {
    templateData: plain,
    state: known.states.get(stateId),
    labels: (labelIds ?? []).flatMap((id: string) => known.labels.get(id) ?? []),
    project: known.projects.has(projectId) ? projectId : undefined,
  };
}
