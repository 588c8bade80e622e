import { z } from "zod";
import type { GraphqlClient } from "../../api/graphql.ts";
import { parsePastTime } from "../../arguments/filters.ts";
import { buildIssueInput, ISSUE_FIELD_SCHEMAS } from "../../arguments/issue-input.ts";
import { FAILURE_DOCUMENTS } from "../../documents/recorded.ts";
import { ToolError } from "../../errors.ts";
import { ANNOTATIONS, defineTool } from "../../registry/define-tool.ts";
import { type GraphqlConnection, PAGE_ARGUMENT_SCHEMAS, PAGE_RESULT_SCHEMAS, toPage } from "../../results.ts";
import { type EventNode, loadSession } from "../../sessions/session.ts";

/** Result of creating an issue from a failure. `known` means that the issue already contains the event. */
const filedFailure = z.object({
  issue: z.string(),
  title: z.string(),
  url: z.string(),
  status: z.enum(["created", "commented", "reopened", "known"]),
});

type FiledFailure = z.output<typeof filedFailure>;

/**
 * Returns the last failed event of each failure group. Omits a failed event that has a failed child, such as a turn
 * that failed because of a call, because the child is already included.
 */
function failuresOf(events: readonly EventNode[]): EventNode[] {
  const failed = events.filter(({ success }) => !success);
  const parents = new Set(failed.map(({ parentId }) => parentId));
  const kinds = new Map(
    failed.filter(({ id }) => !parents.has(id)).map((event) => [event.failureGroupId ?? event.id, event]),
  );
  return [...kinds.values()];
}

/** Creates an issue from a failure, or adds the failure to the existing issue. */
async function fileFailure(graphql: GraphqlClient, input: object): Promise<FiledFailure> {
  type Filed = { status: FiledFailure["status"]; issue: { identifier: string; title: string; url: string } };
  const { issueCreateFromFailure } = await graphql<{ issueCreateFromFailure: Filed }>(FAILURE_DOCUMENTS.file, {
    input,
  });
  const { status, issue } = issueCreateFromFailure;
  return { issue: issue.identifier, title: issue.title, url: issue.url, status };
}

const failure = z.object({
  id: z.string(),
  tool: z.string(),
  message: z.string(),
  count: z.int(),
  sessions: z.int(),
  users: z.int().optional(),
  first: z.string(),
  last: z.string(),
  event_id: z.string(),
  issue: z.string().optional(),
});

interface FailureNode {
  id: string;
  tool: string;
  message: string;
  count: number;
  sessions: number;
  users: number;
  firstAt: string;
  lastAt: string;
  eventId: string;
  issue: { identifier: string; state: { name: string } } | null;
}

interface Groups extends GraphqlConnection<FailureNode> {
  /** True while older failures are not grouped yet, for example after a restore. */
  incomplete: boolean;
}

/** Lists failure groups. */
export const listFailures = defineTool({
  name: "list_failures",
  title: "List failures",
  description: "List groups of recorded failures with the same message, latest first, with each group's issue.",
  toolset: "reports",
  annotations: ANNOTATIONS.reads,
  inputSchema: z.strictObject({
    tool: z.string().optional(),
    since: z.string().optional().describe("seen since, ISO date or P7D"),
    ...PAGE_ARGUMENT_SCHEMAS,
  }),
  outputSchema: z.object({ failures: z.array(failure), incomplete: z.boolean().optional(), ...PAGE_RESULT_SCHEMAS }),
  async handler({ limit, cursor, tool, since }, { graphql }) {
    const filter = {
      ...(tool !== undefined && { tool: { eq: tool } }),
      ...(since !== undefined && { lastAt: { gte: parsePastTime("since", since) } }),
    };
    const variables = { filter, first: limit, after: cursor };
    const { recordedFailureGroups: groups } = await graphql<{ recordedFailureGroups: Groups }>(
      FAILURE_DOCUMENTS.list,
      variables,
    );
    const { rows, rest } = toPage(groups, toRow);
    return { failures: rows, incomplete: groups.incomplete || undefined, ...rest };
  },
});

function toRow({ firstAt, lastAt, eventId, users, issue, ...rest }: FailureNode): z.input<typeof failure> {
  return {
    ...rest,
    users: users || undefined,
    first: firstAt,
    last: lastAt,
    event_id: eventId,
    issue: issue ? `${issue.identifier} ${issue.state.name}` : undefined,
  };
}

/** Creates an issue from a failure group. */
export const createIssueFromFailure = defineTool({
  name: "create_issue_from_failure",
  title: "Create issue from failure",
  description: "Create an issue for a failure group. If the group already has an issue, add a comment to that issue.",
  toolset: "reports",
  annotations: ANNOTATIONS.adds,
  inputSchema: z.strictObject({
    failure: z.string().optional().describe("id of list_failures"),
    event_id: z.string().optional().describe("instead: a failed event"),
    team: z.string().describe("key or name"),
    title: z.string().optional(),
    assignee: ISSUE_FIELD_SCHEMAS.assignee,
    priority: ISSUE_FIELD_SCHEMAS.priority,
    labels: ISSUE_FIELD_SCHEMAS.labels,
  }),
  outputSchema: z.object({ report: filedFailure }),
  async handler({ failure: failureGroupId, event_id: eventId, ...fields }, { graphql }) {
    const input = { ...(await buildIssueInput(graphql, fields)), failureGroupId, eventId };
    return { report: await fileFailure(graphql, input) };
  },
});

const MAX_FAILURES = 10;

/** Creates issues from the failures of a session, one per failure group. */
export const createIssueFromSession = defineTool({
  name: "create_issue_from_session",
  title: "Create issue from session",
  description:
    "Create an issue for each failure group in a recorded session. An existing issue gets a comment, and is reopened if completed.",
  toolset: "reports",
  annotations: ANNOTATIONS.adds,
  inputSchema: z.strictObject({
    session_id: z.string(),
    team: z.string().describe("key or name"),
    event_id: z.string().optional().describe("only this failure"),
    assignee: ISSUE_FIELD_SCHEMAS.assignee,
    priority: ISSUE_FIELD_SCHEMAS.priority,
    labels: ISSUE_FIELD_SCHEMAS.labels,
  }),
  outputSchema: z.object({ reports: z.array(filedFailure), truncated: z.boolean().optional() }),
  async handler({ session_id, event_id, ...fields }, { graphql }) {
    const { events } = await loadSession(graphql, session_id);
    const failures = failuresOf(events.filter(({ id }) => event_id === undefined || id === event_id.toLowerCase()));
    if (failures.length === 0) throw new ToolError(nothingFailed(session_id, event_id));
    const input = await buildIssueInput(graphql, fields);
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
