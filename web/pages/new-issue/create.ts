import { useEffect, useState } from "preact/hooks";
import { CreateIssue, CreateIssues, type IssueCreateInput } from "../../data/documents.ts";
import { requestGraphQL } from "../../data/graphql.ts";
import { newId } from "../../data/new-id.ts";
import { useRequest } from "../../parts/sending.ts";
import type { IssueDraft } from "../../shell/new-issue-state.ts";
import type { DraftOptions } from "./team-and-templates.ts";

/**
 * Returns a function that creates the issue. If the teams are not loaded when the user submits, the issue is created as
 * soon as the team is known.
 */
export function useIssueCreation(
  draft: IssueDraft,
  { teamId, templates }: DraftOptions,
  done: (made: { identifier: string; url: string } | null | undefined) => void,
) {
  const { busy, error, send } = useRequest();
  const [asked, setAsked] = useState(false);
  const create = () => {
    if (busy || !draft.title.trim()) return;
    setAsked(!teamId);
    if (!teamId) return;
    const templateId = templates.some(({ id }) => id === draft.templateId) ? draft.templateId : "";
    const input = inputOf({ ...draft, templateId }, teamId);
    send(sent(input, draft.blockers).then(done));
  };
  useEffect(() => {
    if (asked && teamId) create();
  }, [asked, teamId]);
  return { busy, error, create };
}

/** Creates the issue. With blockers, one mutation creates the issue and the relations together. */
async function sent(input: IssueCreateInput, blockers: readonly string[]) {
  if (blockers.length === 0) return (await requestGraphQL(CreateIssue, { input })).issueCreate.issue;
  const id = newId();
  const relations = blockers.map((issueId) => ({ issueId, relatedIssueId: id, type: "blocks" as const }));
  const { issueBatchCreate } = await requestGraphQL(CreateIssues, { input: { issues: [{ ...input, id }], relations } });
  return issueBatchCreate.issues[0];
}

/** Builds the input of the mutation. Omits empty values, so that the template or the team sets the values. */
function inputOf(draft: IssueDraft, teamId: string): IssueCreateInput {
  const { title, description, priority, labelIds, parent, projectId, projectMilestoneId } = draft;
  const fields = [
    "stateId",
    "assigneeId",
    "delegateId",
    "projectId",
    "cycleId",
    "dueDate",
    "sessionId",
    "templateId",
  ] as const;
  return {
    teamId,
    title: title.trim(),
    description: description.trim() ? description : null,
    priority,
    labelIds,
    ...(parent && { parentId: parent }),
    // If the user chose a project, the input always contains the milestone, possibly null. The server then does not use
    // the milestone of the template.
    ...(projectId && { projectMilestoneId: projectMilestoneId || null }),
    ...Object.fromEntries(fields.flatMap((field) => (draft[field] ? [[field, draft[field]]] : []))),
  };
}
