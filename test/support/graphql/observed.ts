import { randomUUID } from "node:crypto";
import type { GraphQLInputField } from "graphql";
import { decryptSecret } from "../../../server/auth/secret.ts";
import { updateHourAndGroupCounts } from "../../../server/jobs/analytics.ts";
import { formatEncryptionOwner } from "../../../server/resources/notice-rule/rule.ts";
import { callRestApi, startSharedServer } from "../server.ts";
import type { Workspace } from "../workspace.ts";
import { createValue, findReferredEntity } from "./from-schema.ts";
import { createImportRow, MUTATION_SAMPLES, recordFailedEvent, uniqueName } from "./mutations.ts";

type Args = Record<string, unknown>;

/** Check that one field of an input, or one argument, has an effect or is refused. */
export interface EffectCheck {
  /** Value that differs from the value without the field. */
  give: unknown | ((space: Workspace, args: Args) => unknown);
  /** Selection of the entity that shows the effect; by default the field of the same name. */
  read?: string;
  /** Expected value of the selection; by default the given value. */
  shows?: unknown | ((given: unknown) => unknown);
  /** Members of the same input that the field needs; undefined removes a member that the field excludes. */
  with?: (space: Workspace, args: Args) => Promise<Args> | Args;
  /** Reads the effect from somewhere other than the entity. */
  look?: (space: Workspace, id: string) => Promise<unknown>;
  /** The members in `with` are valid only with this field, so no request without the field exists. */
  needed?: true;
  /** The server responds with INVALID_INPUT and names the field. */
  refused?: true;
  /** The mutation requires a user who signed in. */
  signedIn?: true;
  /** The value is a fence, a session or a version that does not exist. The server responds with CONFLICT. */
  stale?: true;
}

const made = (mutation: string, field: string) => async (space: Workspace) => {
  const args = (await MUTATION_SAMPLES[mutation]?.(space)) ?? {};
  return String((await space.does(mutation, args, `${field} { id }`))[field].id);
};
const viewer = async ({ gql }: Workspace) => (await gql("{ viewer { id } }")).viewer.id;
const listed = (make: (space: Workspace) => Promise<string>) => async (space: Workspace) => [await make(space)];
const issue = made("issueCreate", "issue");
const project = made("projectCreate", "project");
const team = made("teamCreate", "team");
const comment = made("commentCreate", "comment");
const label = made("issueLabelCreate", "issueLabel");
const status = made("projectStatusCreate", "status");
const template = async (space: Workspace) => {
  const input = { name: uniqueName(), type: "issue", templateData: { description: "From a template" } };
  return (await space.does("templateCreate", { input }, "template { id }")).template.id;
};
const group = async (space: Workspace) =>
  (await space.does("issueLabelCreate", { input: { name: uniqueName(), isGroup: true } }, "issueLabel { id }"))
    .issueLabel.id;

const trashed: EffectCheck = { give: true };
const past: EffectCheck = { give: "2025-12-31T09:00:00.000Z" };
const stale: EffectCheck = { give: 99, stale: true };
const agent = async (space: Workspace) => (await space.rest("POST", "/api/agents", { name: uniqueName() })).body["id"];
const newestEntry = async ({ gql }: Workspace) =>
  (await gql("{ inbox(last: 1, includeArchived: true) { nodes { id readAt doneAt snoozedUntilAt } } }")).inbox.nodes[0];
const recorded = async ({ url, ingestKey }: Workspace) => {
  const body = { session_id: randomUUID(), user_data: { user_id: "u-1" }, metadata: {} };
  await callRestApi(url, "POST", "/api/v1/capture-session", { body, headers: { "x-api-key": ingestKey } });
  return body.session_id;
};
const saidOn: EffectCheck = {
  give: "Some words",
  look: async ({ gql }, issueId) =>
    (await gql(`{ issue(id: "${issueId}") { comments { nodes { body } } } }`)).issue.comments.nodes[0]?.body,
};
const demand = async ({ does, teamId }: Workspace, proof: object | null) => {
  await does("teamUpdate", { id: teamId, input: { proof } });
};
/** The team requires a proof only during the mutation: other checks also complete issues of the team. */
const overridden: EffectCheck = {
  signedIn: true,
  give: async (space: Workspace) => {
    await demand(space, { commands: ["npm test"], required: true });
    return true;
  },
  with: ({ states }, args) => ("input" in args ? { stateId: states["Done"] } : {}),
  look: async (space, issueId) => {
    await demand(space, null);
    const { issue: read } = await space.gql(`{ issue(id: "${issueId}") { proof { overriddenBy { id } } } }`);
    return read.proof !== null && read.proof.overriddenBy !== null;
  },
};
const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

async function signedWith(_space: Workspace, webhookId: string): Promise<string> {
  const { db, secret: root } = (await startSharedServer()).runtime;
  const [row] = await db.query<{ sealed: Buffer }>({
    text: `select "secretEncrypted" as sealed from webhook where id = $1`,
    values: [webhookId],
  });
  return decryptSecret(root, webhookId, row?.sealed ?? Buffer.alloc(0));
}

/** Returns a function that decrypts the target or the secret of a notice rule. */
const openedOf = (column: string, part: "target" | "secret") => async (_space: Workspace, id: string) => {
  const { db, secret: root } = (await startSharedServer()).runtime;
  const text = `select "${column}" as sealed from "noticeRule" where id = $1`;
  const [row] = await db.query<{ sealed: Buffer | null }>({ text, values: [id] });
  return row?.sealed ? decryptSecret(root, formatEncryptionOwner(id, part), row.sealed) : null;
};

/**
 * Returns the checks of notice rules. Each member of a rule is valid only with some conditions and channels; the
 * sample rule is about leases and sends email.
 */
function noticeRules(): Record<string, EffectCheck> {
  const url = "https://example.com/another";
  const of =
    (condition: string, rest: object = {}) =>
    () => ({ condition, ...rest });
  const posts = (rest: object) => () => ({ channel: "webhook", emails: undefined, ...rest });
  const members: Record<string, EffectCheck> = {
    condition: { give: "failureGroup" },
    sessionStates: { give: ["stuck"], needed: true, with: of("sessionState") },
    failureKinds: { give: ["back"], with: of("failureGroup") },
    issueStateTypes: { give: ["started"], needed: true, with: of("issueState") },
    tool: { give: "Bash", with: of("toolFailureRate", { threshold: 5 }) },
    threshold: { give: 7, needed: true, with: of("sessionCost") },
    minimumCalls: { give: 7, with: of("toolFailureRate", { threshold: 5 }) },
    channel: { give: "slack", with: () => ({ emails: undefined, url }) },
    emails: { give: ["y@example.com"] },
    url: { give: url, needed: true, with: posts({ secret }), look: openedOf("targetEncrypted", "target") },
    secret: { give: secret, needed: true, with: posts({ url }), look: openedOf("secretEncrypted", "secret") },
    quietFrom: { give: "22:00", needed: true, with: () => ({ quietTo: "07:00" }) },
    quietTo: { give: "07:00", needed: true, with: () => ({ quietFrom: "22:00" }) },
    timeZone: { give: "Europe/Berlin" },
    enabled: { give: false },
  };
  const refused = [
    "sessionStates",
    "failureKinds",
    "issueStateTypes",
    "tool",
    "threshold",
    "minimumCalls",
    "url",
    "secret",
  ];
  return {
    ...Object.fromEntries(Object.entries(members).map(([member, observed]) => [`NoticeRule.${member}`, observed])),
    ...Object.fromEntries(
      refused.map((member) => [`noticeRuleUpdate.${member}`, { give: members[member]?.give, refused: true as const }]),
    ),
  };
}

/** Returns the recorded event from which an issue was created. */
async function failureOf({ gql }: Workspace, issueId: string): Promise<string> {
  const { issue: filed } = await gql(`{ issue(id: "${issueId}") { description } }`);
  return /events\/([0-9a-f-]{36})/.exec(filed.description)?.[1] ?? "";
}
const groupOf = async ({ gql }: Workspace, eventId: string): Promise<string> =>
  (await gql(`{ recordedEvent(id: "${eventId}") { failureGroupId } }`)).recordedEvent.failureGroupId;

/** Newest issue before an import. */
let before: string | undefined;
const newest = async ({ gql }: Workspace) =>
  (await gql("{ issues(first: 1) { nodes { id title externalIds } } }")).issues.nodes[0];

/** Check for each field of an input, by entity, and for each argument, by mutation. */
export const EFFECT_CHECKS: Readonly<Record<string, EffectCheck>> = {
  "issueBatchImport.source": {
    give: "other",
    look: async (space) => (await newest(space)).externalIds[0].split(":")[0],
  },
  "issueBatchImport.rows": {
    give: () => [createImportRow("An imported one")],
    look: async (space) => (await newest(space)).title,
    shows: "An imported one",
  },
  "issueBatchImport.dryRun": {
    with: async (space) => {
      before = (await newest(space))?.id;
      return {};
    },
    give: true,
    look: async (space) => (await newest(space))?.id === before,
  },
  "issueCreateFromFailure.eventId": { give: recordFailedEvent, look: failureOf },
  "issueCreateFromFailure.failureGroupId": {
    with: () => ({ eventId: undefined }),
    give: async (space: Workspace) => {
      const eventId = await recordFailedEvent(space);
      const { runtime } = await startSharedServer();
      await updateHourAndGroupCounts(runtime);
      return groupOf(space, eventId);
    },
    look: async (space, issueId) => groupOf(space, await failureOf(space, issueId)),
  },
  "issueCreateFromFailure.description": {
    give: "Some words",
    look: async ({ gql }, issueId) =>
      (await gql(`{ issue(id: "${issueId}") { description } }`)).issue.description.split("\n")[0],
  },
  "Issue.stateId": { give: ({ states }: Workspace) => states["Done"], read: "state { id }" },
  "Issue.delegateId": { give: agent, read: "delegate { id }" },
  "issueUpdate.fence": stale,
  "issueBatchUpdate.fence": { give: 1, refused: true },
  "issueUpdate.updatedAt": { give: "2020-01-01T00:00:00.000Z", stale: true },
  "issueBatchUpdate.updatedAt": { give: "2020-01-01T00:00:00.000Z", refused: true },
  "Issue.assigneeId": { give: viewer, read: "assignee { id }" },
  "Issue.parentId": { give: issue, read: "parent { id }" },
  "Issue.projectMilestoneId": {
    with: async (space) => ({ projectId: await project(space) }),
    give: async (space: Workspace, { input }: Args) => {
      const { projectId } = input as { projectId: string };
      const args = { input: { projectId, name: uniqueName() } };
      return (await space.does("projectMilestoneCreate", args, "projectMilestone { id }")).projectMilestone.id;
    },
    read: "projectMilestone { id }",
  },
  "Issue.labelIds": { give: listed(label) },
  "Issue.addedLabelIds": { give: listed(label), read: "labelIds" },
  "Issue.removedLabelIds": {
    with: async (space) => ({ labelIds: [await label(space)] }),
    give: (_: Workspace, { input }: Args) => (input as Args)["labelIds"],
    read: "labelIds",
    shows: [],
  },
  "Issue.completedAt": { ...past, with: ({ states }) => ({ stateId: states["Done"] }) },
  "Issue.trashed": trashed,
  "Issue.templateId": { give: template, read: "description", shows: "From a template" },
  "Issue.issues": {
    give: ({ teamId }: Workspace) => [1, 2].map((n) => ({ teamId, title: `Batched ${n}` })),
    read: "title",
    shows: "Batched 1",
  },
  "Issue.relations": {
    with: ({ teamId }) => ({ issues: [{ teamId, title: "Related", id: randomUUID() }] }),
    give: async (space: Workspace, { input }: Args) => {
      const [made] = (input as { issues: { id: string }[] }).issues;
      return [{ type: "related", issueId: made?.id, relatedIssueId: await issue(space) }];
    },
    read: "relations { nodes { type } }",
    shows: ["related"],
  },
  "IssueRelation.type": { give: "discovered" },
  "IssueRelation.issueId": { give: issue, read: "issue { id }" },
  "IssueRelation.relatedIssueId": { give: issue, read: "relatedIssue { id }" },
  "issueClaim.id": { give: issue },
  "issueClaim.filter": {
    with: () => ({ id: undefined }),
    give: async (space: Workspace) => ({ id: { eq: await issue(space) } }),
    look: async (_, issueId) => issueId,
    shows: (given: any) => given.id.eq,
  },
  "issueClaim.ttlSeconds": { give: 90, read: "lease { ttlSeconds }" },
  "Issue.sessionId": { give: recorded, read: "sessions { nodes { id } }", shows: (id: unknown) => [id] },
  "issueClaim.fence": stale,
  ...Object.fromEntries(
    ["costLimit", "tokenLimit", "minuteLimit", "equalCallLimit"].map((limit) => [
      `issueClaim.${limit}`,
      { give: 5, read: `lease { ${limit} }` },
    ]),
  ),
  "issueClaim.sessionId": { give: "a session", read: "lease { sessionId }" },
  "issueRenew.fence": stale,
  "issueRenew.sessionId": { give: "a session", read: "lease { sessionId }" },
  "issueRenew.ttlSeconds": { give: 90, read: "lease { ttlSeconds }" },
  "Team.proof": {
    give: { commands: ["npm test"] },
    look: async ({ gql, does }, teamId) => {
      const { team: read } = await gql(`{ team(id: "${teamId}") { proof } }`);
      await does("teamUpdate", { id: teamId, input: { proof: null } });
      return read.proof?.commands;
    },
    shows: ({ commands }: any) => commands,
  },
  "Issue.overrideProof": overridden,
  "issueComplete.overrideProof": overridden,
  "issueComplete.requireProof": { give: true, with: () => ({ proofCommands: ["npm test"] }), stale: true },
  "issueComplete.proofCommands": {
    give: ["npm run lint"],
    look: async ({ gql }, issueId) =>
      (await gql(`{ issue(id: "${issueId}") { proof { reason } } }`)).issue.proof?.reason,
    shows: (_: unknown) => "`npm run lint` is not recorded. No recorded session is linked to the issue.",
  },
  "issueRelease.fence": stale,
  "issueRelease.comment": saidOn,
  "issueComplete.fence": stale,
  "issueComplete.comment": saidOn,
  "issueComplete.stateId": {
    give: async (space: Workspace) => {
      const input = { teamId: space.teamId, name: uniqueName(), type: "completed", color: "#000000" };
      return (await space.does("workflowStateCreate", { input }, "workflowState { id }")).workflowState.id;
    },
    read: "state { id }",
  },
  "Comment.fence": stale,
  "Comment.issueId": { give: issue, read: "issue { id }" },
  "Comment.projectId": { give: project, read: "project { id }", with: () => ({ issueId: undefined }) },
  "Comment.parentId": { give: comment, read: "parent { id }", with: () => ({ issueId: undefined }) },
  "Team.readyStateTypes": { give: ["backlog", "unstarted"] },
  "Team.key": { give: () => `K${randomUUID().slice(0, 6).toUpperCase()}` },
  "Team.private": { give: true, refused: true },
  "Team.defaultIssueStateId": {
    give: async ({ gql }: Workspace, args: Args) => {
      const { team: found } = await gql(`{ team(id: "${args["id"]}") { states { nodes { id name } } } }`);
      return found.states.nodes.find((each: { name: string }) => each.name === "Done").id;
    },
    read: "defaultIssueState { id }",
  },
  "Project.teamIds": { give: listed(team), read: "teams { nodes { id } }" },
  "Project.statusId": { give: status, read: "status { id }" },
  "Project.leadId": { give: viewer, read: "lead { id }" },
  "Project.memberIds": { give: listed(viewer), read: "members { nodes { id } }" },
  "Project.trashed": trashed,
  "CustomView.filterData": { give: { priority: { eq: 1 } }, shows: 1 },
  "Template.type": { give: "issue" },
  "Template.templateData": { give: { title: "t" }, shows: "t" },
  "ProjectStatus.type": { give: "started" },
  "ProjectStatus.position": { give: 77 },
  "ProjectStatus.indefinite": { give: true },
  "Cycle.endsAt": { give: "2027-01-01T09:00:00.000Z" },
  "WorkflowState.type": { give: "completed" },
  "WorkflowState.position": { give: 77 },
  "IssueLabel.parentId": { give: group, read: "parent { id }" },
  "IssueLabel.isGroup": { give: true },
  "Webhook.url": { give: "https://example.com/another" },
  "Webhook.resourceTypes": { give: ["Issue"] },
  "Webhook.enabled": { give: false },
  "Webhook.allPublicTeams": { give: false, refused: true },
  "Webhook.secret": { give: secret, look: signedWith },
  ...noticeRules(),
  "Organization.urlKey": { give: () => `key-${randomUUID()}` },
  "Organization.searchLanguage": { give: "german" },
  "Organization.redactionEnabled": { give: false },
  "Organization.retentionAgents": { give: [{ agent: "fox", textDays: 3 }], shows: ["fox"] },
  "Organization.pricesEnabled": { give: false },
  "Organization.ownPrices": {
    give: [{ model: "m-*", input: 1, output: 2, from: "2026-01-31" }],
    shows: ["2026-01-31"],
  },
  "RecordedFailureGroup.until": { give: "2126-01-01T09:00:00.000Z", read: "ignoredUntil" },
  "RecordedFailureGroup.untilCount": { give: 1_000, read: "ignoredUntilCount" },
  "RecordedSession.reason": { give: "a review", read: "holdReason" },
  "Organization.redactionPatterns": { give: [{ name: "own", pattern: "own-\\d{4}" }], shows: ["own"] },
  "inboxEntryUpdate.read": { give: true, look: async (space) => Boolean((await newestEntry(space)).readAt) },
  "inboxEntryUpdate.done": { give: true, look: async (space) => Boolean((await newestEntry(space)).doneAt) },
  "inboxEntryUpdate.snoozedUntilAt": {
    give: "2126-01-01T00:00:00.000Z",
    look: async (space) => (await newestEntry(space)).snoozedUntilAt,
  },
  "issueArchive.trash": { give: true, read: "trashed" },
  "issueDelete.permanentlyDelete": {
    give: true,
    look: async (space, issueId) =>
      (await space.refuses("issueArchive", { id: issueId }).catch(() => ({ code: "" }))).code,
    shows: "NOT_FOUND",
  },
  "issueAddLabel.labelId": { give: label, read: "labelIds", shows: (given: unknown) => [given] },
  "issueRemoveLabel.labelId": {
    give: async (space: Workspace, args: Args) => {
      await space.does("issueAddLabel", { id: args["id"], labelId: args["labelId"] });
      return args["labelId"];
    },
    read: "labelIds",
    shows: [],
  },
  "commentUpdate.skipEditedAt": { give: true, read: "editedAt", shows: null },
  "commentResolve.resolvingCommentId": {
    give: async (space: Workspace, args: Args) => {
      const input = { parentId: args["id"], body: "An answer" };
      return (await space.does("commentCreate", { input }, "comment { id }")).comment.id;
    },
    read: "resolvingComment { id }",
  },
  "projectArchive.trash": { give: true, read: "trashed" },
};

/** Derives the check of a member whose effect shows in the field of the same name. A reference shows as a link. */
export function deriveEffectCheck(member: GraphQLInputField): EffectCheck {
  const entity = findReferredEntity(member.name);
  const give = (space: Workspace) => createValue(space, member);
  return entity ? { give, read: `${entity} { id }` } : { give };
}
