import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { joined } from "../support/members.ts";
import { freshOrganization, postHook } from "../support/observed-sessions.ts";
import type { Tenant } from "../support/server.ts";

const ENTRY = `id type createdAt question readAt doneAt snoozedUntilAt session { id state metadata }
  event { id args } issue { identifier } failureGroup { id message } comment { id } holder { name }`;

type Reader = Pick<Tenant, "gql">;

const inboxOf = async ({ gql }: Reader, args = "(first: 100)"): Promise<any[]> =>
  (await gql(`{ inbox${args} { nodes { ${ENTRY} } } }`)).inbox.nodes;

const UPDATE = `mutation ($ids: [String!]!, $input: InboxEntryUpdateInput!) {
  inboxEntryUpdate(ids: $ids, input: $input) { success } }`;
const marks = ({ gql }: Reader, ids: readonly string[], input: object) => gql(UPDATE, { ids, input });

/** A session of Claude Code that waits for a permission. */
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
  it("shows what a session asks as long as it asks, and where it runs", async () => {
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

  it("keeps for each user what they read, snoozed and are done with, and shows what comes back", async () => {
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
    const guest = await joined(tenant);
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

  it("refuses to mark what is not in it", async () => {
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

  it("is paged, the oldest first, and filtered by type", async () => {
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
