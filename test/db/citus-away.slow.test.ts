import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { dueOrganizations } from "../../server/accounts/due.ts";
import type { App } from "../../server/app.ts";
import { liveCredentials } from "../../server/auth/live.ts";
import { citus, citusDatabase, distribute, dropCitusDatabase, nodeOf, takeAway } from "../support/db/citus.ts";
import { runSql } from "../support/db/postgres.ts";
import { call, freshOrganization, sendGraphQL, startServer, type Tenant } from "../support/server.ts";

const CREATE = "mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { success } }";

/** An organization with a team. */
type Settled = Tenant & { teamId: string; node: number };

async function settled(app: App, url: string): Promise<Settled> {
  const tenant = await freshOrganization(app);
  const made = await tenant.gql('mutation { teamCreate(input: { name: "Acme" }) { team { id } } }');
  return { ...tenant, teamId: made.teamCreate.team.id, node: await nodeOf(url, tenant.organizationId) };
}

/** The statuses of everything that one organization's people, keys and agents do. */
async function tries(url: string, { apiKey, accessToken, ingestKey, teamId }: Settled): Promise<number[]> {
  const input = { teamId, title: "While a node is away" };
  const event = { event_id: randomUUID(), session_id: randomUUID(), primitive_name: "a", args: "", result: "" };
  const viewer = { query: "{ viewer { id } issues { nodes { title } } }" };
  return [
    (await sendGraphQL(url, apiKey, viewer)).status,
    (await sendGraphQL(url, `Bearer ${accessToken}`, viewer)).status,
    (await sendGraphQL(url, apiKey, { query: CREATE, variables: { input } })).status,
    (await call(url, "POST", "/api/v1/capture-event", { body: event, headers: { "x-api-key": ingestKey } })).status,
  ];
}

(citus ? describe : describe.skip)("a node that is away, on Citus", function () {
  this.timeout(180_000);
  let database: string;
  let app: App;
  const tenants: Settled[] = [];
  /** The node that goes away, and one organization on it and one elsewhere. */
  let [lost, kept]: Settled[] = [];

  before(async () => {
    database = await citusDatabase(`away_${randomUUID().slice(0, 8)}`);
    distribute(database, "--apply");
    app = await startServer({ DATABASE_URL: database });
    while (new Set(tenants.map(({ node }) => node)).size < 2) tenants.push(await settled(app, database));
    [lost] = tenants;
    kept = tenants.find(({ node }) => node !== lost?.node);
    await takeAway(database, lost?.node ?? 0);
  });

  after(async () => {
    await app.close();
    await dropCitusDatabase(database);
  });

  it("takes its own organizations away and no other", async () => {
    const fresh = await startServer({ DATABASE_URL: database });
    expect(await tries(fresh.url, kept as Settled), "elsewhere").to.deep.equal([200, 200, 200, 200]);
    expect(await tries(fresh.url, lost as Settled), "on it").to.deep.equal([503, 503, 503, 503]);
    await fresh.close();
  });

  it("is named by the health of servers, which goes on being good", async () => {
    const { status, body } = await call(app.url, "GET", "/api/health");
    expect(status).to.equal(200);
    expect(body).to.deep.include({ status: "ok", database: "degraded", nodes: { all: 3, unavailable: [lost?.node] } });
  });

  it("holds up the webhooks of no other", async () => {
    const { db } = app.runtime;
    const look = { text: 'select "organizationId" as id from sync' };
    const due = await dueOrganizations(db, look, 100);
    expect(due.ids).to.include.members([lost?.organizationId, kept?.organizationId]);
    const counts = await Promise.all(
      due.ids.map((id) => {
        const values = [id];
        return due.within(() => db.query({ text: 'select 1 from sync where "organizationId" = $1', values }), []);
      }),
    );
    const answered = due.ids.filter((_, at) => counts[at]?.length === 1);
    expect(answered).to.include(kept?.organizationId).and.not.to.include(lost?.organizationId);
  });

  it("closes no socket of its own, and those of others as ever", async () => {
    const keyOf = async ({ organizationId }: Settled, credentialId?: string) => {
      const [row] = await runSql(database, `select id from "apiKey" where "organizationId" = '${organizationId}'`);
      return { kind: "key" as const, accountId: "", organizationId, credentialId: credentialId ?? String(row?.["id"]) };
    };
    const held = [
      await keyOf(lost as Settled),
      await keyOf(kept as Settled),
      await keyOf(kept as Settled, randomUUID()),
    ];
    const isLive = await liveCredentials(app.runtime.db, held);
    expect(held.map(isLive)).to.deep.equal([true, true, false]);
  });
});
