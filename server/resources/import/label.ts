import { inputError } from "../../errors.ts";
import { newId } from "../../id.ts";
import { create } from "../../write/change.ts";
import { DEFAULT_COLOR } from "../fields.ts";
import { type Batch, type Outcome, type Team, teamNamed, within } from "./batch.ts";
import type { RowOf } from "./input.ts";

/** Imports a label of a team or of the whole organization, unless there is one of that name. */
export function importLabel(batch: Batch, fields: RowOf<"label">): Outcome {
  const teamId = fields.team ? teamNamed(batch, fields.team).id : null;
  const there = batch.labels.get(within(teamId, fields.name));
  if (there) return { status: "exists", entityId: there.id };
  const parentId = groupOf(batch, teamId, fields);
  const isGroup = fields.isGroup ?? false;
  const { name, color, description } = fields;
  return { status: "created", entityId: add(batch, { teamId, name, color, description, parentId, isGroup }) };
}

function groupOf({ labels }: Batch, teamId: string | null, { group, isGroup }: RowOf<"label">): string | null {
  if (!group) return null;
  if (isGroup) throw inputError("a group of labels cannot be in a group; leave one of the two out", "group");
  const found = labels.get(within(teamId, group)) ?? labels.get(within(null, group));
  if (found?.isGroup) return found.id;
  throw inputError(`there is no group of labels named ${group}; import a row for it first, with isGroup`, "group");
}

interface NewLabel {
  teamId: string | null;
  name: string;
  color?: string | null | undefined;
  description?: string | null | undefined;
  parentId?: string | null;
  isGroup?: boolean;
}

function add({ write, labels }: Batch, { teamId, name, ...more }: NewLabel): string {
  const id = newId();
  const { color, description, parentId = null, isGroup = false } = more;
  create(write, "IssueLabel", {
    id,
    teamId,
    name,
    parentId,
    isGroup,
    creatorId: write.scope.userId,
    description: description ?? null,
    color: color ?? DEFAULT_COLOR,
  });
  labels.set(within(teamId, name), { id, isGroup });
  return id;
}

/** @throws inputError for a name that is a group of labels */
export function checkLabels({ labels }: Batch, team: Team, names: readonly string[]): void {
  for (const name of names) {
    const found = labels.get(within(team.id, name)) ?? labels.get(within(null, name));
    if (found?.isGroup) throw inputError(`${name} is a group of labels; choose one of its labels`, "labels");
  }
}

/** The labels of an issue: the team's, else the organization's; what nobody has becomes the team's. */
export function labelIds(batch: Batch, team: Team, names: readonly string[]): Set<string> {
  const ids = new Set<string>();
  for (const name of names) {
    const own = batch.labels.get(within(team.id, name))?.id;
    const common = batch.labels.get(within(null, name))?.id;
    // A name that comes twice means the label of the team and that of the organization.
    const id = own && ids.has(own) ? common : (own ?? common);
    ids.add(id ?? add(batch, { teamId: team.id, name }));
  }
  return ids;
}
