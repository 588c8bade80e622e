import { inputError } from "../../errors.ts";
import { newId } from "../../id.ts";
import { createRow, insertLinkRow, setInternalColumns } from "../../write/change.ts";
import { findReferencedRows } from "../../write/find.ts";
import { idempotentById } from "../../write/idempotency.ts";
import type { LoadedRow } from "../../write/rows.ts";
import type { WriteContext } from "../../write/write.ts";
import { notifyOfAssignment, notifyOfMention } from "../inbox/notice.ts";
import { linkSession } from "../issue-session/link.ts";
import { labelSet } from "../label/label-set.ts";
import { judgeNewIssue, storeVerdict } from "../proof/complete.ts";
import type { IssueCreate } from "./input.ts";
import {
  collectIssueReferences,
  toIds,
  validateAgentUser,
  validateMilestoneProject,
  validateTeamOfReferences,
} from "./references.ts";
import { type StateFields, stateEntryColumns } from "./state.ts";

/**
 * Creates an issue with the team's next number.
 * @throws inputError for a reference that does not exist or belongs to another team, and for a missing title.
 */
export const issueCreate = idempotentById("Issue", async (write: WriteContext, given: IssueCreate) => {
  const input = await fromTemplate(write, given);
  const { title } = input;
  if (!title) throw inputError("title must be given", "title");
  const found = await findReferencedRows(write, collectIssueReferences(input));
  const { teamId: team, stateId, assigneeId, parentId, projectId, projectMilestoneId, cycleId } = found;
  const state = stateId ?? team.defaultIssueState;
  validateTeamOfReferences(found, team.id);
  validateMilestoneProject(projectMilestoneId, projectId?.id ?? null);
  const verdict = state.type === "completed" ? judgeNewIssue(team) : undefined;
  const number = takeNextIssueNumber(write, team);
  const id = input.id ?? newId();
  const labelIds = toIds(found.labelIds);
  createRow(write, "Issue", {
    id,
    teamId: team.id,
    number,
    title,
    description: input.description ?? null,
    priority: input.priority ?? 0,
    estimate: input.estimate ?? null,
    sortOrder: input.sortOrder ?? 0,
    dueDate: input.dueDate ?? null,
    creatorId: write.scope.userId,
    assigneeId: assigneeId?.id ?? null,
    parentId: parentId?.id ?? null,
    projectId: projectId?.id ?? null,
    projectMilestoneId: projectMilestoneId?.id ?? null,
    cycleId: cycleId?.id ?? null,
    delegateId: validateAgentUser("delegateId", found.delegateId)?.id ?? null,
    ...stamps(write, input, state),
    openBlockers: 0,
    unblocks: 0,
    leased: false,
    fence: 0,
    labelSet: labelSet(labelIds),
    createdAt: input.createdAt ?? write.at,
    previousIdentifiers: [],
  });
  if (verdict) storeVerdict(write, id, verdict);
  for (const labelId of labelIds) insertLinkRow(write, "issueLabelLink", { issueId: id, labelId });
  notifyOfAssignment(write, id, assigneeId?.id);
  notifyOfAssignment(write, id, found.delegateId?.id);
  notifyOfMention(write, { issueId: id }, input.description);
  if (input.sessionId) await linkSession(write, id, input.sessionId, "filed");
  return { id };
});

/** Returns an input completed with the values of the named template. */
async function fromTemplate(write: WriteContext, input: IssueCreate): Promise<IssueCreate> {
  const { templateId: template } = await findReferencedRows(write, { templateId: ["Template", input.templateId] });
  if (!template) return input;
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  return { ...(template.templateData as object), ...(Object.fromEntries(given) as IssueCreate) };
}

/**
 * Returns the next issue number of a team. No two issues of a team get the same number. If a transaction fails, its
 * numbers become free again.
 */
export function takeNextIssueNumber(write: WriteContext, team: LoadedRow<"Team">): number {
  const number = team.issueCounter + 1;
  setInternalColumns(write, "Team", team.id, { issueCounter: number });
  return number;
}

function stamps(write: WriteContext, { completedAt }: IssueCreate, state: StateFields) {
  const entered = stateEntryColumns(write, state);
  if (!completedAt) return entered;
  if (state.type !== "completed") {
    throw inputError(
      `completedAt requires a completed state, and ${state.name} is not a completed state`,
      "completedAt",
    );
  }
  return { ...entered, completedAt };
}
