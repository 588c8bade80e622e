import { inputError } from "../../errors.ts";
import type { LoadedRow } from "../../write/rows.ts";
import type { IssueCreate, IssueUpdate } from "./input.ts";

/** Returns all references of an input, by the name of the field: the entity, and the given id or name. */
export const collectIssueReferences = <Input extends IssueCreate | IssueUpdate>(input: Input) =>
  ({
    teamId: ["Team", input.teamId as Input["teamId"]],
    stateId: ["WorkflowState", input.stateId],
    assigneeId: ["User", input.assigneeId],
    delegateId: ["User", input.delegateId],
    parentId: ["Issue", input.parentId],
    projectId: ["Project", input.projectId],
    projectMilestoneId: ["ProjectMilestone", input.projectMilestoneId],
    cycleId: ["Cycle", input.cycleId],
    templateId: ["Template", "templateId" in input ? input.templateId : undefined],
    labelIds: ["IssueLabel", input.labelIds ?? []],
    addedLabelIds: ["IssueLabel", ("addedLabelIds" in input && input.addedLabelIds) || []],
    removedLabelIds: ["IssueLabel", ("removedLabelIds" in input && input.removedLabelIds) || []],
  }) as const;

/** Referenced rows that must belong to the issue's team. */
interface OfTeam {
  templateId?: LoadedRow<"Template"> | undefined;
  stateId?: LoadedRow<"WorkflowState"> | undefined;
  cycleId?: LoadedRow<"Cycle"> | undefined;
  labelIds?: readonly LoadedRow<"IssueLabel">[];
  addedLabelIds?: readonly LoadedRow<"IssueLabel">[];
}

/** @throws inputError for a state, cycle or label of another team, or for a label group. */
export function validateTeamOfReferences(found: OfTeam, teamId: string): void {
  const { templateId, stateId, cycleId, labelIds = [], addedLabelIds = [] } = found;
  checkOwn("templateId", templateId, teamId);
  checkOwn("stateId", stateId, teamId);
  checkOwn("cycleId", cycleId, teamId);
  labelIds.forEach((label, at) => {
    validateLabelTeam(`labelIds.${at}`, label, teamId);
  });
  addedLabelIds.forEach((label, at) => {
    validateLabelTeam(`addedLabelIds.${at}`, label, teamId);
  });
}

/** @throws inputError for a label of another team, or for a label group. */
export function validateLabelTeam(field: string, label: LoadedRow<"IssueLabel">, teamId: string): void {
  checkOwn(field, label, teamId);
  if (label.isGroup) {
    throw inputError(`${field}: ${label.name} is a group of labels; choose one of its labels`, field);
  }
}

/** @throws inputError for a milestone of another project. */
export function validateMilestoneProject(
  milestone: LoadedRow<"ProjectMilestone"> | undefined,
  projectId: string | null,
): void {
  if (!milestone || milestone.projectId === projectId) return;
  const field = "projectMilestoneId";
  throw inputError(`${field}: ${milestone.name} belongs to another project than the issue; set projectId too`, field);
}

type Own = { id: string; name: string | null; teamId: string | null };

function checkOwn(field: string, row: Own | undefined, teamId: string): void {
  if (row?.teamId && row.teamId !== teamId) {
    throw inputError(`${field}: ${row.name ?? row.id} belongs to another team than the issue`, field);
  }
}

export const toIds = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

/**
 * Returns the agent of an input. @throws inputError for a user who is no agent: issues are assigned to people, and
 * delegated to agents.
 */
export function validateAgentUser(field: string, user: LoadedRow<"User"> | undefined): LoadedRow<"User"> | undefined {
  if (user && !user.app) throw inputError(`${field}: ${user.name} is a person; use assigneeId`, field);
  return user;
}
