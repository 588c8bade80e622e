import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { Webhook } from "standardwebhooks";
import { flushReads } from "../../server/accounts/recorded-reads.ts";
import { joined } from "../support/members.ts";
import { record } from "../support/recording/recordings.ts";
import { call, freshOrganization, sharedServer, type Tenant } from "../support/server.ts";
import { closeReceivers, type Received, startReceiver } from "../support/stream/receiver.ts";
import { hurry, register, settled } from "../support/stream/webhooks.ts";
import { freshWorkspace } from "../support/workspace.ts";

const AUDIT = { resourceTypes: ["AuditEntry"] };

const eventsOf = (received: readonly Received[]): string[] => received.map(({ body }) => body.data.event);

/** Makes ingest keys: an entry of the audit each. Answers their names. */
async function makeKeys(tenant: Tenant, ...names: string[]): Promise<string[]> {
  for (const name of names) await tenant.rest("POST", "/api/ingest-keys", { name });
  return names;
}

const namesOf = (received: readonly Received[]): unknown[] =>
  received.flatMap(({ body }) => body.data.detail.name ?? []);

describe("webhooks of the audit", () => {
  after(closeReceivers);

  it("receive what people did, signed and in order, and nothing of another organization", async () => {
    const [space, other, receiver] = [await freshWorkspace(), await freshOrganization(), await startReceiver()];
    const { runtime } = await sharedServer();
    const member = await joined(space);
    const [sessionId, userId] = [randomUUID(), randomUUID()];
    const session = { session_id: sessionId, user_data: { user_id: userId } };
    await record(space, { path: "/api/v1/capture-session", body: session });
    const deletions = await startReceiver();
    await register(space, deletions, { resourceTypes: ["RecordedSession", "RecordedUser"] });
    const webhook = await register(space, receiver, AUDIT);
    const { email, password } = member;
    const signedIn = await call(space.url, "POST", "/api/auth/login", { body: { email, password } });
    expect(signedIn.status).to.equal(200);
    await space.gql(`{ recordedSession(id: "${sessionId}") { id } }`);
    await flushReads(runtime.db);
    await space.gql(`{ recordedUserExport(id: "${userId}") { endCursor } }`);
    await flushReads(runtime.db);
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

  it("hold later entries up until one that failed has arrived", async () => {
    const [tenant, receiver] = [await freshOrganization(), await startReceiver([200, 500])];
    const webhook = await register(tenant, receiver, AUDIT);
    const names = await makeKeys(tenant, "one", "two", "three");
    await settled(tenant, webhook, (all) =>
      all.some(({ attempts, status }) => attempts.length && status === "pending"),
    );
    // The server has polled meanwhile, and the others are due.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(namesOf(receiver.received)).to.deep.equal(["one"]);
    await hurry(webhook);
    expect(namesOf(await receiver.until(({ length }) => length === 5))).to.deep.equal(["one", ...names]);
    const log = await settled(tenant, webhook, (all) => all.every(({ status }) => status === "delivered"));
    expect(new Set(log.map(({ type, action }) => `${type} ${action}`))).to.deep.equal(new Set(["AuditEntry create"]));
  });

  it("are separate from those of changes, and for owners alone", async () => {
    const [space, changes, audit] = [await freshWorkspace(), await startReceiver(), await startReceiver()];
    const [all, webhook] = [await register(space, changes, { resourceTypes: [] }), await register(space, audit, AUDIT)];
    await makeKeys(space, "mine");
    await space.issue();
    await changes.until(({ length }) => length > 0);
    await audit.until(({ length }) => length > 1);
    expect(changes.received.map(({ body }) => body.type)).not.to.include("AuditEntry");
    expect(new Set(audit.received.map(({ body }) => body.type))).to.deep.equal(new Set(["AuditEntry"]));
    const mixed = { target: audit.url, resourceTypes: ["AuditEntry", "Issue"] };
    expect((await space.rest("POST", "/api/webhooks", mixed)).status).to.equal(400);
    const member = await joined(space);
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
    const { body } = await call(space.url, "POST", "/graphql", { body: create, headers });
    expect(JSON.stringify(body)).to.contain("FORBIDDEN");
    const log = (await space.log()).map(({ type }) => type);
    expect(log).not.to.include("AuditEntry");
  });

  it("end a delivery whose entry is no longer kept", async () => {
    const [tenant, receiver] = [await freshOrganization(), await startReceiver([200, 500])];
    const { db } = (await sharedServer()).runtime;
    const webhook = await register(tenant, receiver, AUDIT);
    await makeKeys(tenant, "one");
    await settled(tenant, webhook, (all) =>
      all.some(({ attempts, status }) => attempts.length && status === "pending"),
    );
    const text = `delete from audit where "organizationId" = $1 and event = 'ingestKey.created'`;
    await db.query({ text, values: [tenant.organizationId] });
    await hurry(webhook);
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
