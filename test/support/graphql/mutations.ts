import { randomUUID } from "node:crypto";
import { combinedSchema } from "../../../server/graphql/schema.ts";
import { updateHourAndGroupCounts } from "../../../server/jobs/analytics.ts";
import { callRestApi, startSharedServer } from "../server.ts";
import type { Workspace } from "../workspace.ts";
import { createSampleBuilder } from "./from-schema.ts";

type Args = Record<string, unknown>;
type Sample = (space: Workspace) => Promise<Args> | Args;

/** Creates a unique name. */
export const uniqueName = () => `n ${randomUUID()}`;

const id = async (space: Workspace, mutation: string, field: string, input: Args): Promise<string> =>
  (await space.does(mutation, { input }, `${field} { id }`))[field].id;

const issue = async (space: Workspace): Promise<string> => (await space.issue()).id;
const comment = async (space: Workspace) =>
  id(space, "commentCreate", "comment", { issueId: await issue(space), body: "x" });
const status = (space: Workspace) =>
  id(space, "projectStatusCreate", "status", { name: uniqueName(), type: "paused", color: "#000000", position: 9 });
const CYCLE = { startsAt: "2026-01-01T00:00:00.000Z", endsAt: "2026-01-02T00:00:00.000Z" };
const STATE = { type: "started", color: "#000000" };
const state = (space: Workspace) =>
  id(space, "workflowStateCreate", "workflowState", { teamId: space.teamId, name: uniqueName(), ...STATE });
const label = (space: Workspace) => id(space, "issueLabelCreate", "issueLabel", { name: uniqueName() });
const WEBHOOK = { url: "https://example.com/hook", resourceTypes: [] };
const webhook = (space: Workspace) => id(space, "webhookCreate", "webhook", WEBHOOK);
/** The rule sends no notices, because the organization has no SMTP server. */
const NOTICE_RULE = { name: "x", condition: "leaseExpired", channel: "email", emails: ["x@example.com"] };
const noticeRule = (space: Workspace) => id(space, "noticeRuleCreate", "noticeRule", NOTICE_RULE);

const pair = async (space: Workspace) => ({
  type: "related",
  issueId: await issue(space),
  relatedIssueId: await issue(space),
});
const relation = async (space: Workspace) => id(space, "issueRelationCreate", "issueRelation", await pair(space));
const claimed = async (space: Workspace): Promise<string> => {
  const issueId = await issue(space);
  await space.does("issueClaim", { input: { id: issueId } });
  return issueId;
};

const on =
  (made: (space: Workspace) => Promise<string>, rest: Args = {}): Sample =>
  async (space) => ({ id: await made(space), ...rest });
const labelled: Sample = async (space) => ({ id: await issue(space), labelId: await label(space) });

/** Creates a row of an import: an issue with a new external id. */
export const createImportRow = (title: string): object => ({
  issue: { externalId: uniqueName(), team: "ENG", title, createdAt: new Date().toISOString() },
});

/** Creates a unique word of letters only: failure groups ignore numbers and ids. */
const word = () => randomUUID().replace(/[^a-z]/g, (digit) => "ghijklmnop"[Number(digit)] ?? "");

/** Records a failed event with a unique message. Returns the event's id. */
export async function recordFailedEvent({ url, ingestKey }: Workspace): Promise<string> {
  const failure = {
    primitive_name: "Bash",
    primitive_type: "tool",
    args: "{}",
    result: `no such word: ${word()}`,
    success: false,
  };
  const body = { event_id: randomUUID(), session_id: randomUUID(), ...failure };
  await callRestApi(url, "POST", "/api/v1/capture-event", { body, headers: { "x-api-key": ingestKey } });
  return body.event_id;
}

/** Records a failure and runs the job that creates a failure group. Returns the group's id. */
async function failureGroup(space: Workspace): Promise<string> {
  const id = await recordFailedEvent(space);
  await updateHourAndGroupCounts((await startSharedServer()).runtime);
  const read = await space.gql(`{ recordedEvent(id: "${id}") { failureGroupId } }`);
  return read.recordedEvent.failureGroupId;
}

async function recordedSession({ url, ingestKey }: Workspace, user_id: string = randomUUID()): Promise<string> {
  const body = { session_id: randomUUID(), user_data: { user_id } };
  await callRestApi(url, "POST", "/api/v1/capture-session", { body, headers: { "x-api-key": ingestKey } });
  return body.session_id;
}

async function recordedUser(space: Workspace): Promise<string> {
  const user = randomUUID();
  await recordedSession(space, user);
  return user;
}

/** Creates an entry in the inbox: a session that waits for permission. */
async function waitingEntry({ url, ingestKey, gql }: Workspace): Promise<string> {
  const session_id = randomUUID();
  const body = {
    hook_event_name: "PermissionRequest",
    session_id,
    prompt_id: randomUUID(),
    tool_name: "Bash",
    tool_input: {},
  };
  await callRestApi(url, "POST", "/api/v1/hooks/claude-code", { body, headers: { "x-api-key": ingestKey } });
  const { inbox } = await gql("{ inbox(last: 100) { nodes { id session { id } } } }");
  return inbox.nodes.find(({ session }: any) => session?.id === session_id).id;
}

async function deletedSession(space: Workspace): Promise<string> {
  const input = { teamId: space.teamId, eventId: await recordFailedEvent(space) };
  const { issue: filed } = await space.does(
    "issueCreateFromFailure",
    { input },
    "issue { id sessionLinks { nodes { session { id } } } }",
  );
  const [link] = filed.sessionLinks.nodes;
  await space.does("recordedSessionDelete", { id: link.session.id });
  const { issue: read } = await space.gql(`{ issue(id: "${filed.id}") { deletedSessions { nodes { id } } } }`);
  return read.deletedSessions.nodes[0].id;
}

/** Arguments of mutations for which the types of the schema are not enough. */
const WRITTEN: Readonly<Record<string, Sample>> = {
  issueCreate: ({ teamId }) => ({ input: { teamId, title: "x" } }),
  issueUpdate: on(issue, { input: { title: "y" } }),
  issueAddLabel: labelled,
  issueRemoveLabel: labelled,
  issueBatchCreate: async (space) => ({
    input: { issues: [{ teamId: space.teamId, title: "x" }], relations: [await pair(space)] },
  }),
  issueBatchUpdate: async (space) => ({ ids: [await issue(space)], input: { title: "y" } }),
  issueBatchImport: () => ({
    input: { source: "elsewhere", rows: [createImportRow("x")] },
  }),
  issueCreateFromFailure: async (space) => ({
    input: { teamId: space.teamId, eventId: await recordFailedEvent(space) },
  }),
  issueRelationCreate: async (space) => ({ input: await pair(space) }),
  issueRelationUpdate: on(relation, { input: { type: "similar" } }),
  issueClaim: async (space) => ({ input: { id: await issue(space) } }),
  issueRenew: on(claimed, { fence: 1 }),
  issueRelease: on(claimed),
  issueComplete: on(claimed),
  issueHandover: on(claimed),
  commentCreate: async (space) => ({ input: { issueId: await issue(space), body: "x" } }),
  commentUpdate: on(comment, { input: { body: "y" } }),
  commentResolve: on(comment),
  commentUnresolve: on(comment),
  projectCreate: ({ teamId }) => ({ input: { name: uniqueName(), teamIds: [teamId] } }),
  templateCreate: () => ({ input: { name: uniqueName(), type: "issue", templateData: { title: "x" } } }),
  projectStatusCreate: () => ({ input: { name: uniqueName(), type: "paused", color: "#000000", position: 9 } }),
  projectStatusUpdate: on(status, { input: { color: "#111111" } }),
  projectStatusArchive: on(status),
  projectStatusUnarchive: on(status),
  cycleCreate: ({ teamId }) => ({ input: { teamId, ...CYCLE } }),
  workflowStateCreate: ({ teamId }) => ({ input: { teamId, name: uniqueName(), ...STATE } }),
  workflowStateUpdate: on(state, { input: { color: "#111111" } }),
  issueLabelUpdate: on(label, { input: { color: "#111111" } }),
  recordedFailureGroupIgnore: on(failureGroup, { input: {} }),
  recordedFailureGroupUnignore: on(failureGroup),
  recordedSessionDelete: on(recordedSession),
  recordedSessionHold: on(recordedSession, { input: { reason: "a review" } }),
  recordedSessionRelease: on(recordedSession),
  recordedSessionsDelete: async (space) => ({ ids: [await recordedSession(space)] }),
  inboxEntryUpdate: async (space) => ({ ids: [await waitingEntry(space)], input: { done: false } }),
  recordedUserDelete: on(recordedUser),
  issueDeletedSessionBlank: on(deletedSession),
  webhookCreate: () => ({ input: WEBHOOK }),
  webhookUpdate: on(webhook, { input: { label: "y" } }),
  webhookRotateSecret: on(webhook),
  noticeRuleCreate: () => ({ input: NOTICE_RULE }),
  noticeRuleUpdate: on(noticeRule, { input: { name: "y" } }),
  noticeRuleTest: on(noticeRule),
};

/** Valid arguments of every mutation, on rows created for the mutation. */
export const MUTATION_SAMPLES: Readonly<Record<string, Sample>> = Object.fromEntries(
  Object.keys(combinedSchema.getMutationType()?.getFields() ?? {}).map((name) => [
    name,
    WRITTEN[name] ?? createSampleBuilder(name),
  ]),
);
