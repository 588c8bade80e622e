import type { IssueGroupBy } from "../../../data/documents.ts";
import type { Draft } from "../../../shell/new-issue-state.ts";

/** The values of a new issue that is made in a group. */
export function draftIn(by: IssueGroupBy, key: string | null): Partial<Draft> {
  if (by === "priority") return { priority: Number(key) };
  if (by === "assignee") return { assigneeId: key ?? "" };
  if (by === "delegate") return { delegateId: key ?? "" };
  if (by === "project") return { projectId: key ?? "" };
  if (by === "cycle") return { cycleId: key ?? "" };
  if (by === "team") return { teamKey: key ?? "" };
  if (by === "label") return { labelNames: key === null ? [] : [key] };
  return by === "state" ? { stateName: key ?? "" } : {};
}
