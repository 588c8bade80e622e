import { MoveIssue } from "../../../data/documents.ts";
import { requestGraphQL } from "../../../data/graphql.ts";
import { showToast } from "../../../parts/toast.tsx";
import type { IssueData } from "../issue.tsx";

/**
 * Moves an issue to another project, or out of the project, and offers undo. Undo restores the project and the
 * milestone, unless the issue was changed again since.
 * @throws ApiError with the server's message
 */
export async function moveToProject(issue: IssueData, projectId: string | null, reload: () => Promise<void>) {
  const { id, identifier, project, projectMilestone } = issue;
  const { issueUpdate } = await requestGraphQL(MoveIssue, { id, input: { projectId } });
  const updatedAt = issueUpdate.issue?.updatedAt ?? null;
  const before = { projectId: project?.id ?? null, projectMilestoneId: projectMilestone?.id ?? null };
  const back = () =>
    requestGraphQL(MoveIssue, { id, input: { ...before, updatedAt } })
      .then(reload)
      .then(
        () => showToast(`${identifier} was moved back.`),
        (error: Error) => showToast(error.message),
      );
  showToast(`${identifier} ${projectId ? "was moved to another project" : "was removed from its project"}.`, {
    name: "Undo",
    act: () => void back(),
  });
}
