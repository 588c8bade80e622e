import { inputError } from "../../errors.ts";
import type { Found } from "../../write/rows.ts";
import type { IssueCreate, IssueUpdate } from "./input.ts";

/** Everything an input can refer to, by the field that does. */
export const issueReferences = <Input extends IssueCreate | IssueUpdate>(input: Input) =>
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

/** Rows that an input refers to and that must be of the issue's team. */
interface OfTeam {
  templateId?: Found<"Template"> | undefined;
  stateId?: Found<"WorkflowState"> | undefined;
  cycleId?: Found<"Cycle"> | undefined;
  labelIds?: readonly Found<"IssueLabel">[];
  addedLabelIds?: readonly Found<"IssueLabel">[];
}

/** @throws inputError when a state, cycle or label is of another team than the issue, or a label is only a group. */
export function checkTeam(found: OfTeam, teamId: string): void {
  const { templateId, stateId, cycleId, labelIds = [], addedLabelIds = [] } = found;
  checkOwn("templateId", templateId, teamId);
  checkOwn("stateId", stateId, teamId);
  checkOwn("cycleId", cycleId, teamId);
  labelIds.forEach((label, at) => {
    checkLabel(`labelIds.${at}`, label, teamId);
  });
  addedLabelIds.forEach((label, at) => {
    checkLabel(`addedLabelIds.${at}`, label, teamId);
  });
}

/** @throws inputError when a label is of another team than the issue, or only a group. */
export function checkLabel(field: string, label: Found<"IssueLabel">, teamId: string): void {
  checkOwn(field, label, teamId);
  if (label.isGroup) {
    throw inputError(`${field}: ${label.name} is a group of labels; choose one of its labels`, field);
  }
}

/** @throws inputError when a milestone is of another project than the issue. */
export function checkMilestone(milestone: Found<"ProjectMilestone"> | undefined, projectId: string | null): void {
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

/** The ids of rows. */
export const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

/** The agent an input names. @throws inputError for a person: issues are assigned to people, and delegated to agents. */
export function agent(field: string, user: Found<"User"> | undefined): Found<"User"> | undefined {
  if (user && !user.app) throw inputError(`${field}: ${user.name} is a person; use assigneeId`, field);
  return user;
}
