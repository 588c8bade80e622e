import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { inviteGuest } from "../support/members.ts";
import { callRestApi, createOrganization, sendGraphQL, startSharedServer } from "../support/server.ts";

const address = () => `invited-${randomUUID()}@example.com`;

describe("invitations and members", () => {
  let url: string;
  before(async () => {
    ({ url } = await startSharedServer());
  });
  const accept = (body: object, token?: unknown) =>
    callRestApi(url, "POST", "/api/invitations/accept", {
      body,
      headers: token ? { Authorization: `Bearer ${token}` } : {},
    });

  it("let an invited person sign up into the organization", async () => {
    const tenant = await createOrganization();
    const guest = await inviteGuest(tenant);
    const { body } = await guest.rest("GET", "/api/members");
    expect((body["members"] as { email: string; role: string }[]).map(({ role }) => role)).to.deep.equal([
      "owner",
      "member",
    ]);
  });

  it("let an existing account join with its bearer token", async () => {
    const [tenant, other] = await Promise.all([createOrganization(), createOrganization()]);
    const { body } = await tenant.rest("POST", "/api/invitations", { email: other.email });
    const reply = await accept({ token: body["token"] }, other.accessToken);
    expect(reply.status).to.equal(200);
    const seen = await callRestApi(url, "GET", "/api/members", {
      headers: { Authorization: `Bearer ${reply.body["accessToken"]}` },
    });
    expect(seen.body["members"]).to.have.length(2);
  });

  it("are accepted once, also with two simultaneous requests", async () => {
    const { rest } = await createOrganization();
    const { body } = await rest("POST", "/api/invitations", { email: address() });
    const signUp = { token: body["token"], name: "Sam", password: "correct horse" };
    const replies = await Promise.all([accept(signUp), accept(signUp)]);
    expect(replies.map(({ status }) => status).sort()).to.deep.equal([200, 404]);
  });

  it("can be accepted only by the invited address", async () => {
    const [tenant, other] = await Promise.all([createOrganization(), createOrganization()]);
    const { body } = await tenant.rest("POST", "/api/invitations", { email: address() });
    const reply = await accept({ token: body["token"] }, other.accessToken);
    expect([reply.status, reply.body["code"]]).to.deep.equal([403, "invitation_other_address"]);
    expect(
      (await accept({ token: body["token"], name: "Sam", password: "correct horse" })).status,
      "still good",
    ).to.equal(200);
  });

  it("list an open invitation, and let an owner withdraw it", async () => {
    const { rest } = await createOrganization();
    const { body } = await rest("POST", "/api/invitations", { email: address() });
    const listed = await rest("GET", "/api/invitations");
    expect((listed.body["invitations"] as { id: string }[]).map(({ id }) => id)).to.deep.equal([body["id"]]);
    await rest("DELETE", `/api/invitations/${body["id"]}`);
    expect((await accept({ token: body["token"], name: "Sam", password: "correct horse" })).status).to.equal(404);
  });

  it("give members their own keys, and nothing that is only for owners", async () => {
    const guest = await inviteGuest(await createOrganization());
    const owners = ["/api/ingest-keys", "/api/webhooks", "/api/invitations"];
    const statuses = await Promise.all(owners.map(async (path) => (await guest.rest("GET", path)).status));
    expect(statuses).to.deep.equal([403, 403, 403]);
    expect((await guest.rest("POST", "/api/api-keys", { label: "mine" })).status).to.equal(201);
  });

  it("hide the keys of a member from others", async () => {
    const tenant = await createOrganization();
    const guest = await inviteGuest(tenant);
    const { body } = await guest.rest("POST", "/api/api-keys", { label: "mine" });
    expect((await tenant.rest("DELETE", `/api/api-keys/${body["id"]}`)).status).to.equal(404);
  });

  it("give a member's key the same rights as the member's bearer token", async () => {
    const tenant = await createOrganization();
    const guest = await inviteGuest(tenant);
    const { body } = await guest.rest("POST", "/api/api-keys", { label: "mine" });
    const query = `mutation { teamCreate(input: { name: "Ops" }) { success team { key } } }`;
    const reply = await sendGraphQL(url, String(body["token"]), { query });
    expect(reply.data.teamCreate.success).to.equal(true);
    expect((await sendGraphQL(url, String(body["token"]), { query: "{ viewer { id } }" })).data.viewer.id).to.equal(
      guest.id,
    );
  });

  it("revoke a removed member's tokens and keys at once", async () => {
    const tenant = await createOrganization();
    const guest = await inviteGuest(tenant);
    const { body } = await guest.rest("POST", "/api/api-keys", { label: "mine" });
    expect((await tenant.rest("DELETE", `/api/members/${guest.id}`)).status).to.equal(200);
    expect((await guest.rest("GET", "/api/api-keys")).status).to.equal(401);
    expect((await sendGraphQL(url, String(body["token"]), { query: "{ viewer { id } }" })).status).to.equal(401);
  });

  it("list a removed member only with includeDisabled", async () => {
    const tenant = await createOrganization();
    const guest = await inviteGuest(tenant);
    await tenant.rest("DELETE", `/api/members/${guest.id}`);
    const { active, all } = await tenant.gql(
      "{ active: users { nodes { id } } all: users(includeDisabled: true) { nodes { id } } }",
    );
    expect(active.nodes.map((user: { id: string }) => user.id)).to.not.include(guest.id);
    expect(all.nodes.map((user: { id: string }) => user.id)).to.include(guest.id);
  });

  it("make a member an owner at once, and never leave an organization without an owner", async () => {
    const tenant = await createOrganization();
    const guest = await inviteGuest(tenant);
    const alone = await guest.rest("PATCH", `/api/members/${guest.id}`, { role: "owner" });
    await tenant.rest("PATCH", `/api/members/${guest.id}`, { role: "owner" });
    const both = await guest.rest("GET", "/api/ingest-keys");
    expect([alone.status, both.status]).to.deep.equal([403, 200]);
  });

  it("are in the change log, with the actor", async () => {
    const tenant = await createOrganization();
    const guest = await inviteGuest(tenant);
    await tenant.rest("DELETE", `/api/members/${guest.id}`);
    const { changes } = await tenant.gql(`{ changes { nodes { type action entityId updatedFrom } } }`);
    expect(changes.nodes.map((one: object) => ({ ...one, updatedFrom: undefined }))).to.deep.equal([
      { type: "User", action: "create", entityId: guest.id, updatedFrom: undefined },
      { type: "User", action: "update", entityId: guest.id, updatedFrom: undefined },
    ]);
    expect(changes.nodes[1].updatedFrom).to.include({ active: true });
  });

  it("refuse to remove the last owner", async () => {
    const { rest } = await createOrganization();
    const { body } = await rest("GET", "/api/members");
    const [owner] = body["members"] as { id: string }[];
    const replies = await Promise.all([
      rest("DELETE", `/api/members/${owner?.id}`),
      rest("PATCH", `/api/members/${owner?.id}`, { role: "member" }),
    ]);
    expect(replies.map((reply) => reply.body["code"])).to.deep.equal(["last_owner", "last_owner"]);
  });

  it("remove only one of two owners who remove each other at the same time", async () => {
    const tenant = await createOrganization();
    const guest = await inviteGuest(tenant);
    await tenant.rest("PATCH", `/api/members/${guest.id}`, { role: "owner" });
    const { body } = await tenant.rest("GET", "/api/members");
    const owner = (body["members"] as { id: string }[]).find(({ id }) => id !== guest.id);
    const replies = await Promise.all([
      tenant.rest("DELETE", `/api/members/${guest.id}`),
      guest.rest("DELETE", `/api/members/${owner?.id}`),
    ]);
    expect(replies.filter(({ status }) => status === 200)).to.have.length(1);
  });
});
