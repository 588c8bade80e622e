import { expect } from "chai";
import { call, freshOrganization } from "../support/server.ts";
import { closeSockets, listen, refusal } from "../support/stream/realtime.ts";
import { makeIssue, makeTeam, updateIssue } from "../support/tracker/stream-writes.ts";

describe("realtime", () => {
  after(closeSockets);

  it("sends a created issue with the envelope of the change", async () => {
    const tenant = await freshOrganization();
    const teamId = await makeTeam(tenant);
    const client = await listen(tenant.url, { token: tenant.apiKey });
    const { issue, lastSyncId } = await makeIssue(tenant, teamId, "Attributes");
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

  it("shows in updatedFrom what a field was before", async () => {
    const tenant = await freshOrganization();
    const { issue } = await makeIssue(tenant, await makeTeam(tenant), "Before");
    const client = await listen(tenant.url, { token: tenant.accessToken });
    await updateIssue(tenant, issue.id, { title: "After" });
    const [first] = await client.until((heard) => heard.length > 0);
    expect(first?.event).to.equal("issue.updated");
    expect(first?.envelope.updatedFrom).to.include({ title: "Before" });
    expect(first?.envelope.data.title).to.equal("After");
  });

  it("replays what was missed, in order, and goes on live, each change once", async () => {
    const tenant = await freshOrganization();
    const teamId = await makeTeam(tenant);
    const client = await listen(tenant.url, { token: tenant.apiKey, lastSyncId: "0" });
    const writing = Promise.all(Array.from({ length: 20 }, () => makeIssue(tenant, teamId)));
    const late = await listen(tenant.url, { token: tenant.apiKey, lastSyncId: 0 });
    const last = Math.max(...(await writing).map(({ lastSyncId }) => lastSyncId));
    for (const one of [client, late]) {
      const heard = await one.until((all) => all.at(-1)?.envelope.lastSyncId === last);
      expect(heard.map(({ envelope }) => envelope.lastSyncId)).to.deep.equal(
        Array.from({ length: last }, (_, at) => at + 1),
      );
    }
  });

  it("hears nothing of what was committed before it connected without lastSyncId", async () => {
    const tenant = await freshOrganization();
    const teamId = await makeTeam(tenant);
    await listen(tenant.url, { token: tenant.apiKey });
    await makeIssue(tenant, teamId, "Before");
    const client = await listen(tenant.url, { token: tenant.apiKey });
    await makeIssue(tenant, teamId, "After");
    const [first] = await client.until((heard) => heard.length > 0);
    expect(first?.envelope.data.title).to.equal("After");
  });

  it("serves long polling the same events, a burst in one payload", async () => {
    const tenant = await freshOrganization();
    const client = await listen(tenant.url, { token: tenant.apiKey, lastSyncId: 0 }, { transports: ["polling"] });
    await makeTeam(tenant, "Łódź \u2028 2");
    const heard = await client.until((all) => all.some(({ event }) => event === "team.created"));
    expect(heard.map(({ envelope }) => envelope.lastSyncId)).to.deep.equal(heard.map((_, at) => at + 1));
    expect(heard.find(({ event }) => event === "team.created")?.envelope.data.name).to.equal("Łódź \u2028 2");
  });

  it("carries events across the upgrade from polling to WebSocket", async () => {
    const tenant = await freshOrganization();
    const teamId = await makeTeam(tenant);
    const client = await listen(tenant.url, { token: tenant.apiKey }, { transports: ["polling", "websocket"] });
    const made = await Promise.all(Array.from({ length: 20 }, () => makeIssue(tenant, teamId)));
    const heard = await client.until((all) => all.length === 20);
    expect(heard.map(({ envelope }) => envelope.lastSyncId)).to.deep.equal(
      made.map(({ lastSyncId }) => lastSyncId).sort((one, other) => one - other),
    );
  });

  it("delivers an event larger than a frame's short lengths", async () => {
    const tenant = await freshOrganization();
    const { issue } = await makeIssue(tenant, await makeTeam(tenant));
    const client = await listen(tenant.url, { token: tenant.apiKey });
    const description = "é".repeat(60_000);
    await updateIssue(tenant, issue.id, { description });
    const [first] = await client.until((heard) => heard.length > 0);
    expect(first?.envelope.data.description).to.equal(description);
  });

  it("sends nothing of another organization", async () => {
    const [one, other] = await Promise.all([freshOrganization(), freshOrganization()]);
    const client = await listen(one.url, { token: one.apiKey });
    await makeTeam(other);
    await makeTeam(one, "Ours");
    const heard = await client.until((all) => all.some(({ envelope }) => envelope.data.name === "Ours"));
    expect(new Set(heard.map(({ envelope }) => envelope.organizationId))).to.deep.equal(new Set([one.organizationId]));
  });

  it("acknowledges a join of the organization's own room and refuses every other", async () => {
    const tenant = await freshOrganization();
    const { socket } = await listen(tenant.url, { token: tenant.apiKey });
    const own = `org:${tenant.organizationId}`;
    expect(await socket.emitWithAck("join", own)).to.deep.equal({ ok: true, room: own });
    expect(await socket.emitWithAck("join", "org:00000000-0000-4000-8000-000000000000")).to.include({ ok: false });
  });

  it("refuses a cursor that is none, and one beyond the log", async () => {
    const tenant = await freshOrganization();
    const bad = await refusal(tenant.url, { token: tenant.apiKey, lastSyncId: "soon" });
    expect(bad.data).to.deep.equal({ code: "INPUT_ERROR" });
    const gap = await refusal(tenant.url, { token: tenant.apiKey, lastSyncId: 1_000_000 });
    expect(gap.data).to.include({ code: "SYNC_GAP" });
    expect(gap.data?.["last"]).to.be.a("number");
  });

  it("refuses a missing, a malformed and an unknown token, and one without an organization", async () => {
    const tenant = await freshOrganization();
    const account = { email: `a-${tenant.email}`, password: "a password", name: "No Organization" };
    const signUp = await call(tenant.url, "POST", "/api/auth/signup", { body: account });
    for (const token of [undefined, 7, "", "trk_api_nonsense", `Bearer ${tenant.apiKey}`, tenant.ingestKey]) {
      expect((await refusal(tenant.url, { token })).data).to.deep.equal({ code: "AUTHENTICATION_ERROR" });
    }
    expect((await refusal(tenant.url, { token: signUp.body["accessToken"] })).data).to.deep.equal({
      code: "FORBIDDEN",
    });
  });
});
