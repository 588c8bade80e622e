import { expect } from "chai";
import type { App } from "../../server/app.ts";
import {
  allowedCode,
  authorizationRequest,
  connect,
  decide,
  exchange,
  postForm,
  refreshed,
  rest,
  viewerStatus,
} from "../support/accounts/oauth.ts";
import { describeOnPostgres } from "../support/db/postgres.ts";
import { freshOrganization, sharedServer, startServer, type Tenant } from "../support/server.ts";
import { closeSockets, listen, refusal } from "../support/stream/realtime.ts";

const PUBLIC_URL = "http://127.0.0.1:4000";

describeOnPostgres("OAuth over three servers on one database", function () {
  this.timeout(180_000);
  let apps: App[];
  let tenant: Tenant;
  before(async () => {
    apps = await Promise.all([1, 2, 3].map(() => startServer({ PUBLIC_URL })));
    tenant = await freshOrganization(apps[0]);
  });
  const at = (n: number) => apps[n % 3]?.url ?? "";

  it("is registered at one, allowed at another, trades its code at the third, and its tokens open all", async () => {
    const request = await authorizationRequest(at(0));
    const code = await allowedCode({ ...tenant, url: at(1) }, request);
    const { body } = await exchange(at(2), request, code);
    expect(await Promise.all([0, 1, 2].map((n) => viewerStatus(at(n), body.access_token)))).to.deep.equal([
      200, 200, 200,
    ]);
    const next = await refreshed(at(0), request.clientId, body.refresh_token);
    expect((await refreshed(at(1), request.clientId, next.body.refresh_token)).status).to.equal(200);
    const answer = new URL((await decide({ ...tenant, url: at(1) }, request.query)).body.redirect);
    expect(answer.searchParams.get("iss")).to.equal(PUBLIC_URL);
  });

  it("attack: one code is presented to three servers thirty times at once: one gets tokens at most", async () => {
    for (let round = 0; round < 5; round += 1) {
      const request = await authorizationRequest(at(0));
      const code = await allowedCode(tenant, request);
      const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => exchange(at(n), request, code)));
      const given = answers.filter(({ status }) => status === 200);
      expect(given.length).to.equal(1);
      expect(await viewerStatus(at(round), given[0]?.body.access_token)).to.equal(401);
    }
  });

  it("attack: an old refresh token is replayed at another server than the one that took it", async () => {
    const { clientId, refresh_token } = await connect({ ...tenant, url: at(0) });
    const second = (await refreshed(at(1), clientId, refresh_token)).body;
    const third = (await refreshed(at(2), clientId, second.refresh_token)).body;
    expect((await refreshed(at(0), clientId, refresh_token)).status).to.equal(400);
    expect((await refreshed(at(1), clientId, third.refresh_token)).status).to.equal(400);
  });

  it("refreshes of one token at three servers at once end nothing", async () => {
    const { clientId, refresh_token } = await connect({ ...tenant, url: at(0) });
    const answers = await Promise.all(Array.from({ length: 9 }, (_, n) => refreshed(at(n), clientId, refresh_token)));
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(9).fill(200));
    expect((await refreshed(at(1), clientId, answers[4]?.body.refresh_token)).status).to.equal(200);
  });
});

describe("a connection that ends", () => {
  after(closeSockets);

  /** Ends one in a way, and tells how its socket was closed. */
  const closedBy = async (end: (tenant: Tenant, token: string) => Promise<unknown>) => {
    const tenant = await freshOrganization();
    const { access_token } = await connect(tenant);
    const client = await listen(tenant.url, { token: access_token });
    const ended = client.next("disconnect").then(([, details]) => ({ code: details.context.code, at: Date.now() }));
    await end(tenant, access_token);
    const begun = Date.now();
    const { code, at } = await ended;
    expect([code, at - begun < 5_000]).to.deep.equal([4401, true]);
    expect((await refusal(tenant.url, { token: access_token })).data).to.deep.equal({ code: "AUTHENTICATION_ERROR" });
    expect(await viewerStatus(tenant.url, access_token)).to.equal(401);
  };

  it("closes its sockets when the program gives its token back", () =>
    closedBy(({ url }, token) => postForm(url, "/oauth/revoke", { token })));

  it("closes its sockets when the person ends it", () =>
    closedBy(async ({ url, accessToken }) => {
      const listed = (await rest(url, accessToken, "GET", "/api/connections")).body["connections"] as { id: string }[];
      await rest(url, accessToken, "DELETE", `/api/connections/${listed[0]?.id}`);
    }));

  it("closes its sockets when an operator ends it, by its id or with all of a person's", async () => {
    const { runCommand } = await import("../../server/admin/commands.ts");
    const { runtime } = await sharedServer();
    await closedBy(({ email }) => runCommand(runtime, ["revoke", email]));
    await closedBy(async ({ email }) => {
      const line = (await runCommand(runtime, ["list", "connections"])).split("\n").find((one) => one.includes(email));
      await runCommand(runtime, ["revoke", line?.split("\t")[0] ?? ""]);
    });
  });
});
