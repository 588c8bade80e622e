import { newId } from "../../id.ts";
import { addLink, create } from "../../write/change.ts";
import { type Batch, type Outcome, type Team, teamNamed } from "./batch.ts";
import type { RowOf } from "./input.ts";

type Fields = RowOf<"project">;
const DEFAULT_COLOR = "#bec2c8";

/** Imports a project, unless there is one of that id or, without an id, of that name. */
export function importProject(batch: Batch, fields: Fields): Outcome {
  const there = batch.projects.get(fields.id ?? fields.name.toLowerCase());
  if (there) return { status: "exists", entityId: there };
  const teams = fields.teams.map((key, at) => teamNamed(batch, key, `teams.${at}`));
  const id = add(batch, fields);
  for (const teamId of new Set(teams.map((team) => team.id)))
    addLink(batch.write, "projectTeam", { projectId: id, teamId });
  return { status: "created", entityId: id };
}

/** The project of an issue, by id or name; one of a new name is made. */
export function projectNamed(batch: Batch, name: string | null | undefined, team: Team): string | null {
  if (!name) return null;
  const there = batch.projects.get(name.toLowerCase());
  if (there) return there;
  const id = add(batch, { name: name.slice(0, 250), teams: [team.key] });
  addLink(batch.write, "projectTeam", { projectId: id, teamId: team.id });
  return id;
}

function add(batch: Batch, fields: Fields): string {
  const { write, projects } = batch;
  const id = fields.id ?? newId();
  const { name, description, content, icon, color, priority, sortOrder, startDate, targetDate } = fields;
  const { createdAt, updatedAt, startedAt, completedAt, canceledAt, archivedAt } = fields;
  create(write, "Project", {
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
  if (!projects.has(name.toLowerCase())) projects.set(name.toLowerCase(), id);
  return id;
}

/** The status of that name, which is made if there is none; without a name, the first. */
function statusOf({ write, statuses }: Batch, { status }: Fields): string {
  const [first] = statuses.values();
  const found = status ? statuses.get(status.name.toLowerCase()) : first;
  if (found) return found.id;
  const { name, type } = status ?? { name: "Backlog", type: "backlog" };
  const position = Math.max(0, ...[...statuses.values()].map((each) => each.position + 1));
  const made = { id: newId(), type, position };
  create(write, "ProjectStatus", { ...made, name, color: DEFAULT_COLOR, indefinite: false });
  statuses.set(name.toLowerCase(), made);
  return made.id;
}
