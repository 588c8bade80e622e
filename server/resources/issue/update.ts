import { conflict, inputError } from "../../errors.ts";
import { deleteLinkRows, insertLinkRow } from "../../write/change.ts";
import { findReferencedRows, findRowOrThrow, findRowsOrThrow, toEntityReferences } from "../../write/find.ts";
import { loadRows } from "../../write/load.ts";
import type { LoadedRow, RowPatch } from "../../write/rows.ts";
import type { WriteContext } from "../../write/write.ts";
import { toTrashChange } from "../archive.ts";
import { nullToUndefined } from "../fields.ts";
import { notifyOfAssignment, notifyOfMention } from "../inbox/notice.ts";
import { checkFence } from "../lease/fence.ts";
import { proveCompletion } from "../proof/complete.ts";
import { changeIssue } from "./change.ts";
import { takeNextIssueNumber } from "./create.ts";
import { type IssueUpdate, MAX_LABELS } from "./input.ts";
import {
  collectIssueReferences,
  toIds,
  validateAgentUser,
  validateLabelTeam,
  validateMilestoneProject,
  validateTeamOfReferences,
} from "./references.ts";
import { type StateFields, stateAfterMove, stateEntryColumns } from "./state.ts";

/** Changes to an issue by a move to another team. */
interface Moved {
  patch: RowPatch<"Issue">;
  also: { identifier: { before: unknown; after: unknown } };
  /** State of the issue in the new team. Undefined if the input sets a state. */
  state: StateFields | undefined;
  /** Labels of the organization, which the issue keeps. */
  labelIds: string[];
}

/**
 * Moves an issue to another team. The issue gets the new team's next number, keeps the old identifier as an alias,
 * and loses the cycle and the labels of the old team.
 */
async function moved(
  write: WriteContext,
  issue: LoadedRow<"Issue">,
  team: LoadedRow<"Team">,
  stateId: StateFields | undefined,
): Promise<Moved> {
  const labels = issue.labelIds;
  await loadRows(write, [["WorkflowState", issue.stateId], ...labels.map((id) => ["IssueLabel", id] as const)]);
  const number = takeNextIssueNumber(write, team);
  const previousIdentifiers = [...issue.previousIdentifiers, issue.identifier];
  insertLinkRow(write, "issueAlias", { teamId: issue.teamId, number: issue.number, issueId: issue.id });
  const state = stateId
    ? undefined
    : await stateAfterMove(write, await findRowOrThrow(write, "WorkflowState", issue.stateId), team);
  const kept = (await findRowsOrThrow(write, "IssueLabel", labels)).filter(
    ({ teamId }) => !teamId || teamId === team.id,
  );
  return {
    patch: { teamId: team.id, number, previousIdentifiers, cycleId: null },
    also: { identifier: { before: issue.identifier, after: `${team.key}-${number}` } },
    state,
    labelIds: kept.map(({ id }) => id),
  };
}

/**
 * Changes an issue. Absent fields stay unchanged; null clears a field.
 * @throws notFound; inputError for a reference that does not exist, belongs to another team, or would form a cycle of
 * parents.
 */
export async function issueUpdate(write: WriteContext, id: string, input: IssueUpdate) {
  const wanted = collectIssueReferences(input);
  await loadRows(write, [["Issue", id], ...toEntityReferences(wanted)]);
  const before = await findRowOrThrow(write, "Issue", id);
  await checkFence(write, before, input.fence);
  checkUnchanged(before, input.updatedAt);
  const found = await findReferencedRows(write, wanted);
  validateAgentUser("delegateId", found.delegateId);
  const { teamId: team, parentId: parent } = found;
  validateTeamOfReferences(found, team?.id ?? before.teamId);
  if (parent) await checkParent(write, before.id, parent);
  const move = team && team.id !== before.teamId ? await moved(write, before, team, found.stateId) : undefined;
  const state = found.stateId ?? move?.state;
  const trash = toTrashChange(write, before, input.trashed);
  const linked = (
    field: "assigneeId" | "delegateId" | "parentId" | "projectId" | "projectMilestoneId" | "cycleId",
  ): string | null | undefined => (input[field] === undefined ? undefined : (found[field]?.id ?? null));
  const projectId = input.projectId === undefined ? before.projectId : (found.projectId?.id ?? null);
  validateMilestoneProject(found.projectMilestoneId, projectId);
  const patch: RowPatch<"Issue"> = {
    ...plain(input),
    assigneeId: linked("assigneeId"),
    delegateId: linked("delegateId"),
    parentId: linked("parentId"),
    projectId: linked("projectId"),
    // A milestone belongs to a single project, so an issue that changes projects loses its milestone, unless the input
    // sets a new milestone.
    projectMilestoneId:
      projectId === before.projectId ? linked("projectMilestoneId") : (linked("projectMilestoneId") ?? null),
    ...move?.patch,
    ...(input.cycleId !== undefined && { cycleId: linked("cycleId") }),
    ...(state && state.id !== before.stateId && stateEntryColumns(write, state, before)),
    ...trash.patch,
  };
  const completes = state?.type === "completed" && before.stateType !== "completed";
  const proven = completes ? await proveCompletion(write, before, team?.id ?? before.teamId, input) : {};
  const labelIds = relabelled(write, before, labelsAfter(move?.labelIds ?? before.labelIds, input, found));
  if (patch.assigneeId !== before.assigneeId) notifyOfAssignment(write, before.id, patch.assigneeId);
  if (patch.delegateId !== before.delegateId) notifyOfAssignment(write, before.id, patch.delegateId);
  if (input.description) notifyOfMention(write, { issueId: before.id }, input.description, before.description);
  changeIssue(write, before, patch, { ...proven, ...trash.change, also: { ...move?.also, labelIds } });
  return { id: before.id };
}

/**
 * Rejects a change if the issue has changed since the caller read it.
 * @throws conflict
 */
function checkUnchanged({ identifier, updatedAt }: LoadedRow<"Issue">, since: string | null | undefined): void {
  if (!since || Date.parse(since) === Date.parse(updatedAt)) return;
  throw conflict(
    `${identifier} was changed at ${updatedAt}, after what this change was made of; read it again`,
    undefined,
    "updatedAt",
  );
}

/** An issue, and a label to add or remove. */
export interface LabelChange {
  id: string;
  labelId: string;
}

/** Adds a label to an issue, or removes the label. */
export async function setLabel(write: WriteContext, { id, labelId }: LabelChange, on: boolean) {
  const wanted = ["IssueLabel", labelId] as const;
  await loadRows(write, [["Issue", id], wanted]);
  const before = await findRowOrThrow(write, "Issue", id);
  const { labelId: label } = await findReferencedRows(write, { labelId: wanted });
  if (on) validateLabelTeam("labelId", label, before.teamId);
  const others = before.labelIds.filter((each) => each !== label.id);
  const labelIds = relabelled(write, before, on ? [...others, label.id] : others);
  changeIssue(write, before, {}, { also: { labelIds } });
  return { id: before.id };
}

/** Fields that are copied unchanged. */
function plain(input: IssueUpdate): RowPatch<"Issue"> {
  return {
    title: nullToUndefined(input.title),
    description: input.description,
    priority: nullToUndefined(input.priority),
    estimate: input.estimate,
    sortOrder: nullToUndefined(input.sortOrder),
    dueDate: input.dueDate,
  };
}

/** Labels that an input sets, adds and removes. */
type Labels = Record<"labelIds" | "addedLabelIds" | "removedLabelIds", readonly LoadedRow<"IssueLabel">[]>;

function labelsAfter(has: readonly string[], input: IssueUpdate, found: Labels): string[] {
  const first = input.labelIds ? toIds(found.labelIds) : has;
  const dropped = new Set(toIds(found.removedLabelIds));
  return [...new Set([...first, ...toIds(found.addedLabelIds)])].filter((labelId) => !dropped.has(labelId));
}

/** Writes the links to an issue's labels. Returns the ids before and after. */
function relabelled(write: WriteContext, issue: LoadedRow<"Issue">, after: readonly string[]) {
  const before = issue.labelIds;
  if (after.length > MAX_LABELS) throw inputError(`an issue has at most ${MAX_LABELS} labels`, "labelIds");
  for (const labelId of before) {
    if (!after.includes(labelId)) deleteLinkRows(write, "issueLabelLink", { issueId: issue.id, labelId });
  }
  for (const labelId of after) {
    if (!before.includes(labelId)) insertLinkRow(write, "issueLabelLink", { issueId: issue.id, labelId });
  }
  return { before, after };
}

/**
 * Raw SQL: recursive, from the parent to all ancestors.
 * @throws inputError if the parents would form a cycle.
 */
async function checkParent(write: WriteContext, issueId: string, parent: LoadedRow<"Issue">): Promise<void> {
  const [circle] = await write.trx.query({
    name: "circle-of-parents",
    text: `with recursive up (id, "parentId") as (
        select id, "parentId" from issue where "organizationId" = $1 and id = $2
        union select i.id, i."parentId" from issue i join up on i.id = up."parentId" where i."organizationId" = $1)
      select 1 from up where id = $3`,
    values: [write.scope.organizationId, parent.id, issueId],
    reads: ["issue"],
    writes: [],
  });
  if (circle)
    throw inputError("parentId: an issue cannot be its own parent, directly or through its parents", "parentId");
}
