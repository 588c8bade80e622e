import { expect } from "chai";
import { removeOldChanges, removeOldDeliveries } from "../../server/jobs/streams.ts";
import { freshOrganization, sharedServer, startServer, type Tenant } from "../support/server.ts";
import { closeSockets, type Listener, listen, refusal } from "../support/stream/realtime.ts";
import { closeReceivers, startReceiver } from "../support/stream/receiver.ts";
import { deliveries, register, settled } from "../support/stream/webhooks.ts";
import { makeIssue, makeTeam } from "../support/tracker/stream-writes.ts";

const DAY_MS = 24 * 3_600_000;

const numbers = ({ heard }: Listener) => heard.map(({ envelope }) => envelope.lastSyncId);

/** The whole log by the query, page after page. */
async function wholeLog({ gql }: Tenant, after = 0): Promise<number[]> {
  const query = `query ($after: SyncCursor) { changes(after: $after, first: 100) { nodes { lastSyncId } pageInfo { hasNextPage endCursor } } }`;
  const { changes } = await gql(query, { after });
  const here = changes.nodes.map(({ lastSyncId }: { lastSyncId: number }) => lastSyncId);
  return changes.pageInfo.hasNextPage ? [...here, ...(await wholeLog({ gql } as Tenant, here.at(-1)))] : here;
}

const run = async (text: string, values: unknown[]) => (await sharedServer()).runtime.db.query({ text, values });

describe("the change log's followers", () => {
  after(() => {
    closeSockets();
    closeReceivers();
  });

  it("each end with the whole log: realtime, the query and a webhook, under concurrent writers", async () => {
    const tenant = await freshOrganization();
    const receiver = await startReceiver();
    await register(tenant, receiver, { resourceTypes: [] });
    const client = await listen(tenant.url, { token: tenant.apiKey });
    const teamId = await makeTeam(tenant);
    await Promise.all(Array.from({ length: 30 }, (_, at) => makeIssue(tenant, teamId, `Issue ${at}`)));
    const log = await wholeLog(tenant);
    await client.until((heard) => heard.length >= log.length - (numbers(client)[0] ?? 1) + 1);
    const told = await receiver.until(
      (all) => new Set(all.map(({ body }) => body.lastSyncId)).size === numbers(client).length,
    );
    expect(log).to.deep.equal(log.map((_, at) => at + 1));
    expect(numbers(client)).to.deep.equal(log.filter((number) => number >= (numbers(client)[0] ?? 0)));
    expect(new Set(told.map(({ body }) => body.lastSyncId))).to.deep.equal(new Set(numbers(client)));
  });

  it("get a sync gap when retention took what they missed", async () => {
    const tenant = await freshOrganization();
    await makeTeam(tenant);
    const { db } = (await sharedServer()).runtime;
    const { organizationId } = tenant;
    const old = `update change set "createdAt" = $2 where "organizationId" = $1 and "lastSyncId" <= 3`;
    await run(old, [organizationId, new Date(Date.now() - 91 * DAY_MS)]);
    await removeOldChanges(db, 90);
    const { data } = await refusal(tenant.url, { token: tenant.apiKey, lastSyncId: 2 });
    expect(data).to.include({ code: "SYNC_GAP", oldest: 4 });
    const client = await listen(tenant.url, { token: tenant.apiKey, lastSyncId: 3 });
    await client.until((heard) => heard.at(-1)?.envelope.lastSyncId === data?.["last"]);
    expect(numbers(client)[0]).to.equal(4);
  });

  it("are disconnected when a backup takes the log back, and then get a sync gap", async () => {
    const tenant = await freshOrganization();
    const { lastSyncId } = await makeIssue(tenant, await makeTeam(tenant));
    const client = await listen(tenant.url, { token: tenant.apiKey, lastSyncId: 0 });
    await client.until((heard) => heard.at(-1)?.envelope.lastSyncId === lastSyncId);
    const ended = client.next("disconnect");
    await run(`update sync set "lastSyncId" = 2 where "organizationId" = $1`, [tenant.organizationId]);
    expect((await ended)[1].context.code).to.equal(4409);
    const { data } = await refusal(tenant.url, { token: tenant.apiKey, lastSyncId });
    expect(data).to.deep.equal({ code: "SYNC_GAP", oldest: 0, last: 2 });
  });

  it("lose deliveries older than 30 days, and no others", async () => {
    const tenant = await freshOrganization();
    const teamId = await makeTeam(tenant);
    const webhook = await register(tenant, await startReceiver());
    await makeIssue(tenant, teamId);
    await makeIssue(tenant, teamId);
    const [kept, old] = await settled(tenant, webhook, (all) => all.length === 2);
    await run(`update delivery set "createdAt" = $2 where id = $1`, [old?.id, new Date(Date.now() - 31 * DAY_MS)]);
    await removeOldDeliveries((await sharedServer()).runtime.db);
    expect((await deliveries(tenant, webhook)).map(({ id }) => id)).to.deep.equal([kept?.id]);
  });

  it("hear everything whichever of several servers it was written through", async function () {
    if (!process.env["TEST_DATABASE_URL"]) return this.skip();
    const tenant = await freshOrganization();
    const [one, two] = [await startServer(), await startServer()];
    const clients = await Promise.all(
      [one, two, await sharedServer()].map(({ url }) => listen(url, { token: tenant.apiKey, lastSyncId: 0 })),
    );
    const { lastSyncId } = await makeIssue(tenant, await makeTeam(tenant));
    for (const client of clients) {
      await client.until((heard) => heard.at(-1)?.envelope.lastSyncId === lastSyncId);
      expect(numbers(client)).to.deep.equal(numbers(client).map((_, at) => at + 1));
    }
  });
});
