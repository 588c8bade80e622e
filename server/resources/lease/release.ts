import { conflict, inputError } from "../../errors.ts";
import { newId } from "../../id.ts";
import { isGiven } from "../../read/connection/page.ts";
import { createRow } from "../../write/change.ts";
import { findReferencedRows, findRow, findRowOrThrow } from "../../write/find.ts";
import type { LoadedRow } from "../../write/rows.ts";
import type { WriteContext } from "../../write/write.ts";
import { writeHandover } from "../handover/handover.ts";
import { changeIssue, holderField } from "../issue/change.ts";
import { validateTeamOfReferences } from "../issue/references.ts";
import { firstState, type StateFields, stateEntryColumns } from "../issue/state.ts";
import { type ProofOptions, proveCompletion } from "../proof/complete.ts";
import { checkFence, checkHolderForAgent, checkPresentedFence, describeHolder, readLease } from "./fence.ts";
import { validateComment } from "./input.ts";

interface Args {
  id: string;
  fence?: number | null;
  comment?: string | null;
}

/**
 * Columns of a lease that are needed to restore the state and the assignee or delegate that the issue had before the
 * claim.
 */
export type LeaseBeforeClaim = Pick<LoadedRow<"IssueLease">, "stateId" | "formerId" | "holderId">;

/**
 * Releases an issue, so that nobody holds the issue. A user needs no fence to release an issue that another user holds.
 * @throws conflict if the fence is stale, nobody holds the issue, or an agent may not release the issue
 */
export async function issueRelease(write: WriteContext, { id, fence, comment }: Args) {
  const issue = await findRowOrThrow(write, "Issue", id);
  if (isGiven(fence)) await checkPresentedFence(write, issue, fence);
  else await checkHolderForAgent(write, issue);
  const lease = await readLease(write, issue);
  if (!lease) throw conflict(describeHolder(issue, lease));
  await undoClaim(write, issue, lease, "released");
  addComment(write, issue.id, validateComment(comment));
  return { id: issue.id };
}

/**
 * Ends a lease, and undoes the changes that the claim made to the issue. Fields that were changed after the claim keep
 * their values.
 */
export async function undoClaim(
  write: WriteContext,
  issue: LoadedRow<"Issue">,
  former: LeaseBeforeClaim,
  event: string,
): Promise<void> {
  const held = { ...issue, holderId: former.holderId };
  const patch = {
    ...(former.stateId !== issue.stateId && stateEntryColumns(write, await stateOf(write, issue, former), issue)),
    ...(issue[holderField(held)] === former.holderId && { [holderField(held)]: former.formerId }),
    leased: false,
  };
  changeIssue(write, held, patch, { event });
  await writeHandover(write, issue);
}

/** Returns the state before the claim, or the team's default state if the former state was archived. */
async function stateOf(
  write: WriteContext,
  { teamId }: LoadedRow<"Issue">,
  { stateId }: LeaseBeforeClaim,
): Promise<StateFields> {
  const state = await findRow(write, "WorkflowState", stateId);
  return state && !state.archivedAt ? state : (await findRowOrThrow(write, "Team", teamId)).defaultIssueState;
}

/** Adds a comment of the caller to an issue, if the comment is not empty. */
function addComment(write: WriteContext, issueId: string, body: string | undefined): void {
  if (body !== undefined) createRow(write, "Comment", { id: newId(), body, issueId, userId: write.scope.userId });
}

interface Completion extends Args, ProofOptions {
  stateId?: string | null;
}

/**
 * Completes an issue and ends the lease. The issue enters the state that the caller names, or otherwise the team's
 * first state of type completed.
 * @throws conflict if the fence is stale
 */
export async function issueComplete(write: WriteContext, { id, fence, comment, stateId, ...proving }: Completion) {
  const issue = await findRowOrThrow(write, "Issue", id);
  await checkFence(write, issue, fence);
  const said = validateComment(comment);
  const found = await findReferencedRows(write, { stateId: ["WorkflowState", stateId] });
  validateTeamOfReferences(found, issue.teamId);
  if (found.stateId && found.stateId.type !== "completed") {
    throw inputError(`stateId: ${found.stateId.name} is not a completed state`, "stateId");
  }
  const done = issue.stateType === "completed" && !found.stateId;
  const state = found.stateId ?? (await firstState(write, issue.teamId, "completed"));
  addComment(write, issue.id, said);
  if (!done && state.id !== issue.stateId) {
    const change = issue.stateType === "completed" ? {} : await proveCompletion(write, issue, issue.teamId, proving);
    changeIssue(write, issue, stateEntryColumns(write, state, issue), change);
  }
  return { id: issue.id };
}
