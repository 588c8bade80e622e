import { inputError } from "../../errors.ts";
import { newId } from "../../id.ts";
import { createRow, insertLinkRow } from "../../write/change.ts";
import { findLoadedRow, loadRows } from "../../write/load.ts";
import type { MutationResult } from "../../write/write.ts";
import { createView } from "../custom-view/custom-view.ts";
import { DEFAULT_COLOR } from "../fields.ts";
import { createMilestone } from "../project-milestone/project-milestone.ts";
import { createTemplate } from "../template/template.ts";
import { getTeamByKey, type ImportBatch, type ImportOutcome, type ImportTeam, scopedKey } from "./batch.ts";
import type { ImportRow } from "./input.ts";
import { findOrCreateLabelIds, rejectLabelGroups } from "./label.ts";

/** Creates a row unless a row with the id exists. A private view of another user also counts as existing. */
async function unlessThere(
  { write }: ImportBatch,
  entity: string,
  id: string | null | undefined,
  make: () => Promise<MutationResult>,
): Promise<ImportOutcome> {
  await loadRows(write, [[entity, id]]);
  if (id && findLoadedRow(write, entity, id)) return { status: "exists", entityId: id };
  return { status: "created", entityId: String((await make()).id) };
}

/** Imports a milestone of a project. */
export const importMilestone = (
  batch: ImportBatch,
  { project, ...fields }: ImportRow<"milestone">,
): Promise<ImportOutcome> =>
  unlessThere(batch, "ProjectMilestone", fields.id, async () => {
    const own = projectId(batch, project);
    const made = await createMilestone(batch.write, { ...fields, projectId: own });
    batch.milestones.set(String(made.id), own);
    return made;
  });

/** Imports a view. The importer becomes the owner. */
export const importView = (
  batch: ImportBatch,
  { team, project, ...fields }: ImportRow<"view">,
): Promise<ImportOutcome> =>
  unlessThere(batch, "CustomView", fields.id, () =>
    createView(batch.write, {
      ...fields,
      teamId: team && getTeamByKey(batch, team).id,
      projectId: project && projectId(batch, project),
    }),
  );

/** Imports a template. The imported row refers to the state, the labels and the project by name. */
export const importTemplate = (batch: ImportBatch, fields: ImportRow<"template">): Promise<ImportOutcome> =>
  unlessThere(batch, "Template", fields.id, () => {
    const { team: key, state, labels, project, templateData, ...more } = fields;
    const team = key ? getTeamByKey(batch, key) : undefined;
    return createTemplate(batch.write, {
      ...more,
      type: "issue",
      teamId: team?.id,
      templateData: {
        ...templateData,
        ...(state && { stateId: stateId(team, state) }),
        ...(labels && { labelIds: labelsNamed(batch, team, labels) }),
        ...(project && { projectId: projectId(batch, project) }),
      },
    });
  });

function projectId({ projects }: ImportBatch, name: string): string {
  const id = projects.get(name);
  if (id) return id;
  throw inputError(`there is no project ${name}; import a row for it first`, "project");
}

function stateId(team: ImportTeam | undefined, name: string): string {
  const id = team?.states.get(name)?.id;
  if (id) return id;
  throw inputError(`there is no state ${name} in ${team?.key ?? "a template without a team"}`, "state");
}

/**
 * Returns the ids of the labels with the given names. With a team, finds labels of the team and of the organization;
 * without a team, finds only labels of the organization.
 */
function labelsNamed(batch: ImportBatch, team: ImportTeam | undefined, names: readonly string[]): string[] {
  if (team) {
    rejectLabelGroups(batch, team, names);
    return [...findOrCreateLabelIds(batch, team, names)];
  }
  return names.map((name) => {
    const id = batch.labels.get(scopedKey(null, name))?.id;
    if (id) return id;
    throw inputError(`there is no label ${name} of the organization; import a row for it first`, "labels");
  });
}

type Fields = ImportRow<"project">;
/**
 * Imports a project, unless the project exists. A row with an id matches a project with the same id; a row without an
 * id matches a project with the same name.
 */
export function importProject(batch: ImportBatch, fields: Fields): ImportOutcome {
  const there = batch.projects.get(fields.id ?? fields.name);
  if (there) return { status: "exists", entityId: there };
  const teams = fields.teams.map((key, at) => getTeamByKey(batch, key, `teams.${at}`));
  const id = add(batch, fields);
  for (const teamId of new Set(teams.map((team) => team.id)))
    insertLinkRow(batch.write, "projectTeam", { projectId: id, teamId });
  return { status: "created", entityId: id };
}

/** Returns the project of an issue, by id or name. Creates a project for an unknown name. */
export function findOrCreateProjectId(
  batch: ImportBatch,
  name: string | null | undefined,
  team: ImportTeam,
): string | null {
  if (!name) return null;
  const there = batch.projects.get(name);
  if (there) return there;
  const id = add(batch, { name: name.slice(0, 250), teams: [team.key] });
  insertLinkRow(batch.write, "projectTeam", { projectId: id, teamId: team.id });
  return id;
}

function add(batch: ImportBatch, fields: Fields): string {
  const { write, projects } = batch;
  const id = fields.id ?? newId();
  const { name, description, content, icon, color, priority, sortOrder, startDate, targetDate } = fields;
  const { createdAt, updatedAt, startedAt, completedAt, canceledAt, archivedAt } = fields;
  createRow(write, "Project", {
    id,
    name,
    description: description ?? "",
    color: color ?? DEFAULT_COLOR,
    priority: priority ?? 0,
    sortOrder: sortOrder ?? 0,
    statusId: statusOf(batch, fields),
    ...{ content, icon, startDate, targetDate, startedAt, completedAt, canceledAt, archivedAt },
    createdAt: createdAt ?? write.at,
    updatedAt: updatedAt ?? createdAt ?? write.at,
  });
  projects.set(id, id);
  if (!projects.has(name)) projects.set(name, id);
  return id;
}

/**
 * Returns the id of the status with the given name, and creates the status if it does not exist. Without a name,
 * returns the first status.
 */
function statusOf({ write, statuses }: ImportBatch, { status }: Fields): string {
  const [first] = statuses.values();
  const found = status ? statuses.get(status.name) : first;
  if (found) return found.id;
  const { name, type } = status ?? { name: "Backlog", type: "backlog" };
  const position = Math.max(0, ...[...statuses.values()].map((each) => each.position + 1));
  const made = { id: newId(), type, position };
  createRow(write, "ProjectStatus", { ...made, name, color: DEFAULT_COLOR, indefinite: false });
  statuses.set(name, made);
  return made.id;
}
