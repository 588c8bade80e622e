import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { updateHourAndGroupCounts } from "../../server/jobs/analytics.ts";
import { removeOldInboxRows } from "../../server/jobs/inbox.ts";
import { maintainLeases } from "../../server/jobs/leases.ts";
import { setEarlierSql } from "../support/db/database.ts";
import { recordFailedEvent } from "../support/graphql/mutations.ts";
import { inviteGuest } from "../support/members.ts";
import { freshOrganization, postHook } from "../support/recording/observed-sessions.ts";
import { startSharedServer, type Tenant } from "../support/server.ts";
import { createWorkspace } from "../support/workspace.ts";

const ENTRY = `id type createdAt question readAt doneAt snoozedUntilAt session { id state metadata }
  event { id args } issue { identifier } failureGroup { id message } comment { id } holder { name }`;

type Reader = Pick<Tenant, "gql">;

const inboxOf = async ({ gql }: Reader, args = "(first: 100)"): Promise<any[]> =>
  (await gql(`{ inbox${args} { nodes { ${ENTRY} } } }`)).inbox.nodes;

const UPDATE = `mutation ($ids: [String!]!, $input: InboxEntryUpdateInput!) {
  inboxEntryUpdate(ids: $ids, input: $input) { success } }`;
const marks = ({ gql }: Reader, ids: readonly string[], input: object) => gql(UPDATE, { ids, input });

/** Records a session of Claude Code that waits for a permission. */
async function waiting(tenant: Tenant, command = "npm publish") {
  const common = { session_id: randomUUID(), cwd: "/srv/parcels", prompt_id: randomUUID() };
  const says = async (name: string, more: object = {}) => {
    await postHook(tenant, "claude-code", { ...common, hook_event_name: name, ...more });
  };
  const call = { tool_name: "Bash", tool_input: { command } };
  await says("UserPromptSubmit", { prompt: "Publish it" });
  await says("PreToolUse", { ...call, tool_use_id: "toolu_1" });
  await says("PermissionRequest", call);
  const answer = () => says("PostToolUse", { ...call, tool_use_id: "toolu_1", tool_response: "done" });
  return { id: common.session_id, says, answer, ask: () => says("PermissionRequest", call) };
}

describe("the inbox", () => {
  it("shows a session's question until it is answered, and where the session runs", async () => {
    const tenant = await freshOrganization();
    const session = await waiting(tenant);
    const [entry, ...others] = await inboxOf(tenant);
    expect(others).to.deep.equal([]);
    expect(entry).to.deep.include({
      type: "waitingForPermission",
      question: "npm publish",
      readAt: null,
      doneAt: null,
    });
    expect(entry.session).to.include({ id: session.id, state: "waitingForPermission" });
    expect(entry.session.metadata.cwd).to.equal("/srv/parcels");
    expect(entry.event.args).to.equal('{"command":"npm publish"}');
    await session.answer();
    expect(await inboxOf(tenant)).to.deep.equal([]);
  });

  it("shows the computer on which to answer, by the address that the hook reports", async () => {
    const tenant = await freshOrganization();
    const body = { session_id: randomUUID(), hook_event_name: "Notification", notification_type: "permission_prompt" };
    const response = await fetch(`${tenant.url}/api/v1/hooks/claude-code?host=work%20station&x=1`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "x-api-key": tenant.ingestKey },
      body: JSON.stringify({ ...body, cwd: "/srv/parcels" }),
    });
    expect(response.status).to.equal(204);
    const [{ session }] = await inboxOf(tenant);
    expect(session.metadata).to.include({ host: "work station", cwd: "/srv/parcels" });
  });

  it("shows the question as recorded: truncated, without secrets, and as data", async () => {
    const tenant = await freshOrganization();
    const secret = `ghp_${"a1B2".repeat(9)}`;
    const hostile = `<img src=x onerror=alert(1)> ${secret} \u202e\u0000 ${"😀".repeat(3_000)}`;
    const session = await waiting(tenant, hostile);
    const [{ question }] = await inboxOf(tenant);
    expect([...question].length).to.be.at.most(2_000);
    expect(question).to.include("<img src=x onerror=alert(1)>");
    expect(question).to.not.include(secret);
    await session.answer();
    expect(await inboxOf(tenant)).to.deep.equal([]);
  });

  it("stores read, snoozed and done entries per user, and shows entries that return", async () => {
    const tenant = await freshOrganization();
    const session = await waiting(tenant);
    const [{ id }] = await inboxOf(tenant);
    await marks(tenant, [id], { read: true });
    expect((await inboxOf(tenant))[0].readAt).to.be.a("string");
    await marks(tenant, [id], { read: false, snoozedUntilAt: new Date(Date.now() + 60_000).toISOString() });
    expect(await inboxOf(tenant)).to.deep.equal([]);
    expect((await inboxOf(tenant, "(includeArchived: true)"))[0]).to.include({ id, readAt: null });
    await marks(tenant, [id], { snoozedUntilAt: new Date(Date.now() - 60_000).toISOString() });
    expect(await inboxOf(tenant)).to.have.length(1);
    await marks(tenant, [id], { done: true });
    expect(await inboxOf(tenant)).to.deep.equal([]);
    const guest = await inviteGuest(tenant);
    const other: Reader = { gql: async (query) => (await guest.rest("POST", "/graphql", { query })).body["data"] };
    expect(await inboxOf(other)).to.have.length(1);
    await session.answer();
    await session.says("PreToolUse", {
      tool_name: "Bash",
      tool_use_id: "toolu_2",
      tool_input: { command: "npm publish" },
    });
    await session.ask();
    expect(await inboxOf(tenant)).to.have.length(1);
  });

  it("keeps the latest 10,000 marks of a user", async () => {
    const [tenant, { db }] = [await freshOrganization(), (await startSharedServer()).runtime];
    await waiting(tenant);
    const count = async () => {
      const text = `select count(*)::int as kept, count(*) filter (where "updatedAt" < now() - interval '3 days')::int as old
        from "inboxState" where "organizationId" = $1`;
      return (await db.query({ text, values: [tenant.organizationId] }))[0];
    };
    await db.query({
      text: `insert into "inboxState" ("organizationId", "userId", id, since, "readAt", "updatedAt")
        select $1, u.id, gen_random_uuid(), now(), now(), now() - case when n > 10000 then interval '4 days' else interval '2 days' end
        from "user" u, generate_series(1, 10003) n where u."organizationId" = $1`,
      values: [tenant.organizationId],
    });
    expect(await count()).to.deep.equal({ kept: 10_003, old: 3 });
    const [{ id }] = await inboxOf(tenant);
    await marks(tenant, [id], { done: true });
    await removeOldInboxRows(db);
    expect(await count()).to.deep.equal({ kept: 10_000, old: 0 });
    expect(await inboxOf(tenant)).to.deep.equal([]);
  });

  it("refuses to mark entries that are not in the inbox", async () => {
    const [tenant, other] = [await freshOrganization(), await freshOrganization()];
    await waiting(other);
    const [{ id }] = await inboxOf(other);
    for (const ids of [[id], [randomUUID()], ["x"]]) {
      const { errors } = await tenant.graphql(UPDATE, { ids, input: { done: true } });
      expect(errors?.[0]?.extensions).to.include({ code: "NOT_FOUND" });
    }
    const { errors } = await tenant.graphql(UPDATE, { ids: [], input: { done: true } });
    expect(errors?.[0]?.extensions).to.include({ code: "INPUT_ERROR", field: "ids" });
  });

  it("is paged, oldest first, and filtered by type", async () => {
    const tenant = await freshOrganization();
    const ids = [];
    for (const command of ["a", "b", "c"]) ids.push((await waiting(tenant, command)).id);
    const page = `query ($after: String) { inbox(first: 2, after: $after) { nodes { question } pageInfo { hasNextPage endCursor } } }`;
    const { inbox: first } = await tenant.gql(page);
    expect(first.nodes.map(({ question }: any) => question)).to.deep.equal(["a", "b"]);
    const { inbox: second } = await tenant.gql(page, { after: first.pageInfo.endCursor });
    expect(second.nodes.map(({ question }: any) => question)).to.deep.equal(["c"]);
    expect(await inboxOf(tenant, "(filter: { type: { in: [stuck, looping] } })")).to.deep.equal([]);
    expect(await inboxOf(tenant, "(filter: { type: { eq: waitingForPermission } })")).to.have.length(3);
  });
});

describe("notices in the inbox", () => {
  const typesOf = async (reader: Reader) => (await inboxOf(reader)).map(({ type, question }) => [type, question]);

  /** Creates a workspace with its owner and a second member. */
  async function twoPeople() {
    const space = await createWorkspace();
    const guest = await inviteGuest(space);
    const gql = async (query: string, variables?: object) => {
      const { body } = await guest.rest("POST", "/graphql", { query, variables });
      if (body["errors"]) throw new Error(JSON.stringify(body["errors"]));
      return body["data"] as any;
    };
    const { viewer } = await gql("{ viewer { id displayName email } }");
    return { space, guest: { ...guest, gql, ...viewer } };
  }

  it("report an issue assigned by somebody else while the issue is open and assigned", async () => {
    const { space, guest } = await twoPeople();
    const { id } = await space.issue({ title: "Parse dates", assigneeId: guest.id });
    expect(await typesOf(guest)).to.deep.equal([["issueAssigned", "Parse dates"]]);
    expect((await inboxOf(guest))[0].issue.identifier).to.equal("ENG-1");
    expect(await typesOf(space)).to.deep.equal([]);
    await space.does("issueUpdate", { id, input: { assigneeId: null } });
    expect(await typesOf(guest)).to.deep.equal([]);
    await space.does("issueUpdate", { id, input: { assigneeId: guest.id } });
    expect(await typesOf(guest)).to.have.length(1);
    await space.does("issueUpdate", { id, input: { stateId: space.states["Done"] } });
    expect(await typesOf(guest)).to.deep.equal([]);
  });

  it("are not created for a member who assigns an issue to themselves", async () => {
    const space = await createWorkspace();
    const { viewer } = await space.gql("{ viewer { id } }");
    await space.issue({ assigneeId: viewer.id });
    expect(await typesOf(space)).to.deep.equal([]);
  });

  it("report a mention in a comment or a description once, and not inside a longer word", async () => {
    const { space, guest } = await twoPeople();
    const { id: issueId } = await space.issue({
      title: "Parse dates",
      description: `mail me@${guest.displayName}.com`,
    });
    expect(await typesOf(guest)).to.deep.equal([]);
    const body = `@${guest.displayName.toUpperCase()}, please look: <script>alert(1)</script>`;
    const { comment } = await space.does("commentCreate", { input: { issueId, body } }, "comment { id }");
    expect(await typesOf(guest)).to.deep.equal([["issueMentioned", body]]);
    const [entry] = await inboxOf(guest);
    expect(entry).to.deep.include({ comment: { id: comment.id }, issue: { identifier: "ENG-1" } });
    await marks(guest, [entry.id], { done: true });
    await space.does("commentUpdate", { id: comment.id, input: { body: `${body} Now.` } });
    expect(await typesOf(guest)).to.deep.equal([]);
    await space.does("issueUpdate", { id: issueId, input: { description: `As @${guest.email} said.` } });
    expect(await typesOf(guest)).to.deep.equal([["issueMentioned", `As @${guest.email} said.`]]);
    await space.does("commentDelete", { id: comment.id });
    expect(await typesOf(space)).to.deep.equal([]);
  });

  it("report an expired lease to every member until somebody claims the issue again", async () => {
    const { space, guest } = await twoPeople();
    const { id } = await space.issue({ title: "Parse dates" });
    await space.does("issueClaim", { input: { id } });
    const { runtime } = await startSharedServer();
    await runtime.db.query({
      text: `update "issueLease" set ${setEarlierSql(["grantedAt", "renewedAt", "expiresAt", "checkAt"], "interval '1 day'")} where id = $1`,
      values: [id],
    });
    await maintainLeases(runtime);
    for (const reader of [space, guest]) expect(await typesOf(reader)).to.deep.equal([["leaseExpired", "Parse dates"]]);
    expect((await inboxOf(space))[0].holder.name).to.be.a("string");
    await space.does("issueClaim", { input: { id } });
    for (const reader of [space, guest]) expect(await typesOf(reader)).to.deep.equal([]);
  });

  it("report new failures until an issue is created about them", async () => {
    const space = await createWorkspace();
    const eventId = await recordFailedEvent(space);
    const { runtime } = await startSharedServer();
    await updateHourAndGroupCounts(runtime);
    const [entry] = await inboxOf(space);
    expect(entry.type).to.equal("failureNew");
    expect(entry.question).to.match(/^Bash: no such word/);
    expect(entry.event.id).to.equal(eventId);
    await space.does("issueCreateFromFailure", { input: { teamId: space.teamId, eventId } });
    expect(await typesOf(space)).to.deep.equal([]);
  });

  it("are not visible to a removed member", async () => {
    const { space, guest } = await twoPeople();
    await space.issue({ assigneeId: guest.id });
    expect(await typesOf(guest)).to.have.length(1);
    expect((await space.rest("DELETE", `/api/members/${guest.id}`)).status).to.be.oneOf([200, 204]);
    const { status, body } = await guest.rest("POST", "/graphql", { query: "{ inbox { nodes { id } } }" });
    expect(status === 401 || Boolean(body["errors"])).to.equal(true);
  });
});
