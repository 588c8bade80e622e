import { inputError } from "../../errors.ts";
import { newId } from "../../id.ts";
import { createRow } from "../../write/change.ts";
import { DEFAULT_COLOR } from "../fields.ts";
import { getTeamByKey, type ImportBatch, type ImportOutcome, type ImportTeam, scopedKey } from "./batch.ts";
import type { ImportRow } from "./input.ts";

/** Imports a label of a team or of the organization, unless a label with the name exists. */
export function importLabel(batch: ImportBatch, fields: ImportRow<"label">): ImportOutcome {
  const teamId = fields.team ? getTeamByKey(batch, fields.team).id : null;
  const there = batch.labels.get(scopedKey(teamId, fields.name));
  if (there) return { status: "exists", entityId: there.id };
  const parentId = groupOf(batch, teamId, fields);
  const isGroup = fields.isGroup ?? false;
  const { name, color, description } = fields;
  return { status: "created", entityId: add(batch, { teamId, name, color, description, parentId, isGroup }) };
}

function groupOf(
  { labels }: ImportBatch,
  teamId: string | null,
  { group, isGroup }: ImportRow<"label">,
): string | null {
  if (!group) return null;
  if (isGroup) throw inputError("a group of labels cannot be in a group; leave one of the two out", "group");
  const found = labels.get(scopedKey(teamId, group)) ?? labels.get(scopedKey(null, group));
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

function add({ write, labels }: ImportBatch, { teamId, name, ...more }: NewLabel): string {
  const id = newId();
  const { color, description, parentId = null, isGroup = false } = more;
  createRow(write, "IssueLabel", {
    id,
    teamId,
    name,
    parentId,
    isGroup,
    creatorId: write.scope.userId,
    description: description ?? null,
    color: color ?? DEFAULT_COLOR,
  });
  labels.set(scopedKey(teamId, name), { id, isGroup });
  return id;
}

/** @throws inputError if a name is the name of a label group */
export function rejectLabelGroups({ labels }: ImportBatch, team: ImportTeam, names: readonly string[]): void {
  for (const name of names) {
    const found = labels.get(scopedKey(team.id, name)) ?? labels.get(scopedKey(null, name));
    if (found?.isGroup) throw inputError(`${name} is a group of labels; choose one of its labels`, "labels");
  }
}

/**
 * Returns the ids of the labels with the given names. A label of the team has priority over a label of the
 * organization. A missing label is created for the team.
 */
export function findOrCreateLabelIds(batch: ImportBatch, team: ImportTeam, names: readonly string[]): Set<string> {
  const ids = new Set<string>();
  for (const name of names) {
    const own = batch.labels.get(scopedKey(team.id, name))?.id;
    const common = batch.labels.get(scopedKey(null, name))?.id;
    // If the names contain the same name twice, the first means the team's label and the second means the
    // organization's label.
    const id = own && ids.has(own) ? common : (own ?? common);
    ids.add(id ?? add(batch, { teamId: team.id, name }));
  }
  return ids;
}
