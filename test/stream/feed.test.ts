import { expect } from "chai";
import { removeOldChanges, removeOldDeliveries } from "../../server/jobs/streams.ts";
import { createOrganization, startServer, startSharedServer, type Tenant } from "../support/server.ts";
import { closeSockets, expectSocketRefusal, openSocket, type RealtimeListener } from "../support/stream/realtime.ts";
import { closeReceivers, startReceiver } from "../support/stream/receiver.ts";
import { readDeliveries, registerWebhook, waitForDeliveries } from "../support/stream/webhooks.ts";
import { createIssue, createTeam } from "../support/tracker/stream-writes.ts";

const DAY_MS = 24 * 3_600_000;

const numbers = ({ heard }: RealtimeListener) => heard.map(({ envelope }) => envelope.lastSyncId);

/** Reads the entire change log with the query `changes`, page by page. */
async function wholeLog({ gql }: Tenant, after = 0): Promise<number[]> {
  const query = `query ($after: SyncCursor) { changes(after: $after, first: 100) { nodes { lastSyncId } pageInfo { hasNextPage endCursor } } }`;
  const { changes } = await gql(query, { after });
  const here = changes.nodes.map(({ lastSyncId }: { lastSyncId: number }) => lastSyncId);
  return changes.pageInfo.hasNextPage ? [...here, ...(await wholeLog({ gql } as Tenant, here.at(-1)))] : here;
}

const run = async (text: string, values: unknown[]) => (await startSharedServer()).runtime.db.query({ text, values });

describe("followers of the change log", () => {
  after(() => {
    closeSockets();
    closeReceivers();
  });

  it("receive the complete log by realtime, query and webhook, under concurrent writers", async () => {
    const tenant = await createOrganization();
    const receiver = await startReceiver();
    await registerWebhook(tenant, receiver, { resourceTypes: [] });
    const client = await openSocket(tenant.url, { token: tenant.apiKey });
    const teamId = await createTeam(tenant);
    await Promise.all(Array.from({ length: 30 }, (_, at) => createIssue(tenant, teamId, `Issue ${at}`)));
    const log = await wholeLog(tenant);
    await client.until((heard) => heard.length >= log.length - (numbers(client)[0] ?? 1) + 1);
    const told = await receiver.until(
      (all) => new Set(all.map(({ body }) => body.lastSyncId)).size === numbers(client).length,
    );
    expect(log).to.deep.equal(log.map((_, at) => at + 1));
    expect(numbers(client)).to.deep.equal(log.filter((number) => number >= (numbers(client)[0] ?? 0)));
    expect(new Set(told.map(({ body }) => body.lastSyncId))).to.deep.equal(new Set(numbers(client)));
  });

  it("get a sync gap when retention removed changes that they missed", async () => {
    const tenant = await createOrganization();
    await createTeam(tenant);
    const { db } = (await startSharedServer()).runtime;
    const { organizationId } = tenant;
    const old = `update change set "createdAt" = $2 where "organizationId" = $1 and "lastSyncId" <= 3`;
    await run(old, [organizationId, new Date(Date.now() - 91 * DAY_MS)]);
    await removeOldChanges(db, 90);
    const { data } = await expectSocketRefusal(tenant.url, { token: tenant.apiKey, lastSyncId: 2 });
    expect(data).to.include({ code: "SYNC_GAP", oldest: 4 });
    const client = await openSocket(tenant.url, { token: tenant.apiKey, lastSyncId: 3 });
    await client.until((heard) => heard.at(-1)?.envelope.lastSyncId === data?.["last"]);
    expect(numbers(client)[0]).to.equal(4);
  });

  it("are disconnected when a restored backup shortens the log, and then get a sync gap", async () => {
    const tenant = await createOrganization();
    const { lastSyncId } = await createIssue(tenant, await createTeam(tenant));
    const client = await openSocket(tenant.url, { token: tenant.apiKey, lastSyncId: 0 });
    await client.until((heard) => heard.at(-1)?.envelope.lastSyncId === lastSyncId);
    const ended = client.next("disconnect");
    await run(`update sync set "lastSyncId" = 2 where "organizationId" = $1`, [tenant.organizationId]);
    expect((await ended)[1].context.code).to.equal(4409);
    const { data } = await expectSocketRefusal(tenant.url, { token: tenant.apiKey, lastSyncId });
    expect(data).to.deep.equal({ code: "SYNC_GAP", oldest: 0, last: 2 });
  });

  it("lose only deliveries older than 30 days", async () => {
    const tenant = await createOrganization();
    const teamId = await createTeam(tenant);
    const webhook = await registerWebhook(tenant, await startReceiver());
    await createIssue(tenant, teamId);
    await createIssue(tenant, teamId);
    const [kept, old] = await waitForDeliveries(tenant, webhook, (all) => all.length === 2);
    await run(`update delivery set "createdAt" = $2 where id = $1`, [old?.id, new Date(Date.now() - 31 * DAY_MS)]);
    await removeOldDeliveries((await startSharedServer()).runtime.db);
    expect((await readDeliveries(tenant, webhook)).map(({ id }) => id)).to.deep.equal([kept?.id]);
  });

  it("receive changes written through any of several servers", async function () {
    if (!process.env["TEST_DATABASE_URL"]) return this.skip();
    const tenant = await createOrganization();
    const [one, two] = [await startServer(), await startServer()];
    const clients = await Promise.all(
      [one, two, await startSharedServer()].map(({ url }) => openSocket(url, { token: tenant.apiKey, lastSyncId: 0 })),
    );
    const { lastSyncId } = await createIssue(tenant, await createTeam(tenant));
    for (const client of clients) {
      await client.until((heard) => heard.at(-1)?.envelope.lastSyncId === lastSyncId);
      expect(numbers(client)).to.deep.equal(numbers(client).map((_, at) => at + 1));
    }
  });
});
