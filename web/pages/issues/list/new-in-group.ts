import type { IssueGroupBy } from "../../../data/documents.ts";
import type { IssueDraft } from "../../../shell/new-issue-state.ts";

/** Returns the values of a new issue that the user creates in a group. */
export function buildGroupDraft(by: IssueGroupBy, key: string | null): Partial<IssueDraft> {
  if (by === "priority") return { priority: Number(key) };
  if (by === "assignee") return { assigneeId: key ?? "" };
  if (by === "delegate") return { delegateId: key ?? "" };
  if (by === "project") return { projectId: key ?? "" };
  if (by === "cycle") return { cycleId: key ?? "" };
  if (by === "team") return { teamKey: key ?? "" };
  if (by === "label") return { labelNames: key === null ? [] : [key] };
  return by === "state" ? { stateName: key ?? "" } : {};
}
