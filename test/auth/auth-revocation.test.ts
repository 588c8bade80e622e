import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { authenticateCredential } from "../../server/auth/authenticate.ts";
import { createLiveCredentialCheck } from "../../server/auth/live.ts";
import { inviteGuest } from "../support/members.ts";
import { callRestApi, createOrganization, sendGraphQL, startServer, startSharedServer } from "../support/server.ts";

const viewer = { query: "{ viewer { id } }" };

describe("revocation of credentials", () => {
  // Two instances can share a database only if the database is PostgreSQL.
  it("of a key reaches another server within a second", async function () {
    if (!process.env["TEST_DATABASE_URL"]) this.skip();
    const [tenant, other] = [await createOrganization(), await startServer()];
    const { body } = await tenant.rest("POST", "/api/api-keys", { label: "laptop" });
    const token = String(body["token"]);
    expect((await sendGraphQL(other.url, token, viewer)).status).to.equal(200);
    await tenant.rest("DELETE", `/api/api-keys/${body["id"]}`);
    await sleep(1_000);
    expect((await sendGraphQL(other.url, token, viewer)).status).to.equal(401);
  });

  it("of a login reaches another server within a second", async function () {
    if (!process.env["TEST_DATABASE_URL"]) this.skip();
    const [tenant, other] = [await createOrganization(), await startServer()];
    const bearer = `Bearer ${tenant.accessToken}`;
    expect((await sendGraphQL(other.url, bearer, viewer)).status).to.equal(200);
    await callRestApi(tenant.url, "POST", "/api/auth/logout", { body: { refreshToken: tenant.refreshToken } });
    await sleep(1_000);
    expect((await sendGraphQL(other.url, bearer, viewer)).status).to.equal(401);
  });

  it("is found when the server checks the credentials of open sockets", async () => {
    const { runtime } = await startSharedServer();
    const tenant = await createOrganization();
    const guest = await inviteGuest(tenant);
    const held = await Promise.all(
      [tenant.accessToken, tenant.apiKey, guest.accessToken].map((one) => authenticateCredential(runtime, one)),
    );
    const before = await createLiveCredentialCheck(runtime.db, held);
    await tenant.rest("DELETE", `/api/members/${guest.id}`);
    const after = await createLiveCredentialCheck(runtime.db, held);
    expect([held.map(before), held.map(after)]).to.deep.equal([
      [true, true, true],
      [true, true, false],
    ]);
  });
});
