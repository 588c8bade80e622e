import { createHmac } from "node:crypto";
import { LinearWebhookClient } from "@linear/sdk/webhooks";
import { expect } from "chai";
import { Webhook } from "standardwebhooks";
import { createOrganization, type RestReply, startSharedServer, type Tenant } from "../support/server.ts";
import { closeSockets, openSocket } from "../support/stream/realtime.ts";
import { closeReceivers, startReceiver } from "../support/stream/receiver.ts";
import { makeDeliveriesDue, readDeliveries, registerWebhook, waitForDeliveries } from "../support/stream/webhooks.ts";
import { createIssue, createTeam, updateIssue } from "../support/tracker/stream-writes.ts";

describe("webhooks", () => {
  let tenant: Tenant;
  let teamId: string;
  before(async () => {
    tenant = await createOrganization();
    teamId = await createTeam(tenant);
  });
  after(() => {
    closeReceivers();
    closeSockets();
  });

  it("deliver the envelope of a change with its headers", async () => {
    const receiver = await startReceiver();
    const webhook = await registerWebhook(tenant, receiver);
    const { issue, lastSyncId } = await createIssue(tenant, teamId, "Delivered");
    const [first] = await receiver.until((all) => all.length > 0);
    expect(first?.body).to.include({ action: "create", type: "Issue", webhookId: webhook.id, lastSyncId });
    expect(first?.body.data).to.include({ id: issue.id, title: "Delivered" });
    expect(first?.body.webhookTimestamp).to.be.within(Date.now() - 10_000, Date.now());
    expect(first?.body).to.not.have.property("updatedFrom");
    const [logged] = await waitForDeliveries(tenant, webhook, (all) => all[0]?.status === "delivered");
    expect(first?.headers).to.include({
      "tracker-event": "Issue",
      "tracker-delivery": logged?.id,
      "webhook-id": logged?.id,
    });
    for (const name of ["event", "delivery", "signature"]) {
      expect(first?.headers[`linear-${name}`]).to.equal(first?.headers[`tracker-${name}`]);
    }
  });

  it("are accepted by the stock verifiers, at the first attempt and at a retry", async () => {
    const receiver = await startReceiver([500]);
    const webhook = await registerWebhook(tenant, receiver);
    await createIssue(tenant, teamId);
    await waitForDeliveries(tenant, webhook, ([one]) => one?.attempts.length === 1);
    await makeDeliveriesDue(webhook);
    const received = await receiver.until((all) => all.length === 2);
    for (const { raw, headers } of received) {
      new Webhook(webhook.secret).verify(raw, headers);
      const linear = new LinearWebhookClient(webhook.secret);
      expect(linear.verify(Buffer.from(raw), headers["linear-signature"] ?? "")).to.equal(true);
      const hex = createHmac("sha256", webhook.secret).update(raw).digest("hex");
      expect(headers["tracker-signature"]).to.equal(hex);
    }
    expect(received[0]?.headers["tracker-delivery"]).to.equal(received[1]?.headers["tracker-delivery"]);
    expect(received[0]?.body.webhookTimestamp).to.be.below(received[1]?.body.webhookTimestamp);
  });

  it("sign with both secrets for a day after a rotation, and hex signatures with the new secret", async () => {
    const receiver = await startReceiver();
    const webhook = await registerWebhook(tenant, receiver);
    const { body } = await tenant.rest("POST", `/api/webhooks/${webhook.id}/rotate-secret`);
    await createIssue(tenant, teamId);
    const [first] = await receiver.until((all) => all.length > 0);
    const { raw = "", headers = {} } = first ?? {};
    for (const secret of [webhook.secret, String(body["secret"])]) new Webhook(secret).verify(raw, headers);
    const hex = createHmac("sha256", String(body["secret"])).update(raw).digest("hex");
    expect(headers["tracker-signature"]).to.equal(hex);
  });

  it("receive only changes of their team and their types", async () => {
    const [scoped, typed] = [await startReceiver(), await startReceiver()];
    const other = await createTeam(tenant, "Other");
    await registerWebhook(tenant, scoped, { teamId: other, resourceTypes: [] });
    await registerWebhook(tenant, typed, { resourceTypes: ["Team"] });
    await createIssue(tenant, teamId, "Elsewhere");
    await createIssue(tenant, other, "Here");
    await createTeam(tenant, "Third");
    const [told] = await scoped.until((all) => all.length > 0);
    const [team] = await typed.until((all) => all.length > 0);
    expect([told?.body.data.title, scoped.received.length]).to.deep.equal(["Here", 1]);
    expect([team?.body.type, team?.body.data.name, typed.received.length]).to.deep.equal(["Team", "Third", 1]);
  });

  it("contain updatedFrom for updates", async () => {
    const receiver = await startReceiver();
    const { issue } = await createIssue(tenant, teamId, "Before");
    await registerWebhook(tenant, receiver);
    await updateIssue(tenant, issue.id, { title: "After" });
    const [first] = await receiver.until((all) => all.length > 0);
    expect([first?.body.action, first?.body.updatedFrom.title]).to.deep.equal(["update", "Before"]);
  });

  it("log each attempt with its status or error, and wait between attempts", async () => {
    const receiver = await startReceiver([500, (response) => response.destroy(), 302]);
    const webhook = await registerWebhook(tenant, receiver);
    await createIssue(tenant, teamId);
    for (const count of [1, 2, 3]) {
      await waitForDeliveries(tenant, webhook, ([one]) => one?.attempts.length === count);
      await makeDeliveriesDue(webhook);
    }
    const [one] = await waitForDeliveries(tenant, webhook, ([first]) => first?.status === "delivered");
    expect(one?.attempts.map(({ status, error }) => [status, error])).to.deep.equal([
      [500, "answered 500"],
      [null, "the connection was closed before an answer"],
      [302, "answered 302; redirects are not followed"],
      [200, null],
    ]);
  });

  it("wait as long as Retry-After requests", async () => {
    const receiver = await startReceiver([(response) => response.writeHead(429, { "Retry-After": "3600" }).end()]);
    const webhook = await registerWebhook(tenant, receiver);
    await createIssue(tenant, teamId);
    await waitForDeliveries(tenant, webhook, ([one]) => one?.attempts.length === 1);
    const { db } = (await startSharedServer()).runtime;
    const text = `select "nextAttemptAt" as next from delivery where "targetId" = $1`;
    const [row] = await db.query<{ next: Date }>({ text, values: [webhook.id] });
    expect(row?.next.getTime()).to.be.within(Date.now() + 3_500_000, Date.now() + 4_400_000);
  });

  it("are disabled by a response 410, which realtime reports", async () => {
    const receiver = await startReceiver([410]);
    const client = await openSocket(tenant.url, { token: tenant.apiKey });
    const webhook = await registerWebhook(tenant, receiver, { label: "Gone" });
    await registerWebhook(tenant, await startReceiver([]));
    await createIssue(tenant, teamId);
    const heard = await client.until((all) => all.some(({ event }) => event === "webhook.disabled"));
    const notice = heard.find(({ event }) => event === "webhook.disabled")?.envelope;
    expect(notice).to.deep.include({ type: "Webhook", action: "update", actor: { type: "system" } });
    expect(notice.data).to.include({ id: webhook.id, label: "Gone", enabled: false });
    const [one] = await readDeliveries(tenant, webhook);
    expect([one?.status, one?.attempts.length]).to.deep.equal(["failed", 1]);
    const { db } = (await startSharedServer()).runtime;
    const text = `select 1 from delivery where "organizationId" = $1 and "lastSyncId" = $2`;
    expect(await db.query({ text, values: [tenant.organizationId, notice.lastSyncId] })).to.deep.equal([]);
  });

  it("are disabled after five days of failures only", async () => {
    const receiver = await startReceiver([500, 500]);
    const webhook = await registerWebhook(tenant, receiver);
    await createIssue(tenant, teamId);
    await waitForDeliveries(tenant, webhook, ([one]) => one?.attempts.length === 1);
    const { db } = (await startSharedServer()).runtime;
    const since = new Date(Date.now() - 5 * 24 * 3_600_000);
    await db.query({ text: `update webhook set "failingSince" = $2 where id = $1`, values: [webhook.id, since] });
    await makeDeliveriesDue(webhook);
    const enabled = async () =>
      ((await tenant.rest("GET", "/api/webhooks")).body["webhooks"] as { id: string; enabled: boolean }[]).find(
        ({ id }) => id === webhook.id,
      )?.enabled;
    while (await enabled()) await new Promise((resume) => setTimeout(resume, 25));
    expect(receiver.received.length).to.equal(2);
  });

  it("resend deliveries under the same id, singly or for a range of time", async () => {
    const receiver = await startReceiver();
    const webhook = await registerWebhook(tenant, receiver);
    await createIssue(tenant, teamId);
    await createIssue(tenant, teamId);
    const [one, two] = await waitForDeliveries(tenant, webhook, (all) =>
      all.every(({ status }) => status === "delivered"),
    );
    await tenant.rest("POST", `/api/webhooks/${webhook.id}/deliveries/${one?.id}/redeliver`);
    await receiver.until((all) => all.length === 3);
    await waitForDeliveries(tenant, webhook, (all) => all.every(({ status }) => status === "delivered"));
    const range = { from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 60_000) };
    const reply: RestReply = await tenant.rest("POST", `/api/webhooks/${webhook.id}/redeliver`, range);
    const all = await receiver.until(({ length }) => length === 5);
    expect([reply.status, reply.body]).to.deep.equal([202, { count: 2 }]);
    expect(new Set(all.map(({ headers }) => headers["tracker-delivery"]))).to.deep.equal(new Set([one?.id, two?.id]));
  });

  it("judge an endless response by its status after 64 KiB", async () => {
    const receiver = await startReceiver([
      (response) => {
        response.writeHead(200);
        const more = () => {
          while (response.write(Buffer.alloc(65_536)));
          response.once("drain", more);
        };
        more();
      },
    ]);
    const webhook = await registerWebhook(tenant, receiver);
    await createIssue(tenant, teamId);
    const [one] = await waitForDeliveries(tenant, webhook, ([first]) => first?.status === "delivered");
    expect(one?.attempts[0]).to.include({ status: 200, error: null });
  });

  it("receive nothing more once disabled or deleted", async () => {
    const receiver = await startReceiver([500]);
    const webhook = await registerWebhook(tenant, receiver);
    await createIssue(tenant, teamId);
    await waitForDeliveries(tenant, webhook, ([one]) => one?.attempts.length === 1);
    await tenant.rest("PATCH", `/api/webhooks/${webhook.id}`, { enabled: false });
    await makeDeliveriesDue(webhook);
    const [one] = await waitForDeliveries(tenant, webhook, ([first]) => first?.status === "failed");
    expect(one?.attempts.at(-1)).to.include({ status: null, error: "the target is disabled or deleted" });
    expect(receiver.received.length).to.equal(1);
  });
});
