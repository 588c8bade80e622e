import { inputError } from "../../errors.ts";
import { target } from "../../write/find.ts";
import { references } from "../../write/references.ts";
import type { Write } from "../../write/write.ts";
import { changeIssue } from "../issue/change.ts";
import { checkTeam } from "../issue/references.ts";
import { firstState, stateStamps } from "../issue/state.ts";
import { checkFence } from "./fence.ts";
import { checkComment } from "./input.ts";
import { addComment } from "./release.ts";

interface Args {
  id: string;
  fence?: number | null;
  comment?: string | null;
  stateId?: string | null;
}

/**
 * Completes an issue, which ends its lease: in the state named, or the first completed one of the team.
 * @throws conflict when the fence is stale
 */
export async function issueComplete(write: Write, { id, fence, comment, stateId }: Args) {
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
  if (!done && state.id !== issue.stateId) changeIssue(write, issue, stateStamps(write, state, issue));
  return { id: issue.id };
}
