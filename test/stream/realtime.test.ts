import { expect } from "chai";
import { callRestApi, createOrganization } from "../support/server.ts";
import { closeSockets, expectSocketRefusal, openSocket } from "../support/stream/realtime.ts";
import { createIssue, createTeam, updateIssue } from "../support/tracker/stream-writes.ts";

describe("realtime", () => {
  after(closeSockets);

  it("sends a created issue in the envelope of a change", async () => {
    const tenant = await createOrganization();
    const teamId = await createTeam(tenant);
    const client = await openSocket(tenant.url, { token: tenant.apiKey });
    const { issue, lastSyncId } = await createIssue(tenant, teamId, "Attributes");
    const [first] = await client.until((heard) => heard.length > 0);
    expect(first?.event).to.equal("issue.created");
    expect(first?.envelope).to.include({
      action: "create",
      type: "Issue",
      organizationId: tenant.organizationId,
      lastSyncId,
    });
    expect(first?.envelope.actor).to.include({ type: "user", email: tenant.email });
    expect(first?.envelope.data).to.include({ id: issue.id, title: "Attributes", teamId });
    expect(first?.envelope.url).to.contain(`/${tenant.urlKey}/issue/${issue.identifier}/attributes`);
    expect(first?.envelope).to.not.have.any.keys("updatedFrom", "webhookId", "webhookTimestamp");
  });

  it("sends the previous value of a field in updatedFrom", async () => {
    const tenant = await createOrganization();
    const { issue } = await createIssue(tenant, await createTeam(tenant), "Before");
    const client = await openSocket(tenant.url, { token: tenant.accessToken });
    await updateIssue(tenant, issue.id, { title: "After" });
    const [first] = await client.until((heard) => heard.length > 0);
    expect(first?.event).to.equal("issue.updated");
    expect(first?.envelope.updatedFrom).to.include({ title: "Before" });
    expect(first?.envelope.data.title).to.equal("After");
  });

  it("replays missed changes in order and continues live, each change once", async () => {
    const tenant = await createOrganization();
    const teamId = await createTeam(tenant);
    const client = await openSocket(tenant.url, { token: tenant.apiKey, lastSyncId: "0" });
    const writing = Promise.all(Array.from({ length: 20 }, () => createIssue(tenant, teamId)));
    const late = await openSocket(tenant.url, { token: tenant.apiKey, lastSyncId: 0 });
    const last = Math.max(...(await writing).map(({ lastSyncId }) => lastSyncId));
    for (const one of [client, late]) {
      const heard = await one.until((all) => all.at(-1)?.envelope.lastSyncId === last);
      expect(heard.map(({ envelope }) => envelope.lastSyncId)).to.deep.equal(
        Array.from({ length: last }, (_, at) => at + 1),
      );
    }
  });

  it("sends no changes from before the connection without lastSyncId", async () => {
    const tenant = await createOrganization();
    const teamId = await createTeam(tenant);
    await openSocket(tenant.url, { token: tenant.apiKey });
    await createIssue(tenant, teamId, "Before");
    const client = await openSocket(tenant.url, { token: tenant.apiKey });
    await createIssue(tenant, teamId, "After");
    const [first] = await client.until((heard) => heard.length > 0);
    expect(first?.envelope.data.title).to.equal("After");
  });

  it("serves long polling the same events, a burst in one payload", async () => {
    const tenant = await createOrganization();
    const client = await openSocket(tenant.url, { token: tenant.apiKey, lastSyncId: 0 }, { transports: ["polling"] });
    await createTeam(tenant, "Łódź \u2028 2");
    const heard = await client.until((all) => all.some(({ event }) => event === "team.created"));
    expect(heard.map(({ envelope }) => envelope.lastSyncId)).to.deep.equal(heard.map((_, at) => at + 1));
    expect(heard.find(({ event }) => event === "team.created")?.envelope.data.name).to.equal("Łódź \u2028 2");
  });

  it("sends events across the upgrade from polling to WebSocket", async () => {
    const tenant = await createOrganization();
    const teamId = await createTeam(tenant);
    const client = await openSocket(tenant.url, { token: tenant.apiKey }, { transports: ["polling", "websocket"] });
    const made = await Promise.all(Array.from({ length: 20 }, () => createIssue(tenant, teamId)));
    const heard = await client.until((all) => all.length === 20);
    expect(heard.map(({ envelope }) => envelope.lastSyncId)).to.deep.equal(
      made.map(({ lastSyncId }) => lastSyncId).sort((one, other) => one - other),
    );
  });

  it("sends an event larger than a short frame", async () => {
    const tenant = await createOrganization();
    const { issue } = await createIssue(tenant, await createTeam(tenant));
    const client = await openSocket(tenant.url, { token: tenant.apiKey });
    const description = "é".repeat(60_000);
    await updateIssue(tenant, issue.id, { description });
    const [first] = await client.until((heard) => heard.length > 0);
    expect(first?.envelope.data.description).to.equal(description);
  });

  it("sends nothing of another organization", async () => {
    const [one, other] = await Promise.all([createOrganization(), createOrganization()]);
    const client = await openSocket(one.url, { token: one.apiKey });
    await createTeam(other);
    await createTeam(one, "Ours");
    const heard = await client.until((all) => all.some(({ envelope }) => envelope.data.name === "Ours"));
    expect(new Set(heard.map(({ envelope }) => envelope.organizationId))).to.deep.equal(new Set([one.organizationId]));
  });

  it("acknowledges a join of the organization's own room, and refuses every other room", async () => {
    const tenant = await createOrganization();
    const { socket } = await openSocket(tenant.url, { token: tenant.apiKey });
    const own = `org:${tenant.organizationId}`;
    expect(await socket.emitWithAck("join", own)).to.deep.equal({ ok: true, room: own });
    expect(await socket.emitWithAck("join", "org:00000000-0000-4000-8000-000000000000")).to.include({ ok: false });
  });

  it("refuses an invalid cursor, and a cursor beyond the log", async () => {
    const tenant = await createOrganization();
    const bad = await expectSocketRefusal(tenant.url, { token: tenant.apiKey, lastSyncId: "soon" });
    expect(bad.data).to.deep.equal({ code: "INPUT_ERROR" });
    const gap = await expectSocketRefusal(tenant.url, { token: tenant.apiKey, lastSyncId: 1_000_000 });
    expect(gap.data).to.include({ code: "SYNC_GAP" });
    expect(gap.data?.["last"]).to.be.a("number");
  });

  it("refuses a missing, malformed or unknown token, and a token without an organization", async () => {
    const tenant = await createOrganization();
    const account = { email: `a-${tenant.email}`, password: "a password", name: "No Organization" };
    const signUp = await callRestApi(tenant.url, "POST", "/api/auth/signup", { body: account });
    for (const token of [undefined, 7, "", "trk_api_nonsense", `Bearer ${tenant.apiKey}`, tenant.ingestKey]) {
      expect((await expectSocketRefusal(tenant.url, { token })).data).to.deep.equal({ code: "AUTHENTICATION_ERROR" });
    }
    expect((await expectSocketRefusal(tenant.url, { token: signUp.body["accessToken"] })).data).to.deep.equal({
      code: "FORBIDDEN",
    });
  });
});
