import { inputError } from "../../errors.ts";
import type { Found, Reference } from "../../write/find.ts";
import type { IssueCreate, IssueUpdate } from "./input.ts";

/** Fields of an issue that hold another row's id and may be empty. */
export const LINKS = ["assigneeId", "parentId", "projectId", "cycleId"] as const;

/** Everything an input can refer to, by the field that does. */
export function issueReferences(input: IssueCreate | IssueUpdate): Record<string, Reference> {
  return {
    teamId: ["Team", input.teamId],
    stateId: ["WorkflowState", input.stateId],
    assigneeId: ["User", input.assigneeId],
    parentId: ["Issue", input.parentId],
    projectId: ["Project", input.projectId],
    cycleId: ["Cycle", input.cycleId],
    ...each("labelIds", "IssueLabel", input.labelIds),
    ...("addedLabelIds" in input && each("addedLabelIds", "IssueLabel", input.addedLabelIds)),
    ...("removedLabelIds" in input && each("removedLabelIds", "IssueLabel", input.removedLabelIds)),
  };
}

/** References of a list, one name a member: `labelIds.0`. */
export const each = (
  field: string,
  entity: string,
  ids: readonly string[] | null | undefined,
): Record<string, Reference> =>
  Object.fromEntries((ids ?? []).map((id, at) => [`${field}.${at}`, [entity, id] as const]));

/** Ids of the rows found under a list's field, each once. */
export const idsOf = (found: Record<string, Found>, field: string): string[] => [
  ...new Set(Object.entries(found).flatMap(([name, row]) => (name.startsWith(`${field}.`) ? [row.id] : []))),
];

/** @throws inputError when a state, cycle or label is of another team than the issue, or a label is only a group. */
export function checkTeam(found: Record<string, Found>, teamId: unknown): void {
  for (const [field, row] of Object.entries(found)) {
    const [name = ""] = field.split(".");
    const labelled = name === "labelIds" || name === "addedLabelIds" || name === "labelId";
    const own = labelled || name === "stateId" || name === "cycleId";
    if (own && row.teamId && row.teamId !== teamId) {
      throw inputError(`${field}: ${row.name ?? row.id} belongs to another team than the issue`, field);
    }
    if (labelled && row.isGroup) {
      throw inputError(`${field}: ${row.name} is a group of labels; choose one of its labels`, field);
    }
  }
}
