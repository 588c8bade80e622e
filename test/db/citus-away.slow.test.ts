import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { findDueOrganizations } from "../../server/accounts/due.ts";
import type { App } from "../../server/app.ts";
import { createLiveCredentialCheck } from "../../server/auth/live.ts";
import {
  citusUrl,
  createCitusDatabase,
  disconnectNode,
  dropCitusDatabase,
  readNode,
  runDistribute,
} from "../support/db/citus.ts";
import { runSql } from "../support/db/postgres.ts";
import { callRestApi, createOrganization, sendGraphQL, startServer, type Tenant } from "../support/server.ts";

const CREATE = "mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { success } }";

/** An organization with a team, and the number of the node that stores the organization. */
type Settled = Tenant & { teamId: string; node: number };

async function settled(app: App, url: string): Promise<Settled> {
  const tenant = await createOrganization(app);
  const made = await tenant.gql('mutation { teamCreate(input: { name: "Acme" }) { team { id } } }');
  return { ...tenant, teamId: made.teamCreate.team.id, node: await readNode(url, tenant.organizationId) };
}

/** Returns the statuses of requests by members, keys and agents of one organization. */
async function tries(url: string, { apiKey, accessToken, ingestKey, teamId }: Settled): Promise<number[]> {
  const input = { teamId, title: "While a node is away" };
  const event = { event_id: randomUUID(), session_id: randomUUID(), primitive_name: "a", args: "", result: "" };
  const viewer = { query: "{ viewer { id } issues { nodes { title } } }" };
  return [
    (await sendGraphQL(url, apiKey, viewer)).status,
    (await sendGraphQL(url, `Bearer ${accessToken}`, viewer)).status,
    (await sendGraphQL(url, apiKey, { query: CREATE, variables: { input } })).status,
    (await callRestApi(url, "POST", "/api/v1/capture-event", { body: event, headers: { "x-api-key": ingestKey } }))
      .status,
  ];
}

(citusUrl ? describe : describe.skip)("on Citus, a node that is away", () => {
  let database: string;
  let app: App;
  const tenants: Settled[] = [];
  /** An organization on the node that goes away, and an organization on another node. */
  let [lost, kept]: Settled[] = [];

  before(async () => {
    database = await createCitusDatabase(`away_${randomUUID().slice(0, 8)}`);
    runDistribute(database, "--apply");
    app = await startServer({ DATABASE_URL: database });
    while (new Set(tenants.map(({ node }) => node)).size < 2) tenants.push(await settled(app, database));
    [lost] = tenants;
    kept = tenants.find(({ node }) => node !== lost?.node);
    await disconnectNode(database, lost?.node ?? 0);
  });

  after(async () => {
    await app.close();
    await dropCitusDatabase(database);
  });

  it("affects only its own organizations", async () => {
    const fresh = await startServer({ DATABASE_URL: database });
    expect(await tries(fresh.url, kept as Settled), "elsewhere").to.deep.equal([200, 200, 200, 200]);
    expect(await tries(fresh.url, lost as Settled), "on it").to.deep.equal([503, 503, 503, 503]);
    await fresh.close();
  });

  it("is named by the servers' health, which stays ok", async () => {
    const { status, body } = await callRestApi(app.url, "GET", "/api/health");
    expect(status).to.equal(200);
    expect(body).to.deep.include({ status: "ok", database: "degraded", nodes: { all: 3, unavailable: [lost?.node] } });
  });

  it("does not delay webhooks of other organizations", async () => {
    const { db } = app.runtime;
    const look = { text: 'select "organizationId" as id from sync' };
    const due = await findDueOrganizations(db, look, 100);
    expect(due.ids).to.include(kept?.organizationId).and.not.to.include(lost?.organizationId);
    const counts = await Promise.all(
      due.ids.map((id) => {
        const values = [id];
        return due.within(() => db.query({ text: 'select 1 from sync where "organizationId" = $1', values }), []);
      }),
    );
    const answered = due.ids.filter((_, at) => counts[at]?.length === 1);
    expect(answered).to.include(kept?.organizationId).and.not.to.include(lost?.organizationId);
  });

  it("does not close sockets of its organizations, nor of others", async () => {
    const keyOf = async ({ organizationId }: Settled, credentialId?: string) => {
      const [row] = await runSql(database, `select id from "apiKey" where "organizationId" = '${organizationId}'`);
      return { kind: "key" as const, accountId: "", organizationId, credentialId: credentialId ?? String(row?.["id"]) };
    };
    const held = [
      await keyOf(lost as Settled),
      await keyOf(kept as Settled),
      await keyOf(kept as Settled, randomUUID()),
    ];
    const isLive = await createLiveCredentialCheck(app.runtime.db, held);
    expect(held.map(isLive)).to.deep.equal([true, true, false]);
  });
});
