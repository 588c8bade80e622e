import { randomUUID } from "node:crypto";
import { expect } from "chai";
import fc from "fast-check";
import { shareOf } from "../../server/stream/webhooks/claim.ts";
import { closeOwnServers, freshOrganization, sharedServer, startServer, type Tenant } from "../support/server.ts";
import { closeReceivers, startReceiver } from "../support/stream/receiver.ts";
import { type Registered, register } from "../support/stream/webhooks.ts";
import { workspaceOf } from "../support/workspace.ts";

const silent = () => startReceiver(Array.from({ length: 5_000 }, () => () => {}));

describe("deliveries that wait", function () {
  this.timeout(90_000);
  after(async () => {
    closeReceivers();
    await closeOwnServers();
  });
  const db = async () => (await sharedServer()).runtime.db;

  it("have a limit: above it a webhook is disabled and names the first change it missed; others miss none", async () => {
    const app = await startServer({ WEBHOOK_MAX_PENDING: "600" });
    const space = await workspaceOf(await freshOrganization(app));
    const [dead, well] = [await register(space, await silent()), await register(space, await startReceiver())];
    const titles = Array.from({ length: 50 }, (_, n) => ({ teamId: space.teamId, title: `Issue ${n}` }));
    for (let batch = 0; batch < 10; batch += 1) await space.does("issueBatchCreate", { input: { issues: titles } });
    const hook = async ({ id }: Registered) => {
      const { webhooks } = (await space.rest("GET", "/api/webhooks")).body as { webhooks: any[] };
      return webhooks.find((one) => one.id === id);
    };
    const read = async <Row>(text: string, values: unknown[]) => app.runtime.db.query<Row>({ text, values });
    const numbers = async ({ id }: Registered) =>
      (
        await read<{ n: number }>(
          `select "lastSyncId" as n from delivery where "organizationId" = $1 and "targetId" = $2 order by 1`,
          [space.organizationId, id],
        )
      ).map(({ n }) => Number(n));
    const changes = (
      await read<{ n: number }>(
        `select "lastSyncId" as n from change where "organizationId" = $1 and type = 'Issue' order by 1`,
        [space.organizationId],
      )
    ).map(({ n }) => Number(n));
    while ((await hook(dead)).enabled || (await numbers(well)).length < changes.length)
      await new Promise((resume) => setTimeout(resume, 50));
    const had = await numbers(dead);
    const missed = changes.find((n) => !had.includes(n));
    expect(had.length).to.be.within(300, 400);
    expect((await hook(dead)).error).to.contain(`The first change that it missed is ${missed}:`);
    expect(await numbers(well)).to.deep.equal(changes);
    const [entry] = await read<{ detail: any }>(
      `select detail from audit where "organizationId" = $1 and event = 'webhook.disabled'`,
      [space.organizationId],
    );
    expect(entry?.detail).to.deep.include({ id: dead.id, reason: (await hook(dead)).error });
    await space.rest("PATCH", `/api/webhooks/${dead.id}`, { enabled: true });
    expect(await hook(dead)).to.deep.include({ enabled: true, error: null });
  });

  it("leave each organization its share of the connections", async () => {
    const [flood, victim] = [await workspaceOf(await freshOrganization()), await workspaceOf(await freshOrganization())];
    const [nowhere, here] = [await silent(), await startReceiver()];
    await Promise.all(Array.from({ length: 60 }, () => register(flood, nowhere)));
    await register(victim, here);
    const issues = Array.from({ length: 10 }, (_, n) => ({ teamId: flood.teamId, title: `Issue ${n}` }));
    await flood.does("issueBatchCreate", { input: { issues } });
    await nowhere.until((all) => all.length >= 30);
    const begun = performance.now();
    await victim.issue();
    await here.until((all) => all.length > 0);
    expect(performance.now() - begun).to.be.below(5_000);
    expect(nowhere.received.length).to.be.below(64);
  });

  it("cost their writer points", async () => {
    const space = await workspaceOf(await freshOrganization());
    const cost = async () => {
      const query = `mutation { issueCreate(input: { teamId: "${space.teamId}", title: "x" }) { success } }`;
      const headers = { authorization: space.apiKey, "content-type": "application/json" };
      const reply = await fetch(`${space.url}/graphql`, { method: "POST", headers, body: JSON.stringify({ query }) });
      return Number(reply.headers.get("x-complexity"));
    };
    const without = await cost();
    const receiver = await startReceiver();
    for (let n = 0; n < 7; n += 1) await register(space, receiver);
    expect(await cost()).to.equal(without + 70);
  });

  const fill = async ({ organizationId }: Tenant, targetId: string, many: number) =>
    (await db()).query({
      text: `insert into delivery (id, "organizationId", "targetId", notices, "nextAttemptAt", "createdAt")
        select gen_random_uuid(), $1, $2, '{}', now() + interval '1 hour', now() from generate_series(1, $3)`,
      values: [organizationId, targetId, many],
    });

  it("of the audit have one too: the entries from then on are not sent, and their webhook says so", async () => {
    const tenant = await freshOrganization();
    const { id } = await register(tenant, await startReceiver(), { resourceTypes: ["AuditEntry"] });
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

  it("of a notice rule have one too: no test adds to it", async () => {
    const space = await workspaceOf(await freshOrganization());
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
          const share = shareOf(free, own);
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
