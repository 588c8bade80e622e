import { z } from "zod";
import { ISSUE_FIELDS, issueInput } from "../arguments/issue-input.ts";
import { ToolError } from "../errors.ts";
import { ANNOTATIONS, defineTool } from "../registry/define-tool.ts";
import { failuresOf, filedFailure, fileFailure } from "../sessions/failure.ts";
import { loadSession } from "../sessions/load.ts";

const MAX_FAILURES = 10;

/** From the failures of a recorded session to issues, one for each kind. */
export const createIssueFromSession = defineTool({
  name: "create_issue_from_session",
  title: "Create issue from session",
  description:
    "File the failures of a recorded session: one issue for each kind of failure; the one that already has it gets a comment, and opens again.",
  toolset: "reports",
  annotations: ANNOTATIONS.adds,
  inputSchema: z.strictObject({
    session_id: z.string(),
    team: z.string().describe("key or name"),
    event_id: z.string().optional().describe("only this failure"),
    assignee: ISSUE_FIELDS.assignee,
    priority: ISSUE_FIELDS.priority,
    labels: ISSUE_FIELDS.labels,
  }),
  outputSchema: z.object({ reports: z.array(filedFailure), truncated: z.boolean().optional() }),
  async handler({ session_id, event_id, ...fields }, { graphql }) {
    const { events } = await loadSession(graphql, session_id);
    const failures = failuresOf(events.filter(({ id }) => event_id === undefined || id === event_id.toLowerCase()));
    if (failures.length === 0) throw new ToolError(nothingFailed(session_id, event_id));
    const input = await issueInput(graphql, fields);
    const reports = [];
    for (const { id: eventId } of failures.slice(0, MAX_FAILURES))
      reports.push(await fileFailure(graphql, { ...input, eventId }));
    return { reports, truncated: failures.length > MAX_FAILURES ? true : undefined };
  },
});

function nothingFailed(sessionId: string, eventId: string | undefined): string {
  const what =
    eventId === undefined ? `Session "${sessionId}" has no failed call` : `Event "${eventId}" is no failed call of it`;
  return `${what}. Look with get_session, or find another with list_sessions {failed: true}.`;
}
