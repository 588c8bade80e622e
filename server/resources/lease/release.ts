import { knex, toStatement } from "../../../db/builder.ts";
import { conflict } from "../../errors.ts";
import { newId } from "../../id.ts";
import { create } from "../../write/change.ts";
import { find, target } from "../../write/find.ts";
import type { Found } from "../../write/rows.ts";
import type { Write } from "../../write/write.ts";
import { changeIssue } from "../issue/change.ts";
import { stateStamps } from "../issue/state.ts";
import { checkComment } from "./comment.ts";
import { checkFence, heldBy } from "./fence.ts";

interface Args {
  id: string;
  fence?: number | null;
  comment?: string | null;
}

/** What of a lease says how the issue was before it. */
export type Former = Pick<Found<"IssueLease">, "stateId" | "formerId" | "holderId">;

/**
 * Gives an issue back, as it was before the claim. A member may release what another holds: without a fence.
 * @throws conflict when the fence is stale, or nobody holds it
 */
export async function issueRelease(write: Write, { id, fence, comment }: Args) {
  const issue = await target(write, "Issue", id);
  await checkFence(write, issue, fence);
  const { organizationId } = write.scope;
  const lease = knex("issueLease").where({ organizationId, id: issue.id }).select("stateId", "formerId", "holderId");
  const [former] = await write.trx.query<Former>(toStatement(lease));
  if (!former) throw conflict(await heldBy(write, issue));
  await putBack(write, issue, former, "released");
  addComment(write, issue.id, checkComment(comment));
  return { id: issue.id };
}

/** Ends a lease whose row is gone or going: the issue has the state and the person again that it had before. */
export async function putBack(write: Write, issue: Found<"Issue">, former: Former, event: string): Promise<void> {
  const state = await find(write, "WorkflowState", former.stateId);
  const team = await target(write, "Team", issue.teamId);
  const field = issue.delegateId === former.holderId ? "delegateId" : "assigneeId";
  const back = state && !state.archivedAt ? state : team.defaultIssueState;
  const patch = {
    ...(back.id !== issue.stateId && stateStamps(write, back, issue)),
    ...(issue[field] === former.holderId && { [field]: former.formerId }),
    leased: false,
  };
  changeIssue(write, { ...issue, holderId: former.holderId }, patch, { event });
}

/** Comments on an issue for the caller, if there is something to say. */
export function addComment(write: Write, issueId: string, body: string | undefined): void {
  if (body !== undefined) create(write, "Comment", { id: newId(), body, issueId, userId: write.scope.userId });
}
