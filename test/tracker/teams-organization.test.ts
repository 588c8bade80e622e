import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { inviteGuest } from "../support/members.ts";
import { callRestApi, sendGraphQL } from "../support/server.ts";
import { createWorkspace } from "../support/workspace.ts";

const ORGANIZATION = "organization { name urlKey previousUrlKeys }";

describe("the organization in GraphQL", () => {
  it("changes its name and address, and keeps its earlier addresses", async () => {
    const { does, urlKey, gql } = await createWorkspace();
    const key = `new-${randomUUID()}`;
    const { organization } = await does("organizationUpdate", { input: { name: "New", urlKey: key } }, ORGANIZATION);
    expect(organization).to.deep.equal({ name: "New", urlKey: key, previousUrlKeys: [urlKey] });
    await does("organizationUpdate", { input: { urlKey } });
    expect((await gql(`{ ${ORGANIZATION} }`)).organization.previousUrlKeys).to.deep.equal([key]);
  });

  it("refuses an address that is taken or malformed", async () => {
    const { refuses } = await createWorkspace();
    const { urlKey } = await createWorkspace();
    const refused = (input: object) => refuses("organizationUpdate", { input });
    expect(await refused({ urlKey })).to.include({ code: "CONFLICT", field: "urlKey" });
    expect(await refused({ urlKey: "No Spaces" })).to.include({ code: "INVALID_INPUT", field: "input.urlKey" });
  });

  it("can be changed only by owners, and only owners see its webhooks", async () => {
    const space = await createWorkspace();
    const member = await inviteGuest(space);
    const ask = (query: string) => sendGraphQL(space.url, `Bearer ${member.accessToken}`, { query });
    for (const query of [
      'mutation { organizationUpdate(input: { name: "Mine" }) { success } }',
      'mutation { webhookCreate(input: { url: "https://example.com", resourceTypes: [] }) { success } }',
      "{ webhooks { nodes { id } } }",
      '{ team(id: "ENG") { webhooks { nodes { id } } } }',
      `{ webhook(id: "${randomUUID()}") { id } }`,
    ]) {
      expect((await ask(query)).errors?.[0]?.extensions.code, query).to.equal("FORBIDDEN");
    }
    expect(await ask('{ team(id: "ENG") { id } organization { name } }')).to.not.have.property("errors");
  });

  it("is required for every field but viewer", async () => {
    const { url } = await createWorkspace();
    const body = { email: `${randomUUID()}@example.com`, password: randomUUID(), name: "Nora Nobody" };
    const { accessToken } = (await callRestApi(url, "POST", "/api/auth/signup", { body })).body;
    const ask = (query: string) => sendGraphQL(url, `Bearer ${accessToken}`, { query });
    expect((await ask("{ viewer { name email } }")).data.viewer).to.deep.equal({ name: body.name, email: body.email });
    for (const query of [
      "{ teams { nodes { id } } }",
      "{ viewer { organization { id } } }",
      "{ changes { nodes { type } } }",
    ]) {
      const [error] = (await ask(query)).errors ?? [];
      expect(error?.extensions.code).to.equal("FORBIDDEN");
      expect(error?.message).to.contain("POST /api/organization");
    }
  });

  it("shows owners the current secret of a webhook, the same webhook as in REST", async () => {
    const { does, gql, rest } = await createWorkspace();
    const input = { url: "https://example.com/hook", resourceTypes: ["Issue"], label: "CI" };
    const { webhook } = await does("webhookCreate", { input }, "webhook { id secret allPublicTeams }");
    expect(webhook.secret).to.match(/^whsec_/);
    const { secret } = await does("webhookRotateSecret", { id: webhook.id }, "secret");
    expect(secret)
      .to.match(/^whsec_/)
      .and.not.equal(webhook.secret);
    await does("webhookUpdate", { id: webhook.id, input: { enabled: false, url: "https://example.com/other" } });
    const { webhooks } = await gql("{ webhooks { nodes { id url enabled secret label resourceTypes } } }");
    const shown = { id: webhook.id, url: "https://example.com/other", enabled: false, label: "CI" };
    expect(webhooks.nodes).to.deep.equal([{ ...shown, secret, resourceTypes: ["Issue"] }]);
    expect((await rest("GET", "/api/webhooks")).body["webhooks"]).to.have.length(1);
    await does("webhookDelete", { id: webhook.id });
    expect((await gql("{ webhooks { nodes { id } } }")).webhooks.nodes).to.deep.equal([]);
  });
});
