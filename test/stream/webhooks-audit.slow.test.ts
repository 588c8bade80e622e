import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { Webhook } from "standardwebhooks";
import { flushRecordedReadAudits } from "../../server/accounts/recorded-reads.ts";
import { inviteGuest } from "../support/members.ts";
import { sendRecording } from "../support/recording/recordings.ts";
import { callRestApi, createOrganization, startSharedServer, type Tenant } from "../support/server.ts";
import { closeReceivers, type ReceivedDelivery, startReceiver } from "../support/stream/receiver.ts";
import { makeDeliveriesDue, registerWebhook, waitForDeliveries } from "../support/stream/webhooks.ts";
import { createWorkspace } from "../support/workspace.ts";

const AUDIT = { resourceTypes: ["AuditEntry"] };

const eventsOf = (received: readonly ReceivedDelivery[]): string[] => received.map(({ body }) => body.data.event);

/** Creates ingest keys, each with an audit entry. Returns the names. */
async function makeKeys(tenant: Tenant, ...names: string[]): Promise<string[]> {
  for (const name of names) await tenant.rest("POST", "/api/ingest-keys", { name });
  return names;
}

const namesOf = (received: readonly ReceivedDelivery[]): unknown[] =>
  received.flatMap(({ body }) => body.data.detail.name ?? []);

describe("webhooks of the audit log", () => {
  after(closeReceivers);

  it("receive actions of people, signed and in order, and nothing of another organization", async () => {
    const [space, other, receiver] = [await createWorkspace(), await createOrganization(), await startReceiver()];
    const { runtime } = await startSharedServer();
    const member = await inviteGuest(space);
    const [sessionId, userId] = [randomUUID(), randomUUID()];
    const session = { session_id: sessionId, user_data: { user_id: userId } };
    await sendRecording(space, { path: "/api/v1/capture-session", body: session });
    const deletions = await startReceiver();
    await registerWebhook(space, deletions, { resourceTypes: ["RecordedSession", "RecordedUser"] });
    const webhook = await registerWebhook(space, receiver, AUDIT);
    const { email, password } = member;
    const signedIn = await callRestApi(space.url, "POST", "/api/auth/login", { body: { email, password } });
    expect(signedIn.status).to.equal(200);
    await space.gql(`{ recordedSession(id: "${sessionId}") { id } }`);
    await flushRecordedReadAudits(runtime.db);
    await space.gql(`{ recordedUserExport(id: "${userId}") { endCursor } }`);
    await flushRecordedReadAudits(runtime.db);
    await space.does("recordedUserDelete", { id: userId });
    await space.does("organizationUpdate", { input: { redactionEntropy: true } });
    await space.rest("PATCH", `/api/members/${member.id}`, { role: "owner" });
    await makeKeys(other, "not yours");
    const expected = ["webhook.created", "login.began", "recording.read", "recordedUser.exported"];
    expected.push("recordedUser.deleted", "organization.redaction", "member.role");
    const received = await receiver.until(({ length }) => length >= expected.length);
    expect(eventsOf(received)).to.deep.equal(expected);
    const removed = await deletions.until(({ length }) => length === 2);
    expect(removed.map(({ body: { action, type } }) => `${action} ${type}`)).to.have.members([
      "remove RecordedSession",
      "remove RecordedUser",
    ]);
    for (const { raw, body } of removed) {
      expect(Object.keys(body.data)).to.deep.equal(["id"]);
      expect(raw).not.to.contain(userId);
    }
    for (const { raw, headers, body } of received) {
      new Webhook(webhook.secret).verify(raw, headers);
      expect(headers["tracker-event"]).to.equal("AuditEntry");
      expect(body).to.include({ type: "AuditEntry", action: "create", organizationId: space.organizationId });
      expect(body).not.to.have.property("lastSyncId");
      expect(raw).not.to.contain(userId);
    }
    expect(received[1]?.body.actor).to.include({ type: "user", id: member.id, name: "Mona Member", email });
    expect(received[2]?.body.data.detail).to.deep.equal({ sessionId });
    expect(received[6]?.body.actor).to.include({ name: space.name });
    const { body } = await space.rest("GET", "/api/audit?limit=250");
    const ids = (body["entries"] as { id: string }[]).map(({ id }) => id);
    expect(ids).to.include.members(received.map(({ body: { data } }) => data.id));
  });

  it("delay later entries until a failed entry has arrived", async () => {
    const [tenant, receiver] = [await createOrganization(), await startReceiver([200, 500])];
    const webhook = await registerWebhook(tenant, receiver, AUDIT);
    const names = await makeKeys(tenant, "one", "two", "three");
    await waitForDeliveries(tenant, webhook, (all) =>
      all.some(({ attempts, status }) => attempts.length && status === "pending"),
    );
    // By now the server has polled, and the remaining deliveries are due.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(namesOf(receiver.received)).to.deep.equal(["one"]);
    await makeDeliveriesDue(webhook);
    expect(namesOf(await receiver.until(({ length }) => length === 5))).to.deep.equal(["one", ...names]);
    const log = await waitForDeliveries(tenant, webhook, (all) => all.every(({ status }) => status === "delivered"));
    expect(new Set(log.map(({ type, action }) => `${type} ${action}`))).to.deep.equal(new Set(["AuditEntry create"]));
  });

  it("are separate from webhooks of changes, and only for owners", async () => {
    const [space, changes, audit] = [await createWorkspace(), await startReceiver(), await startReceiver()];
    const [all, webhook] = [
      await registerWebhook(space, changes, { resourceTypes: [] }),
      await registerWebhook(space, audit, AUDIT),
    ];
    await makeKeys(space, "mine");
    await space.issue();
    await changes.until(({ length }) => length > 0);
    await audit.until(({ length }) => length > 1);
    expect(changes.received.map(({ body }) => body.type)).not.to.include("AuditEntry");
    expect(new Set(audit.received.map(({ body }) => body.type))).to.deep.equal(new Set(["AuditEntry"]));
    const mixed = { target: audit.url, resourceTypes: ["AuditEntry", "Issue"] };
    expect((await space.rest("POST", "/api/webhooks", mixed)).status).to.equal(400);
    const member = await inviteGuest(space);
    const headers = { Authorization: `Bearer ${member.accessToken}` };
    const create = {
      query: `mutation { webhookCreate(input: { url: "${audit.url}", resourceTypes: ["AuditEntry"] }) { success } }`,
    };
    const answers = [
      await member.rest("POST", "/api/webhooks", { target: audit.url, ...AUDIT }),
      await member.rest("PATCH", `/api/webhooks/${all.id}`, AUDIT),
      await member.rest("GET", `/api/webhooks/${webhook.id}/deliveries`),
    ];
    expect(answers.map(({ status }) => status)).to.deep.equal([403, 403, 403]);
    const { body } = await callRestApi(space.url, "POST", "/graphql", { body: create, headers });
    expect(JSON.stringify(body)).to.contain("FORBIDDEN");
    const log = (await space.log()).map(({ type }) => type);
    expect(log).not.to.include("AuditEntry");
  });

  it("end a delivery whose entry is no longer stored", async () => {
    const [tenant, receiver] = [await createOrganization(), await startReceiver([200, 500])];
    const { db } = (await startSharedServer()).runtime;
    const webhook = await registerWebhook(tenant, receiver, AUDIT);
    await makeKeys(tenant, "one");
    await waitForDeliveries(tenant, webhook, (all) =>
      all.some(({ attempts, status }) => attempts.length && status === "pending"),
    );
    const text = `delete from audit where "organizationId" = $1 and event = 'ingestKey.created'`;
    await db.query({ text, values: [tenant.organizationId] });
    await makeDeliveriesDue(webhook);
    const status = `select status, attempts from delivery where "organizationId" = $1 order by "createdAt" desc limit 1`;
    for (;;) {
      const [last] = await db.query<any>({ text: status, values: [tenant.organizationId] });
      if (last.status === "failed") {
        expect(last.attempts.at(-1).error).to.equal("its content is no longer kept");
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  });
});
