import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { authenticateCredential } from "../../server/auth/authenticate.ts";
import { liveCredentials } from "../../server/auth/live.ts";
import { joined } from "../support/members.ts";
import { call, freshOrganization, sendGraphQL, sharedServer, startServer } from "../support/server.ts";

const viewer = { query: "{ viewer { id } }" };

describe("revocation", () => {
  // Two instances share a database only where the database is PostgreSQL.
  it("reaches another instance within a second", async function () {
    if (!process.env["TEST_DATABASE_URL"]) this.skip();
    const [tenant, other] = [await freshOrganization(), await startServer()];
    const { body } = await tenant.rest("POST", "/api/api-keys", { label: "laptop" });
    const token = String(body["token"]);
    expect((await sendGraphQL(other.url, token, viewer)).status).to.equal(200);
    await tenant.rest("DELETE", `/api/api-keys/${body["id"]}`);
    await sleep(1_000);
    expect((await sendGraphQL(other.url, token, viewer)).status).to.equal(401);
  });

  it("of a login reaches another instance within a second", async function () {
    if (!process.env["TEST_DATABASE_URL"]) this.skip();
    const [tenant, other] = [await freshOrganization(), await startServer()];
    const bearer = `Bearer ${tenant.accessToken}`;
    expect((await sendGraphQL(other.url, bearer, viewer)).status).to.equal(200);
    await call(tenant.url, "POST", "/api/auth/logout", { body: { refreshToken: tenant.refreshToken } });
    await sleep(1_000);
    expect((await sendGraphQL(other.url, bearer, viewer)).status).to.equal(401);
  });

  it("is seen when the credentials of open sockets are checked", async () => {
    const { runtime } = await sharedServer();
    const tenant = await freshOrganization();
    const guest = await joined(tenant);
    const held = await Promise.all(
      [tenant.accessToken, tenant.apiKey, guest.accessToken].map((one) => authenticateCredential(runtime, one)),
    );
    const before = await liveCredentials(runtime.db, held);
    await tenant.rest("DELETE", `/api/members/${guest.id}`);
    const after = await liveCredentials(runtime.db, held);
    expect([held.map(before), held.map(after)]).to.deep.equal([
      [true, true, true],
      [true, true, false],
    ]);
  });
});
