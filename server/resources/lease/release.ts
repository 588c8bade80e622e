import { conflict, inputError } from "../../errors.ts";
import { newId } from "../../id.ts";
import { isGiven } from "../../read/connection/page.ts";
import { create } from "../../write/change.ts";
import { find, references, target } from "../../write/find.ts";
import type { Found } from "../../write/rows.ts";
import type { Write } from "../../write/write.ts";
import { writeHandover } from "../handover/handover.ts";
import { changeIssue, heldAs } from "../issue/change.ts";
import { checkTeam } from "../issue/references.ts";
import { firstState, type StateOf, stateStamps } from "../issue/state.ts";
import { type Proving, proveCompletion } from "../proof/complete.ts";
import { checkAgent, checkFence, checkPresent, inWords, leaseOf } from "./fence.ts";
import { checkComment } from "./input.ts";

interface Args {
  id: string;
  fence?: number | null;
  comment?: string | null;
}

/** The columns of a lease that decide the issue's state and holder once it has ended. */
export type Former = Pick<Found<"IssueLease">, "stateId" | "formerId" | "holderId">;

/**
 * Gives an issue back. A person may release what another holds: without a fence.
 * @throws conflict when the fence is stale, nobody holds it, or it is not an agent's to release
 */
export async function issueRelease(write: Write, { id, fence, comment }: Args) {
  const issue = await target(write, "Issue", id);
  if (isGiven(fence)) await checkPresent(write, issue, fence);
  else await checkAgent(write, issue);
  const lease = await leaseOf(write, issue);
  if (!lease) throw conflict(inWords(issue, lease));
  await putBack(write, issue, lease, "released");
  addComment(write, issue.id, checkComment(comment));
  return { id: issue.id };
}

/** Ends a lease whose row is deleted: takes back what the claim set, as far as nobody has changed it since. */
export async function putBack(write: Write, issue: Found<"Issue">, former: Former, event: string): Promise<void> {
  const held = { ...issue, holderId: former.holderId };
  const patch = {
    ...(former.stateId !== issue.stateId && stateStamps(write, await stateOf(write, issue, former), issue)),
    ...(issue[heldAs(held)] === former.holderId && { [heldAs(held)]: former.formerId }),
    leased: false,
  };
  changeIssue(write, held, patch, { event });
  await writeHandover(write, issue);
}

/** The state from before a claim, or the team's default if that was archived meanwhile. */
async function stateOf(write: Write, { teamId }: Found<"Issue">, { stateId }: Former): Promise<StateOf> {
  const state = await find(write, "WorkflowState", stateId);
  return state && !state.archivedAt ? state : (await target(write, "Team", teamId)).defaultIssueState;
}

/** Comments on an issue for the caller, if there is something to say. */
function addComment(write: Write, issueId: string, body: string | undefined): void {
  if (body !== undefined) create(write, "Comment", { id: newId(), body, issueId, userId: write.scope.userId });
}

interface Completion extends Args, Proving {
  stateId?: string | null;
}

/**
 * Completes an issue, which ends its lease: in the state named, or the first completed one of the team.
 * @throws conflict when the fence is stale
 */
export async function issueComplete(write: Write, { id, fence, comment, stateId, ...proving }: Completion) {
  const issue = await target(write, "Issue", id);
  await checkFence(write, issue, fence);
  const said = checkComment(comment);
  const found = await references(write, { stateId: ["WorkflowState", stateId] });
  checkTeam(found, issue.teamId);
  if (found.stateId && found.stateId.type !== "completed") {
    throw inputError(`stateId: ${found.stateId.name} is no completed state`, "stateId");
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
