import { readdirSync, readFileSync } from "node:fs";
import { expect } from "chai";
import { ROW_LIMITS } from "../../../server/accounts/bound.ts";
import type { App } from "../../../server/app.ts";
import { createAuthorizationRequest, exchangeCode, obtainCode, registerApp } from "../../support/accounts/oauth.ts";
import { uniqueName } from "../../support/graphql/mutations.ts";
import { callRestApi, createOrganization, sendGraphQL, startServer, type Tenant } from "../../support/server.ts";
import { createWorkspaceIn } from "../../support/workspace.ts";

/** Limited entity: how to create an entity, the error at the limit, and SQL that inserts an entity. */
interface Making {
  create(tenant: Tenant, url: string, n: number): Promise<boolean>;
  table: string;
  /** SQL condition for the rows that count. */
  which?: string;
  /** Columns that must differ between rows. */
  unique: Record<string, string>;
}

const HASH = "sha256(gen_random_uuid()::text::bytea)";
const rest =
  (path: string, body: (n: number) => object): Making["create"] =>
  async ({ accessToken }, url, n) => {
    const headers = { Authorization: `Bearer ${accessToken}` };
    const reply = await callRestApi(url, "POST", path, { body: body(n), headers });
    if (reply.status === 201) return true;
    expect([reply.status, reply.body["code"]]).to.deep.equal([409, "limit_reached"]);
    return false;
  };

const hook = rest("/api/webhooks", () => ({ target: "https://example.com/" }));
const WEBHOOK = 'mutation { webhookCreate(input: { url: "https://example.com/", resourceTypes: [] }) { success } }';

const MAKINGS: Record<string, Making> = {
  personalKeys: {
    create: rest("/api/api-keys", (n) => ({ label: `k${n}` })),
    table: "apiKey",
    unique: { hash: HASH, id: "gen_random_uuid()" },
  },
  ingestKeys: {
    create: rest("/api/ingest-keys", (n) => ({ name: `k${n}` })),
    table: "ingestKey",
    unique: { hash: HASH, id: "gen_random_uuid()" },
  },
  agents: {
    create: rest("/api/agents", (n) => ({ name: `agent ${n}` })),
    table: "user",
    which: "app",
    unique: { id: "gen_random_uuid()", accountId: "gen_random_uuid()" },
  },
  connections: {
    async create(tenant, url) {
      const at = { ...tenant, url };
      const request = await createAuthorizationRequest(url, { client_id: await programAt(tenant.url) });
      const { status, body } = await exchangeCode(url, request, await obtainCode(at, request));
      if (status !== 200) expect([status, body.error]).to.deep.equal([409, "invalid_request"]);
      return status === 200;
    },
    table: "oauthGrant",
    unique: { id: "gen_random_uuid()" },
  },
  openInvitations: {
    create: rest("/api/invitations", (n) => ({ email: `p${n}@example.com` })),
    table: "invitation",
    unique: { hash: HASH, id: "gen_random_uuid()" },
  },
  webhooks: {
    // Creates through both APIs.
    async create(tenant, url, n) {
      if (n % 4 < 2) return hook(tenant, url, n);
      const { errors } = await sendGraphQL(url, tenant.apiKey, { query: WEBHOOK });
      if (errors) expect(errors[0]?.extensions.code).to.equal("CONFLICT");
      return !errors;
    },
    table: "webhook",
    unique: { id: "gen_random_uuid()" },
  },
  noticeRules: {
    async create(tenant, url) {
      const { errors } = await sendGraphQL(url, tenant.apiKey, { query: RULE });
      if (errors) expect(errors[0]?.extensions.code).to.equal("CONFLICT");
      return !errors;
    },
    table: "noticeRule",
    unique: { id: "gen_random_uuid()" },
  },
};

const RULE =
  'mutation { noticeRuleCreate(input: { name: "x", condition: leaseExpired, channel: email, emails: ["x@example.com"] }) { success } }';

/** One OAuth app for all entities, because registrations have a limit of their own. */
let program: Promise<string> | undefined;
const programAt = (url: string): Promise<string> => {
  program ??= registerApp(url);
  return program;
};

describe("the maximum number of entities", () => {
  const apps: App[] = [];
  before(async () => {
    apps.push(await startServer());
    if (process.env["TEST_DATABASE_URL"]) apps.push(await startServer());
  });

  it("is covered by a race between two servers in this file, for every limit", () => {
    expect(Object.keys(MAKINGS).sort()).to.deep.equal(Object.keys(ROW_LIMITS).sort());
  });

  it("is checked only in the function that takes its lock", () => {
    const files = readdirSync("server", { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
    const said = files.filter((file) => readFileSync(`server/${file}`, "utf8").includes('"limit_reached"'));
    expect(said).to.deep.equal(["accounts/bound.ts"]);
  });

  it("holds for milestones of projects", async () => {
    const space = await createWorkspaceIn(await createOrganization(apps[0]));
    const { db } = (apps[0] as App).runtime;
    const project = (
      await space.does("projectCreate", { input: { name: "P", teamIds: [space.teamId] } }, "project { id }")
    ).project.id;
    const text = `insert into "projectMilestone" ("organizationId", id, "projectId", name, "createdAt", "updatedAt")
      select $1, gen_random_uuid(), $2, 'M', now(), now() from generate_series(1, 4999)`;
    await db.query({ text, values: [space.organizationId, project] });
    const more = { input: { projectId: project, name: "M" } };
    await space.does("projectMilestoneCreate", more);
    expect((await space.refuses("projectMilestoneCreate", more)).message).to.match(
      /^There are 5000 .* which is the maximum/,
    );
  });

  it("holds for labels of an issue when two servers add six concurrently", async () => {
    const space = await createWorkspaceIn(await createOrganization(apps[0]));
    const label = async () =>
      (await space.does("issueLabelCreate", { input: { name: uniqueName() } }, "issueLabel { id }")).issueLabel.id;
    const ids = await Promise.all(Array.from({ length: 104 }, label));
    const { id } = await space.issue({ labelIds: ids.slice(0, 98) });
    const query =
      "mutation ($id: String!, $labelId: String!) { issueAddLabel(id: $id, labelId: $labelId) { success } }";
    const replies = await Promise.all(
      ids
        .slice(98)
        .map((labelId, n) =>
          sendGraphQL(apps[n % apps.length]?.url ?? "", space.apiKey, { query, variables: { id, labelId } }),
        ),
    );
    expect(replies.filter(({ errors }) => !errors)).to.have.length(2);
    expect((await space.read(id)).labelIds).to.have.length(100);
  });

  for (const [name, { create, table, which = "true", unique }] of Object.entries(MAKINGS)) {
    it(`holds for ${name} when two servers create twelve concurrently`, async () => {
      const [app] = apps as [App];
      const tenant = await createOrganization(app);
      await create(tenant, app.url, 0);
      const { db } = app.runtime;
      const values = [tenant.organizationId];
      const count = async () =>
        Number(
          (
            await db.query({
              text: `select count(*) as n from "${table}" where "organizationId" = $1 and ${which}`,
              values,
            })
          )[0]?.["n"],
        );
      const { most } = ROW_LIMITS[name as keyof typeof ROW_LIMITS];
      const room = 3;
      await fill(await count(), most - room);
      const made = await Promise.all(
        Array.from({ length: 12 }, (_, n) => create(tenant, apps[n % apps.length]?.url ?? "", n + 1)),
      );
      expect([await count(), made.filter(Boolean).length]).to.deep.equal([most, room]);

      async function fill(from: number, to: number) {
        const columns = await db.query<{ column_name: string }>({
          text: "select column_name from information_schema.columns where table_name = $1 and is_generated = 'NEVER'",
          values: [table],
        });
        const names = columns.map((each) => each.column_name);
        const list = names.map((each) => `"${each}"`).join();
        const copied = names.map((each) => unique[each] ?? `t."${each}"`).join();
        await db.query({
          text: `insert into "${table}" (${list}) select ${copied}
            from (select * from "${table}" where "organizationId" = $1 and ${which} limit 1) t, generate_series(1, ${to - from})`,
          values,
        });
      }
    });
  }
});
