import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { joined } from "../support/members.ts";
import { call, freshOrganization, sendGraphQL, sharedServer } from "../support/server.ts";

const address = () => `invited-${randomUUID()}@example.com`;

describe("invitations and members", () => {
  let url: string;
  before(async () => {
    ({ url } = await sharedServer());
  });
  const accept = (body: object, token?: unknown) =>
    call(url, "POST", "/api/invitations/accept", { body, headers: token ? { Authorization: `Bearer ${token}` } : {} });

  it("let whoever is invited sign up into the organization", async () => {
    const tenant = await freshOrganization();
    const guest = await joined(tenant);
    const { body } = await guest.rest("GET", "/api/members");
    expect((body["members"] as { email: string; role: string }[]).map(({ role }) => role)).to.deep.equal([
      "owner",
      "member",
    ]);
  });

  it("let an account that exists join with its bearer", async () => {
    const [tenant, other] = await Promise.all([freshOrganization(), freshOrganization()]);
    const { body } = await tenant.rest("POST", "/api/invitations", { email: other.email });
    const reply = await accept({ token: body["token"] }, other.accessToken);
    expect(reply.status).to.equal(200);
    const seen = await call(url, "GET", "/api/members", {
      headers: { Authorization: `Bearer ${reply.body["accessToken"]}` },
    });
    expect(seen.body["members"]).to.have.length(2);
  });

  it("let an invitation be accepted once, also when two accept it at once", async () => {
    const { rest } = await freshOrganization();
    const { body } = await rest("POST", "/api/invitations", { email: address() });
    const signUp = { token: body["token"], name: "Sam", password: "correct horse" };
    const replies = await Promise.all([accept(signUp), accept(signUp)]);
    expect(replies.map(({ status }) => status).sort()).to.deep.equal([200, 404]);
  });

  it("let an invitation be accepted by its address alone", async () => {
    const [tenant, other] = await Promise.all([freshOrganization(), freshOrganization()]);
    const { body } = await tenant.rest("POST", "/api/invitations", { email: address() });
    const reply = await accept({ token: body["token"] }, other.accessToken);
    expect([reply.status, reply.body["code"]]).to.deep.equal([403, "invitation_other_address"]);
    expect(
      (await accept({ token: body["token"], name: "Sam", password: "correct horse" })).status,
      "still good",
    ).to.equal(200);
  });

  it("list an invitation while it is open, and let it be withdrawn", async () => {
    const { rest } = await freshOrganization();
    const { body } = await rest("POST", "/api/invitations", { email: address() });
    const listed = await rest("GET", "/api/invitations");
    expect((listed.body["invitations"] as { id: string }[]).map(({ id }) => id)).to.deep.equal([body["id"]]);
    await rest("DELETE", `/api/invitations/${body["id"]}`);
    expect((await accept({ token: body["token"], name: "Sam", password: "correct horse" })).status).to.equal(404);
  });

  it("give members their own keys, and nothing that is the owners'", async () => {
    const guest = await joined(await freshOrganization());
    const owners = ["/api/ingest-keys", "/api/webhooks", "/api/invitations"];
    const statuses = await Promise.all(owners.map(async (path) => (await guest.rest("GET", path)).status));
    expect(statuses).to.deep.equal([403, 403, 403]);
    expect((await guest.rest("POST", "/api/api-keys", { label: "mine" })).status).to.equal(201);
  });

  it("keep the keys of one member from the others", async () => {
    const tenant = await freshOrganization();
    const guest = await joined(tenant);
    const { body } = await guest.rest("POST", "/api/api-keys", { label: "mine" });
    expect((await tenant.rest("DELETE", `/api/api-keys/${body["id"]}`)).status).to.equal(404);
  });

  it("let a member's key do all that its bearer may do", async () => {
    const tenant = await freshOrganization();
    const guest = await joined(tenant);
    const { body } = await guest.rest("POST", "/api/api-keys", { label: "mine" });
    const query = `mutation { teamCreate(input: { name: "Ops" }) { success team { key } } }`;
    const reply = await sendGraphQL(url, String(body["token"]), { query });
    expect(reply.data.teamCreate.success).to.equal(true);
    expect((await sendGraphQL(url, String(body["token"]), { query: "{ viewer { id } }" })).data.viewer.id).to.equal(
      guest.id,
    );
  });

  it("end a removed member's tokens and keys at once", async () => {
    const tenant = await freshOrganization();
    const guest = await joined(tenant);
    const { body } = await guest.rest("POST", "/api/api-keys", { label: "mine" });
    expect((await tenant.rest("DELETE", `/api/members/${guest.id}`)).status).to.equal(200);
    expect((await guest.rest("GET", "/api/api-keys")).status).to.equal(401);
    expect((await sendGraphQL(url, String(body["token"]), { query: "{ viewer { id } }" })).status).to.equal(401);
  });

  it("list a removed member with includeDisabled alone", async () => {
    const tenant = await freshOrganization();
    const guest = await joined(tenant);
    await tenant.rest("DELETE", `/api/members/${guest.id}`);
    const { active, all } = await tenant.gql(
      "{ active: users { nodes { id } } all: users(includeDisabled: true) { nodes { id } } }",
    );
    expect(active.nodes.map((user: { id: string }) => user.id)).to.not.include(guest.id);
    expect(all.nodes.map((user: { id: string }) => user.id)).to.include(guest.id);
  });

  it("make a member an owner at once, and never leave an organization without an owner", async () => {
    const tenant = await freshOrganization();
    const guest = await joined(tenant);
    const alone = await guest.rest("PATCH", `/api/members/${guest.id}`, { role: "owner" });
    await tenant.rest("PATCH", `/api/members/${guest.id}`, { role: "owner" });
    const both = await guest.rest("GET", "/api/ingest-keys");
    expect([alone.status, both.status]).to.deep.equal([403, 200]);
  });

  it("are in the change log, with who did it", async () => {
    const tenant = await freshOrganization();
    const guest = await joined(tenant);
    await tenant.rest("DELETE", `/api/members/${guest.id}`);
    const { changes } = await tenant.gql(`{ changes { nodes { type action entityId updatedFrom } } }`);
    expect(changes.nodes.map((one: object) => ({ ...one, updatedFrom: undefined }))).to.deep.equal([
      { type: "User", action: "create", entityId: guest.id, updatedFrom: undefined },
      { type: "User", action: "update", entityId: guest.id, updatedFrom: undefined },
    ]);
    expect(changes.nodes[1].updatedFrom).to.include({ active: true });
  });

  it("refuse to remove the last owner", async () => {
    const { rest } = await freshOrganization();
    const { body } = await rest("GET", "/api/members");
    const [owner] = body["members"] as { id: string }[];
    const replies = await Promise.all([
      rest("DELETE", `/api/members/${owner?.id}`),
      rest("PATCH", `/api/members/${owner?.id}`, { role: "member" }),
    ]);
    expect(replies.map((reply) => reply.body["code"])).to.deep.equal(["last_owner", "last_owner"]);
  });

  it("let one of two owners go when each removes the other at once", async () => {
    const tenant = await freshOrganization();
    const guest = await joined(tenant);
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
