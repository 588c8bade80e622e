import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { LinearClient } from "@linear/sdk";
import { LinearWebhookClient } from "@linear/sdk/webhooks";
import { expect } from "chai";
import { inviteGuest } from "../support/members.ts";
import { type GraphQLReply, sendGraphQL, startSharedServer } from "../support/server.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;

describe("the secret of a webhook", () => {
  let space: Workspace;
  let client: LinearClient;
  const created = async (input: object = {}) => {
    const all = { url: "https://example.com/hook", allPublicTeams: true, resourceTypes: ["Issue"], ...input };
    const webhook = await (await client.createWebhook(all)).webhook;
    if (!webhook?.secret) throw new Error("the webhook has no secret");
    return { id: webhook.id, secret: webhook.secret };
  };

  beforeEach(async () => {
    space = await createWorkspace();
    client = new LinearClient({ apiKey: space.apiKey, apiUrl: `${space.url}/graphql` });
  });

  it("is generated if none is given, and readable by the stock SDK", async () => {
    const { id, secret } = await created();
    expect(secret).to.match(SECRET);
    expect((await client.webhook(id)).secret).to.equal(secret);
    const given = `whsec_${Buffer.alloc(32, 9).toString("base64")}`;
    expect((await created({ secret: given })).secret).to.equal(given);
  });

  it("is different for each webhook wherever webhooks are read, and the newest after a rotation", async () => {
    const { teamId } = space;
    const one = await created();
    const two = await created({ teamId, allPublicTeams: false });
    const secrets = Object.fromEntries((await client.webhooks()).nodes.map(({ id, secret }) => [id, secret]));
    expect(secrets).to.deep.equal({ [one.id]: one.secret, [two.id]: two.secret });
    const query = "query ($id: String!) { team(id: $id) { webhooks { edges { node { id s: secret } } } } }";
    expect((await space.gql(query, { id: teamId })).team.webhooks.edges).to.deep.equal([
      { node: { id: two.id, s: two.secret } },
    ]);
    const { secret } = await client.rotateSecretWebhook(two.id);
    expect(secret).to.match(SECRET).and.not.equal(two.secret);
    expect([(await client.webhook(two.id)).secret, (await client.webhook(one.id)).secret]).to.deep.equal([
      secret,
      one.secret,
    ]);
  });

  it("is the secret of the right webhook in the payload of a mutation", async () => {
    const { teamId } = space;
    const one = await created({ teamId, allPublicTeams: false });
    const selection = "webhook { id secret team { webhooks { nodes { id secret } } } }";
    const input = { url: "https://example.com/2", teamId, resourceTypes: [] };
    const { webhook } = await space.does("webhookCreate", { input }, selection);
    expect(webhook.secret).to.match(SECRET);
    const told = Object.fromEntries(
      webhook.team.webhooks.nodes.map((each: { id: string; secret: string }) => [each.id, each.secret]),
    );
    expect(told).to.deep.equal({ [webhook.id]: webhook.secret, [one.id]: null });
  });

  it("is visible only to owners, not after they lose the role, for any repeated request", async () => {
    const guest = await inviteGuest(space);
    const role = (each: string) => space.rest("PATCH", `/api/members/${guest.id}`, { role: each });
    const send = (query: string, key?: string): Promise<GraphQLReply> =>
      sendGraphQL(space.url, `Bearer ${guest.accessToken}`, { query }, key ? { "Idempotency-Key": key } : {});
    await role("owner");
    const made = `mutation { webhookCreate(input: { url: "https://example.com/", resourceTypes: [] }) { webhook { id secret } } }`;
    const first = (await send(made, "one")).data.webhookCreate.webhook;
    const update = `mutation { webhookUpdate(id: "${first.id}", input: { label: "x" }) { webhook { secret } } }`;
    expect((await send(update, "two")).data.webhookUpdate.webhook.secret).to.equal(first.secret);
    const rotated = await client.rotateSecretWebhook(first.id);
    expect((await send(update, "two")).data.webhookUpdate.webhook.secret).to.equal(null);
    await role("member");
    const reads = [`{ webhook(id: "${first.id}") { secret } }`, "{ webhooks { nodes { secret } } }"];
    const deep = `{ team(id: "ENG") { webhooks { nodes { secret } } } }`;
    for (const [query, key] of [...reads, deep].map((each) => [each, undefined] as const)) {
      const reply = await send(query, key);
      expect([reply.data, reply.errors?.[0]?.extensions.code]).to.deep.equal([null, "FORBIDDEN"]);
    }
    for (const [query, key] of [[made, "one"] as const, [update, "two"] as const]) {
      const reply = await send(query, key);
      expect(reply.errors?.[0]?.extensions.code).to.equal("FORBIDDEN");
      expect(JSON.stringify(reply)).not.to.contain("whsec_");
    }
    expect(rotated.secret).to.match(SECRET);
  });

  it("is encrypted in the database, and a value that cannot be decrypted causes no error", async () => {
    const { id, secret } = await created();
    const { db } = (await startSharedServer()).runtime;
    const tables = await db.query<{ name: string }>({
      text: `select c.relname as name from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace`,
    });
    for (const { name } of tables) {
      const text = `select 1 from "${name}" t where t::text like '%' || $1 || '%' or t::text like '%' || $2 || '%'`;
      const hex = Buffer.from(secret).toString("hex");
      expect(await db.query({ text, values: [secret.slice(6, 40), hex] }), name).to.deep.equal([]);
    }
    await db.query({ text: `update webhook set "secretEncrypted" = '\\x00' where id = $1`, values: [id] });
    expect((await space.gql(`{ webhook(id: "${id}") { secret } }`)).webhook.secret).to.equal(null);
  });

  it("lets the SDK's webhook handler verify deliveries", async () => {
    let handler: ReturnType<LinearWebhookClient["createHandler"]> | undefined;
    const statuses: number[] = [];
    const server = createServer((request, response) => {
      response.once("finish", () => statuses.push(response.statusCode));
      void handler?.(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const { secret } = await created({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` });
      handler = new LinearWebhookClient(secret).createHandler();
      const heard = new Promise<any>((resolve) => handler?.on("Issue", resolve as never));
      const issue = await space.issue({ title: "Delivered" });
      const payload = await heard;
      expect([payload.action, payload.data.id, payload.organizationId]).to.deep.equal([
        "create",
        issue.id,
        space.organizationId,
      ]);
      while (statuses.length === 0) await new Promise((resume) => setTimeout(resume, 10));
      expect(statuses).to.deep.equal([200]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
