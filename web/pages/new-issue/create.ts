import { useEffect, useState } from "preact/hooks";
import { CreateIssue, CreateIssues, type IssueCreateInput } from "../../data/documents.ts";
import { request } from "../../data/graphql.ts";
import { newId } from "../../data/new-id.ts";
import { useSending } from "../../parts/sending.ts";
import type { Draft } from "../../shell/new-issue-state.ts";
import type { Choices } from "./team-and-templates.ts";

/** Creates the issue, once it is known for which team: somebody may be faster than the answer. */
export function useCreate(
  draft: Draft,
  { teamId, templates }: Choices,
  done: (made: { identifier: string; url: string } | null | undefined) => void,
) {
  const { busy, error, send } = useSending();
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

/** With blockers the issue and its relations are made together, or not at all. */
async function sent(input: IssueCreateInput, blockers: readonly string[]) {
  if (blockers.length === 0) return (await request(CreateIssue, { input })).issueCreate.issue;
  const id = newId();
  const relations = blockers.map((issueId) => ({ issueId, relatedIssueId: id, type: "blocks" as const }));
  const { issueBatchCreate } = await request(CreateIssues, { input: { issues: [{ ...input, id }], relations } });
  return issueBatchCreate.issues[0];
}

/** The input of the mutation. What is empty is left out, so that a template or the team gives it. */
function inputOf(draft: Draft, teamId: string): IssueCreateInput {
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
    // A template's milestone does not count beside the project that is chosen here.
    ...(projectId && { projectMilestoneId: projectMilestoneId || null }),
    ...Object.fromEntries(fields.flatMap((field) => (draft[field] ? [[field, draft[field]]] : []))),
  };
}
