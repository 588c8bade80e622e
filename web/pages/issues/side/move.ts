import { MoveIssue } from "../../../data/documents.ts";
import { request } from "../../../data/graphql.ts";
import { toast } from "../../../parts/toast.tsx";
import type { IssueData } from "../issue.tsx";

/**
 * Gives an issue another project, or none, and offers the way back: to its project and its milestone, unless somebody
 * has changed it since.
 * @throws ApiError in the server's words
 */
export async function moveToProject(issue: IssueData, projectId: string | null, reload: () => Promise<void>) {
  const { id, identifier, project, projectMilestone } = issue;
  const { issueUpdate } = await request(MoveIssue, { id, input: { projectId } });
  const updatedAt = issueUpdate.issue?.updatedAt ?? null;
  const before = { projectId: project?.id ?? null, projectMilestoneId: projectMilestone?.id ?? null };
  const back = () =>
    request(MoveIssue, { id, input: { ...before, updatedAt } })
      .then(reload)
      .then(
        () => toast(`${identifier} was put back.`),
        (error: Error) => toast(error.message),
      );
  toast(`${identifier} ${projectId ? "has another project" : "has no project now"}.`, {
    name: "Undo",
    act: () => void back(),
  });
}
