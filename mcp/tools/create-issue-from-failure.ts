import { z } from "zod";
import { ISSUE_FIELDS, issueInput } from "../arguments/issue-input.ts";
import { ANNOTATIONS, defineTool } from "../registry/define-tool.ts";
import { filedFailure, fileFailure } from "../sessions/failure.ts";

/** From failures that say the same to an issue. */
export const createIssueFromFailure = defineTool({
  name: "create_issue_from_failure",
  title: "Create issue from failure",
  description: "File an issue about a group of failures, or add to the one it has: a group has one open issue at most.",
  toolset: "reports",
  annotations: ANNOTATIONS.adds,
  inputSchema: z.strictObject({
    failure: z.string().optional().describe("id of list_failures"),
    event_id: z.string().optional().describe("instead: a failed event"),
    team: z.string().describe("key or name"),
    title: z.string().optional(),
    assignee: ISSUE_FIELDS.assignee,
    priority: ISSUE_FIELDS.priority,
    labels: ISSUE_FIELDS.labels,
  }),
  outputSchema: z.object({ report: filedFailure }),
  async handler({ failure: failureGroupId, event_id: eventId, ...fields }, { graphql }) {
    const input = { ...(await issueInput(graphql, fields)), failureGroupId, eventId };
    return { report: await fileFailure(graphql, input) };
  },
});
