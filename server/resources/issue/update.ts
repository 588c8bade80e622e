import { conflict, inputError } from "../../errors.ts";
import { addLink, dropLinks } from "../../write/change.ts";
import { references, referencesOf, target, targets } from "../../write/find.ts";
import { load } from "../../write/load.ts";
import type { Found, Patch } from "../../write/rows.ts";
import type { Write } from "../../write/write.ts";
import { trashing } from "../archive.ts";
import { kept } from "../fields.ts";
import { noteAssigned, noteMentioned } from "../inbox/notice.ts";
import { checkFence } from "../lease/fence.ts";
import { proveCompletion } from "../proof/complete.ts";
import { changeIssue } from "./change.ts";
import { nextNumber } from "./create.ts";
import { type IssueUpdate, MAX_LABELS } from "./input.ts";
import { agent, checkLabel, checkMilestone, checkTeam, idsOf, issueReferences } from "./references.ts";
import { type StateOf, stateAfterMove, stateStamps } from "./state.ts";

/** The changes that a move to another team makes to an issue. */
interface Moved {
  patch: Patch<"Issue">;
  also: { identifier: { before: unknown; after: unknown } };
  /** The state it takes there, unless the input names one. */
  state: StateOf | undefined;
  /** The labels it keeps: those of the whole organization. */
  labelIds: string[];
}

/**
 * Moves an issue: it gets the next number of its new team and keeps the old identifier as an alias;
 * its cycle and the labels of the old team are dropped.
 */
async function moved(
  write: Write,
  issue: Found<"Issue">,
  team: Found<"Team">,
  stateId: StateOf | undefined,
): Promise<Moved> {
  const labels = issue.labelIds;
  await load(write, [["WorkflowState", issue.stateId], ...labels.map((id) => ["IssueLabel", id] as const)]);
  const number = nextNumber(write, team);
  const previousIdentifiers = [...issue.previousIdentifiers, issue.identifier];
  addLink(write, "issueAlias", { teamId: issue.teamId, number: issue.number, issueId: issue.id });
  const state = stateId
    ? undefined
    : await stateAfterMove(write, await target(write, "WorkflowState", issue.stateId), team);
  const kept = (await targets(write, "IssueLabel", labels)).filter(({ teamId }) => !teamId || teamId === team.id);
  return {
    patch: { teamId: team.id, number, previousIdentifiers, cycleId: null },
    also: { identifier: { before: issue.identifier, after: `${team.key}-${number}` } },
    state,
    labelIds: kept.map(({ id }) => id),
  };
}

/**
 * Changes an issue; what the input leaves out stays as it is, null clears.
 * @throws notFound; inputError for a reference that leads nowhere or to another team, or makes a circle of parents.
 */
export async function issueUpdate(write: Write, id: string, input: IssueUpdate) {
  const wanted = issueReferences(input);
  await load(write, [["Issue", id], ...referencesOf(wanted)]);
  const before = await target(write, "Issue", id);
  await checkFence(write, before, input.fence);
  checkUnchanged(before, input.updatedAt);
  const found = await references(write, wanted);
  agent("delegateId", found.delegateId);
  const { teamId: team, parentId: parent } = found;
  checkTeam(found, team?.id ?? before.teamId);
  if (parent) await checkParent(write, before.id, parent);
  const move = team && team.id !== before.teamId ? await moved(write, before, team, found.stateId) : undefined;
  const state = found.stateId ?? move?.state;
  const trash = trashing(write, before, input.trashed);
  const linked = (
    field: "assigneeId" | "delegateId" | "parentId" | "projectId" | "projectMilestoneId" | "cycleId",
  ): string | null | undefined => (input[field] === undefined ? undefined : (found[field]?.id ?? null));
  const projectId = input.projectId === undefined ? before.projectId : (found.projectId?.id ?? null);
  checkMilestone(found.projectMilestoneId, projectId);
  const patch: Patch<"Issue"> = {
    ...plain(input),
    assigneeId: linked("assigneeId"),
    delegateId: linked("delegateId"),
    parentId: linked("parentId"),
    projectId: linked("projectId"),
    // A milestone is of one project.
    projectMilestoneId:
      projectId === before.projectId ? linked("projectMilestoneId") : (linked("projectMilestoneId") ?? null),
    ...move?.patch,
    ...(input.cycleId !== undefined && { cycleId: linked("cycleId") }),
    ...(state && state.id !== before.stateId && stateStamps(write, state, before)),
    ...trash.patch,
  };
  const completes = state?.type === "completed" && before.stateType !== "completed";
  const proven = completes ? await proveCompletion(write, before, team?.id ?? before.teamId, input) : {};
  const labelIds = relabelled(write, before, labelsAfter(move?.labelIds ?? before.labelIds, input, found));
  if (patch.assigneeId !== before.assigneeId) noteAssigned(write, before.id, patch.assigneeId);
  if (patch.delegateId !== before.delegateId) noteAssigned(write, before.id, patch.delegateId);
  if (input.description) noteMentioned(write, { issueId: before.id }, input.description, before.description);
  changeIssue(write, before, patch, { ...proven, ...trash.change, also: { ...move?.also, labelIds } });
  return { id: before.id };
}

/**
 * Refuses a change of an issue that was another when the change began.
 * @throws conflict
 */
function checkUnchanged({ identifier, updatedAt }: Found<"Issue">, since: string | null | undefined): void {
  if (!since || Date.parse(since) === Date.parse(updatedAt)) return;
  throw conflict(
    `${identifier} was changed at ${updatedAt}, after what this change was made of; read it again`,
    undefined,
    "updatedAt",
  );
}

/** An issue and a label of it. */
export interface Labelling {
  id: string;
  labelId: string;
}

/** Adds one label to an issue, or takes it off. */
export async function setLabel(write: Write, { id, labelId }: Labelling, on: boolean) {
  const wanted = ["IssueLabel", labelId] as const;
  await load(write, [["Issue", id], wanted]);
  const before = await target(write, "Issue", id);
  const { labelId: label } = await references(write, { labelId: wanted });
  if (on) checkLabel("labelId", label, before.teamId);
  const others = before.labelIds.filter((each) => each !== label.id);
  const labelIds = relabelled(write, before, on ? [...others, label.id] : others);
  changeIssue(write, before, {}, { also: { labelIds } });
  return { id: before.id };
}

/** Fields taken over as they are. */
function plain(input: IssueUpdate): Patch<"Issue"> {
  return {
    title: kept(input.title),
    description: input.description,
    priority: kept(input.priority),
    estimate: input.estimate,
    sortOrder: kept(input.sortOrder),
    dueDate: input.dueDate,
  };
}

/** Labels that an input names, adds and takes off. */
type Labels = Record<"labelIds" | "addedLabelIds" | "removedLabelIds", readonly Found<"IssueLabel">[]>;

function labelsAfter(has: readonly string[], input: IssueUpdate, found: Labels): string[] {
  const first = input.labelIds ? idsOf(found.labelIds) : has;
  const dropped = new Set(idsOf(found.removedLabelIds));
  return [...new Set([...first, ...idsOf(found.addedLabelIds)])].filter((labelId) => !dropped.has(labelId));
}

/** Writes the links of an issue's labels; returns them before and after. */
function relabelled(write: Write, issue: Found<"Issue">, after: readonly string[]) {
  const before = issue.labelIds;
  if (after.length > MAX_LABELS) throw inputError(`an issue has at most ${MAX_LABELS} labels`, "labelIds");
  for (const labelId of before) {
    if (!after.includes(labelId)) dropLinks(write, "issueLabelLink", { issueId: issue.id, labelId });
  }
  for (const labelId of after) {
    if (!before.includes(labelId)) addLink(write, "issueLabelLink", { issueId: issue.id, labelId });
  }
  return { before, after };
}

/**
 * Raw SQL: recursive, up the parents.
 * @throws inputError when a parent would make a circle.
 */
async function checkParent(write: Write, issueId: string, parent: Found<"Issue">): Promise<void> {
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
    throw inputError("parentId: an issue cannot be a part of itself, directly or through its parents", "parentId");
}
