import { conflict, inputError } from "../../errors.ts";
import { newId } from "../../id.ts";
import { isGiven } from "../../read/connection/page.ts";
import { create } from "../../write/change.ts";
import { findReferences, findRow, findTarget } from "../../write/find.ts";
import type { Found } from "../../write/rows.ts";
import type { Write } from "../../write/write.ts";
import { writeHandover } from "../handover/handover.ts";
import { changeIssue, holderField } from "../issue/change.ts";
import { checkTeam } from "../issue/references.ts";
import { firstState, type StateFields, stateStamps } from "../issue/state.ts";
import { type ProofOptions, proveCompletion } from "../proof/complete.ts";
import { checkAgent, checkFence, checkPresentedFence, describeHolder, readLease } from "./fence.ts";
import { checkComment } from "./input.ts";

interface Args {
  id: string;
  fence?: number | null;
  comment?: string | null;
}

/** Columns of a lease that determine the state and holder of the issue after the lease ends. */
export type LeaseBeforeClaim = Pick<Found<"IssueLease">, "stateId" | "formerId" | "holderId">;

/**
 * Releases an issue. A user may release an issue that another user holds, without a fence.
 * @throws conflict if the fence is stale, nobody holds the issue, or an agent may not release the issue
 */
export async function issueRelease(write: Write, { id, fence, comment }: Args) {
  const issue = await findTarget(write, "Issue", id);
  if (isGiven(fence)) await checkPresentedFence(write, issue, fence);
  else await checkAgent(write, issue);
  const lease = await readLease(write, issue);
  if (!lease) throw conflict(describeHolder(issue, lease));
  await undoClaim(write, issue, lease, "released");
  addComment(write, issue.id, checkComment(comment));
  return { id: issue.id };
}

/** Ends a lease whose row was deleted. Undoes the changes of the claim, except fields that were changed since. */
export async function undoClaim(
  write: Write,
  issue: Found<"Issue">,
  former: LeaseBeforeClaim,
  event: string,
): Promise<void> {
  const held = { ...issue, holderId: former.holderId };
  const patch = {
    ...(former.stateId !== issue.stateId && stateStamps(write, await stateOf(write, issue, former), issue)),
    ...(issue[holderField(held)] === former.holderId && { [holderField(held)]: former.formerId }),
    leased: false,
  };
  changeIssue(write, held, patch, { event });
  await writeHandover(write, issue);
}

/** Returns the state before the claim, or the team's default state if the former state was archived. */
async function stateOf(write: Write, { teamId }: Found<"Issue">, { stateId }: LeaseBeforeClaim): Promise<StateFields> {
  const state = await findRow(write, "WorkflowState", stateId);
  return state && !state.archivedAt ? state : (await findTarget(write, "Team", teamId)).defaultIssueState;
}

/** Adds a comment of the caller to an issue, if the comment is not empty. */
function addComment(write: Write, issueId: string, body: string | undefined): void {
  if (body !== undefined) create(write, "Comment", { id: newId(), body, issueId, userId: write.scope.userId });
}

interface Completion extends Args, ProofOptions {
  stateId?: string | null;
}

/**
 * Completes an issue and ends the lease: in the named state, or in the team's first completed state.
 * @throws conflict if the fence is stale
 */
export async function issueComplete(write: Write, { id, fence, comment, stateId, ...proving }: Completion) {
  const issue = await findTarget(write, "Issue", id);
  await checkFence(write, issue, fence);
  const said = checkComment(comment);
  const found = await findReferences(write, { stateId: ["WorkflowState", stateId] });
  checkTeam(found, issue.teamId);
  if (found.stateId && found.stateId.type !== "completed") {
    throw inputError(`stateId: ${found.stateId.name} is not a completed state`, "stateId");
  }
  const done = issue.stateType === "completed" && !found.stateId;
  const state = found.stateId ?? (await firstState(write, issue.teamId, "completed"));
  addComment(write, issue.id, said);
  if (!done && state.id !== issue.stateId) {
    const change = issue.stateType === "completed" ? {} : await proveCompletion(write, issue, issue.teamId, proving);
    changeIssue(write, issue, stateStamps(write, state, issue), change);
  }
  return { id: issue.id };
}
