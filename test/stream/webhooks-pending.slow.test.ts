import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import fc from "fast-check";
import type { App } from "../../server/app.ts";
import { computeAdditionalShare } from "../../server/stream/webhooks/claim.ts";
import { createDatabase } from "../support/db/postgres.ts";
import { closeOwnServers, createOrganization, startServer, startSharedServer, type Tenant } from "../support/server.ts";
import { closeReceivers, startReceiver } from "../support/stream/receiver.ts";
import { type RegisteredWebhook, registerWebhook } from "../support/stream/webhooks.ts";
import { createWorkspaceIn, type Workspace } from "../support/workspace.ts";

const silent = () => startReceiver(Array.from({ length: 5_000 }, () => () => {}));

const createIssues = ({ does, teamId }: Workspace, many: number) =>
  does("issueBatchCreate", { input: { issues: Array.from({ length: many }, () => ({ teamId, title: "Issue" })) } });

/** Returns the numbers of the changes for which a webhook has deliveries. */
async function numbersOf({ runtime }: App, space: Workspace, { id }: RegisteredWebhook, more = ""): Promise<number[]> {
  const text = `select "lastSyncId" as n from delivery where "organizationId" = $1 and "targetId" = $2 ${more} order by 1`;
  const rows = await runtime.db.query<{ n: number }>({ text, values: [space.organizationId, id] });
  return rows.map(({ n }) => Number(n));
}

/** Returns the numbers of all issue changes. */
async function changesOf({ runtime }: App, { organizationId }: Workspace): Promise<number[]> {
  const text = `select "lastSyncId" as n from change where "organizationId" = $1 and type = 'Issue' order by 1`;
  return (await runtime.db.query<{ n: number }>({ text, values: [organizationId] })).map(({ n }) => Number(n));
}

describe("pending deliveries", () => {
  after(closeReceivers);
  // Each server has separate database connections.
  afterEach(closeOwnServers);
  const db = async () => (await startSharedServer()).runtime.db;

  it("have a limit: above it a webhook is disabled and names its first missed change; others miss none", async () => {
    // Servers of one database share the limit. A separate database keeps other servers out.
    const own = process.env["TEST_DATABASE_URL"] ? await createDatabase() : undefined;
    const app = await startServer({ WEBHOOK_MAX_PENDING: "240", ...(own && { DATABASE_URL: own.url }) });
    const space = await createWorkspaceIn(await createOrganization(app));
    const [dead, well] = [
      await registerWebhook(space, await silent()),
      await registerWebhook(space, await startReceiver()),
    ];
    const hook = async ({ id }: RegisteredWebhook) => {
      const { webhooks } = (await space.rest("GET", "/api/webhooks")).body as { webhooks: any[] };
      return webhooks.find((one) => one.id === id);
    };
    const read = async <Row>(text: string, values: unknown[]) => app.runtime.db.query<Row>({ text, values });
    let batches = 0;
    for (; batches < 20 && (await hook(dead)).enabled; batches += 1) {
      await createIssues(space, 20);
      while ((await numbersOf(app, space, well, "and status = 'pending'")).length > 20) await sleep(20);
    }
    const changes = await changesOf(app, space);
    while ((await numbersOf(app, space, well)).length < changes.length) await sleep(20);
    const had = await numbersOf(app, space, dead);
    const missed = changes.find((n) => !had.includes(n));
    expect(had.length).to.be.within(100, 120);
    expect((await hook(dead)).error).to.contain(`The first change that it missed is ${missed ?? batches * 20 + 1}`);
    expect(await numbersOf(app, space, well)).to.deep.equal(changes);
    const [entry] = await read<{ detail: any }>(
      `select detail from audit where "organizationId" = $1 and event = 'webhook.disabled'`,
      [space.organizationId],
    );
    expect(entry?.detail).to.deep.include({ id: dead.id, reason: (await hook(dead)).error });
    await space.rest("PATCH", `/api/webhooks/${dead.id}`, { enabled: true });
    expect(await hook(dead)).to.deep.include({ enabled: true, error: null });
    await closeOwnServers();
    await own?.drop();
  });

  it("are written later if changes come too fast to count, each once, by any number of servers", async () => {
    const apps = [
      await startSharedServer(),
      ...(process.env["TEST_DATABASE_URL"] ? [await startServer(), await startServer()] : []),
    ];
    const [app] = apps as [App];
    const space = await createWorkspaceIn(await createOrganization(app));
    const webhook = await registerWebhook(space, await startReceiver());
    await Promise.all(Array.from({ length: 8 }, () => createIssues(space, 40)));
    const changes = await changesOf(app, space);
    expect(changes.length).to.equal(320);
    while ((await numbersOf(app, space, webhook)).length < changes.length) await sleep(20);
    await sleep(300);
    expect(await numbersOf(app, space, webhook)).to.deep.equal(changes);
  });

  it("leave each organization its share of the connections", async () => {
    const [flood, victim] = [
      await createWorkspaceIn(await createOrganization()),
      await createWorkspaceIn(await createOrganization()),
    ];
    const [nowhere, here] = [await silent(), await startReceiver()];
    await Promise.all(Array.from({ length: 60 }, () => registerWebhook(flood, nowhere)));
    await registerWebhook(victim, here);
    const issues = Array.from({ length: 10 }, (_, n) => ({ teamId: flood.teamId, title: `Issue ${n}` }));
    await flood.does("issueBatchCreate", { input: { issues } });
    await nowhere.until((all) => all.length >= 30);
    const begun = performance.now();
    await victim.issue();
    await here.until((all) => all.length > 0);
    expect(performance.now() - begun).to.be.below(5_000);
    expect(nowhere.received.length).to.be.below(64);
  });

  it("cost the writer points", async () => {
    const space = await createWorkspaceIn(await createOrganization());
    const cost = async () => {
      const query = `mutation { issueCreate(input: { teamId: "${space.teamId}", title: "x" }) { success } }`;
      const headers = { authorization: space.apiKey, "content-type": "application/json" };
      const reply = await fetch(`${space.url}/graphql`, { method: "POST", headers, body: JSON.stringify({ query }) });
      return Number(reply.headers.get("x-complexity"));
    };
    const without = await cost();
    const receiver = await startReceiver();
    for (let n = 0; n < 7; n += 1) await registerWebhook(space, receiver);
    expect(await cost()).to.equal(without + 70);
  });

  const fill = async ({ organizationId }: Tenant, targetId: string, many: number) =>
    (await db()).query({
      text: `insert into delivery (id, "organizationId", "targetId", notices, "nextAttemptAt", "createdAt")
        select gen_random_uuid(), $1, $2, '{}', now() + interval '1 hour', now() from generate_series(1, $3)`,
      values: [organizationId, targetId, many],
    });

  it("of the audit log have a limit: later entries are not sent, and the webhook reports it", async () => {
    const tenant = await createOrganization();
    const { id } = await registerWebhook(tenant, await startReceiver(), { resourceTypes: ["AuditEntry"] });
    await fill(tenant, id, 9_999);
    await tenant.rest("POST", "/api/ingest-keys", { name: randomUUID() });
    const { webhooks } = (await tenant.rest("GET", "/api/webhooks")).body as { webhooks: any[] };
    expect(webhooks[0].enabled).to.equal(false);
    const [last] = await (await db()).query<{ id: string }>({
      text: `select "auditId" as id from delivery where "targetId" = $1 and "auditId" is not null order by "createdAt" desc, "auditId" desc limit 1`,
      values: [id],
    });
    expect(webhooks[0].error).to.contain(`the entries of the audit after ${last?.id} were not sent`);
  });

  it("of a notice rule have a limit, which also applies to tests of the rule", async () => {
    const space = await createWorkspaceIn(await createOrganization());
    const input = { name: "x", condition: "leaseExpired", channel: "slack", url: "http://127.0.0.1:9/" };
    const { noticeRule } = await space.does("noticeRuleCreate", { input }, "noticeRule { id }");
    await fill(space, noticeRule.id, 1_000);
    const { errors } = await space.graphql(`mutation { noticeRuleTest(id: "${noticeRule.id}") { success } }`);
    expect(errors?.[0]?.extensions.code).to.equal("CONFLICT");
  });

  it("are claimed so that every organization gets a connection while one is free, and none takes all", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(11), { maxLength: 400 }), (claims) => {
        const held = new Map<number, number>();
        let free = 128;
        for (const organization of claims) {
          const own = held.get(organization) ?? 0;
          const share = computeAdditionalShare(free, own);
          expect(share).to.be.at.most(free);
          if (own === 0 && free > 0) expect(share).to.be.at.least(1);
          if (share <= 0) continue;
          held.set(organization, own + share);
          free -= share;
          expect(own + share).to.be.at.most(Math.max(1, free / 2));
        }
        expect(free).to.be.at.least(1);
      }),
    );
  });
});
