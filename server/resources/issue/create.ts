import { inputError } from "../../errors.ts";
import { newId } from "../../id.ts";
import { addLink, create, setInternal } from "../../write/change.ts";
import { findReferences } from "../../write/find.ts";
import { idempotentById } from "../../write/idempotency.ts";
import type { Found } from "../../write/rows.ts";
import type { Write } from "../../write/write.ts";
import { noteAssigned, noteMentioned } from "../inbox/notice.ts";
import { linkSession } from "../issue-session/link.ts";
import { labelSet } from "../label/label-set.ts";
import { storeVerdict, verdictOfNew } from "../proof/complete.ts";
import type { IssueCreate } from "./input.ts";
import { checkAgentUser, checkMilestone, checkTeam, issueReferences, toIds } from "./references.ts";
import { type StateFields, stateStamps } from "./state.ts";

/**
 * Creates an issue with the team's next number.
 * @throws inputError for a reference that does not exist or belongs to another team, and for a missing title.
 */
export const issueCreate = idempotentById("Issue", async (write: Write, given: IssueCreate) => {
  const input = await fromTemplate(write, given);
  const { title } = input;
  if (!title) throw inputError("title must be given", "title");
  const found = await findReferences(write, issueReferences(input));
  const { teamId: team, stateId, assigneeId, parentId, projectId, projectMilestoneId, cycleId } = found;
  const state = stateId ?? team.defaultIssueState;
  checkTeam(found, team.id);
  checkMilestone(projectMilestoneId, projectId?.id ?? null);
  const verdict = state.type === "completed" ? verdictOfNew(team) : undefined;
  const number = nextNumber(write, team);
  const id = input.id ?? newId();
  const labelIds = toIds(found.labelIds);
  create(write, "Issue", {
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
    delegateId: checkAgentUser("delegateId", found.delegateId)?.id ?? null,
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
  for (const labelId of labelIds) addLink(write, "issueLabelLink", { issueId: id, labelId });
  noteAssigned(write, id, assigneeId?.id);
  noteAssigned(write, id, found.delegateId?.id);
  noteMentioned(write, { issueId: id }, input.description);
  if (input.sessionId) await linkSession(write, id, input.sessionId, "filed");
  return { id };
});

/** Returns an input completed with the values of the named template. */
async function fromTemplate(write: Write, input: IssueCreate): Promise<IssueCreate> {
  const { templateId: template } = await findReferences(write, { templateId: ["Template", input.templateId] });
  if (!template) return input;
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  return { ...(template.templateData as object), ...(Object.fromEntries(given) as IssueCreate) };
}

/** Returns the next number of a team. A number is never used twice; numbers of a failed transaction are used again. */
export function nextNumber(write: Write, team: Found<"Team">): number {
  const number = team.issueCounter + 1;
  setInternal(write, "Team", team.id, { issueCounter: number });
  return number;
}

function stamps(write: Write, { completedAt }: IssueCreate, state: StateFields) {
  const entered = stateStamps(write, state);
  if (!completedAt) return entered;
  if (state.type !== "completed") {
    throw inputError(
      `completedAt requires a completed state, and ${state.name} is not a completed state`,
      "completedAt",
    );
  }
  return { ...entered, completedAt };
}
