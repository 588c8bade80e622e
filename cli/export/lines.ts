import type { ApiCredentials } from "../api/graphql.ts";
import { omitEmpty, type RowKind } from "../import/row.ts";
import { type ExportNode, listAll } from "./pages.ts";

/** A line of an export: one row for `trackway import jsonl`. */
export type ExportLine = { [Of in RowKind]?: Record<string, unknown> };

/**
 * Names, keys and ids to which lines may refer. Teams, states and projects are only those that the export contains.
 * `labels` contains all labels.
 */
interface Known {
  teams: Set<string>;
  /** `states` and `labels` contain the names of states and labels, by id. */
  states: Map<string, string>;
  labels: Map<string, string>;
  projects: Set<string>;
}

/**
 * Returns true if an issue is part of the export. Issues in the trash and issues of archived teams are not exported.
 */
export const isExported = ({ trashed, team }: ExportNode): boolean => !trashed && !team.archivedAt;

/** Returns all lines of an export in an order in which a line refers only to earlier lines. */
export async function* exportLines(caller: ApiCredentials): AsyncGenerator<ExportLine> {
  const known: Known = { teams: new Set(), states: new Map(), labels: new Map(), projects: new Set() };
  yield* teams(caller, known);
  yield* labels(caller, known);
  yield* projects(caller, known);
  yield* plans(caller, known, ["milestone"]);
  yield* cycles(caller, known);
  for await (const node of listAll(caller, "issue")) if (isExported(node)) yield { issue: issueOf(node, known) };
  for (const kind of ["comment", "answer"] as const) {
    for await (const node of listAll(caller, kind)) {
      if (node["issue"] && isExported(node["issue"]) && !node["archivedAt"]) yield { comment: commentOf(node) };
    }
  }
  yield* links(caller);
  yield* plans(caller, known, ["template", "view"]);
}

const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

async function gathered(caller: ApiCredentials, name: Parameters<typeof listAll>[1]): Promise<ExportNode[]> {
  const all: ExportNode[] = [];
  for await (const node of listAll(caller, name)) all.push(node);
  return all;
}

/** Returns teams that have issues, with all states. A team without issues is not exported. */
async function* teams(caller: ApiCredentials, known: Known): AsyncGenerator<ExportLine> {
  const found = (await gathered(caller, "team")).filter(isUsed);
  for (const node of found.sort((one, other) => byText(one["key"], other["key"]))) {
    const { key, name, description, color, icon, defaultIssueState, states } = node;
    known.teams.add(key);
    for (const { id, name: state } of states.nodes) known.states.set(id, state);
    const all = states.nodes.map(({ id: _, ...state }: ExportNode) => omitEmpty(state)).sort(byPosition);
    yield {
      team: omitEmpty({ key, name, description, color, icon, defaultState: defaultIssueState.name, states: all }),
    };
  }
}

const isUsed = ({ archivedAt, issues, archived }: ExportNode): boolean =>
  !archivedAt && [...issues.nodes, ...archived.nodes].some(({ trashed }) => !trashed);

const byPosition = (one: ExportNode, other: ExportNode): number =>
  one["position"] - other["position"] || byText(one["name"], other["name"]);

/** Returns labels of the organization and of the exported teams, groups first. */
async function* labels(caller: ApiCredentials, known: Known): AsyncGenerator<ExportLine> {
  const all = await gathered(caller, "label");
  for (const { id, name } of all) known.labels.set(id, name);
  const order = ({ isGroup, team, name }: ExportNode) => `${isGroup ? 0 : 1} ${team?.key ?? ""} ${name}`;
  const shown = all.filter(({ archivedAt, team }) => !archivedAt && (!team || known.teams.has(team.key)));
  for (const node of shown.sort((one, other) => byText(order(one), order(other)))) {
    const { name, color, description, isGroup, team, parent } = node;
    const group = { group: parent?.name, isGroup: isGroup || undefined };
    yield { label: omitEmpty({ name, team: team?.key, color, description, ...group }) };
  }
}

async function* projects(caller: ApiCredentials, known: Known): AsyncGenerator<ExportLine> {
  for await (const { trashed, teams: of, ...fields } of listAll(caller, "project")) {
    const keys = of.nodes.map(({ key }: ExportNode) => key).filter((key: string) => known.teams.has(key));
    if (trashed || keys.length === 0) continue;
    known.projects.add(fields["id"]);
    yield { project: omitEmpty({ ...fields, teams: keys.sort(byText) }) };
  }
}

async function* cycles(caller: ApiCredentials, known: Known): AsyncGenerator<ExportLine> {
  const all = (await gathered(caller, "cycle")).filter(({ team }) => known.teams.has(team.key));
  const order = (one: ExportNode, other: ExportNode) =>
    byText(one["team"].key, other["team"].key) || one["number"] - other["number"];
  for (const { team, ...fields } of all.sort(order)) yield { cycle: omitEmpty({ team: team.key, ...fields }) };
}

function issueOf(node: ExportNode, known: Known): Record<string, unknown> {
  const { id, identifier, previousIdentifiers, externalIds, team, state, title, description } = node;
  const { priority, estimate, sortOrder, labelIds, dueDate, project, projectMilestone, cycle, creator, assignee } =
    node;
  const { createdAt, updatedAt, startedAt, completedAt, canceledAt, archivedAt } = node;
  const names = labelIds.flatMap((label: string) => known.labels.get(label) ?? []);
  return omitEmpty({
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

const person = (node: ExportNode | null | undefined) =>
  node ? omitEmpty({ name: node["name"], email: node["email"]?.toLowerCase() }) : undefined;

function commentOf(node: ExportNode): Record<string, unknown> {
  const { id, externalIds, issue, parentId, body, createdAt, updatedAt, editedAt, resolvedAt } = node;
  const author = person(node["user"] ?? node["externalUser"]);
  const fields = { id, externalIds, issue: issue.id, parent: parentId, body, author };
  return omitEmpty({ ...fields, createdAt, updatedAt, editedAt, resolvedAt });
}

async function* links(caller: ApiCredentials): AsyncGenerator<ExportLine> {
  for await (const node of listAll(caller, "parent")) {
    const { id, parent } = node;
    if (isExported(node) && isExported(parent)) yield { parent: { issue: id, parent: parent.id } };
  }
  for await (const { issue, relatedIssue, ...fields } of listAll(caller, "relation")) {
    if (!isExported(issue) || !isExported(relatedIssue)) continue;
    const { id, type, createdAt, updatedAt } = fields;
    yield { relation: { id, type, issue: issue.id, relatedIssue: relatedIssue.id, createdAt, updatedAt } };
  }
}

/** Returns milestones, templates and views of exported teams and projects. */
async function* plans(
  caller: ApiCredentials,
  known: Known,
  kinds: readonly ("milestone" | "template" | "view")[],
): AsyncGenerator<ExportLine> {
  const isKept = ({ team, project }: ExportNode): boolean =>
    (!team || known.teams.has(team.key)) && (!project || known.projects.has(project.id));
  for (const kind of kinds) {
    for await (const node of listAll(caller, kind)) {
      if (!isKept(node)) continue;
      const { team, project, ...fields } = node;
      const more = kind === "template" ? valuesOf(node, known) : {};
      yield { [kind]: omitEmpty({ ...fields, team: team?.key, project: project?.id, ...more }) };
    }
  }
}

/**
 * Returns the values of a template, with names instead of the ids of the state and the labels, because an import
 * creates new ids for these. The function keeps the id of the project, and omits a project that is not in the export.
 * Assignee, delegate, parent, milestone and cycle are always omitted.
 */
function valuesOf({ templateData }: ExportNode, known: Known): Record<string, unknown> {
  const { stateId, labelIds, projectId, assigneeId, delegateId, parentId, projectMilestoneId, cycleId, ...plain } =
    templateData;
  return {
    templateData: plain,
    state: known.states.get(stateId),
    labels: (labelIds ?? []).flatMap((id: string) => known.labels.get(id) ?? []),
    project: known.projects.has(projectId) ? projectId : undefined,
  };
}
