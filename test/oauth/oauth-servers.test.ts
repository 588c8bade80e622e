import { expect } from "chai";
import type { App } from "../../server/app.ts";
import {
  callRest,
  connectOauthApp,
  createAuthorizationRequest,
  exchangeCode,
  exchangeRefreshToken,
  obtainCode,
  postForm,
  readViewerStatus,
  sendDecision,
} from "../support/accounts/oauth.ts";
import { describeOnPostgres } from "../support/db/postgres.ts";
import { createOrganization, startServer, startSharedServer, type Tenant } from "../support/server.ts";
import { closeSockets, expectSocketRefusal, openSocket } from "../support/stream/realtime.ts";

const PUBLIC_URL = "http://127.0.0.1:4000";

describeOnPostgres("an app with OAuth on three servers of one database", () => {
  let apps: App[];
  let tenant: Tenant;
  before(async () => {
    apps = await Promise.all([1, 2, 3].map(() => startServer({ PUBLIC_URL })));
    tenant = await createOrganization(apps[0]);
  });
  const at = (n: number) => apps[n % 3]?.url ?? "";

  it("registers at one, is allowed at another, exchanges its code at the third, and its tokens work at all", async () => {
    const request = await createAuthorizationRequest(at(0));
    const code = await obtainCode({ ...tenant, url: at(1) }, request);
    const { body } = await exchangeCode(at(2), request, code);
    expect(await Promise.all([0, 1, 2].map((n) => readViewerStatus(at(n), body.access_token)))).to.deep.equal([
      200, 200, 200,
    ]);
    const next = await exchangeRefreshToken(at(0), request.clientId, body.refresh_token);
    expect((await exchangeRefreshToken(at(1), request.clientId, next.body.refresh_token)).status).to.equal(200);
    const answer = new URL((await sendDecision({ ...tenant, url: at(1) }, request.query)).body.redirect);
    expect(answer.searchParams.get("iss")).to.equal(PUBLIC_URL);
  });

  it("attack: gets tokens at most once for a code presented thirty times at once to three servers", async () => {
    for (let round = 0; round < 5; round += 1) {
      const request = await createAuthorizationRequest(at(0));
      const code = await obtainCode(tenant, request);
      const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => exchangeCode(at(n), request, code)));
      const given = answers.filter(({ status }) => status === 200);
      expect(given.length).to.equal(1);
      expect(await readViewerStatus(at(round), given[0]?.body.access_token)).to.equal(401);
    }
  });

  it("attack: loses its connection when an old refresh token is replayed at another server", async () => {
    const { clientId, refresh_token } = await connectOauthApp({ ...tenant, url: at(0) });
    const second = (await exchangeRefreshToken(at(1), clientId, refresh_token)).body;
    const third = (await exchangeRefreshToken(at(2), clientId, second.refresh_token)).body;
    expect((await exchangeRefreshToken(at(0), clientId, refresh_token)).status).to.equal(400);
    expect((await exchangeRefreshToken(at(1), clientId, third.refresh_token)).status).to.equal(400);
  });

  it("keeps its connection when three servers refresh the same token at once", async () => {
    const { clientId, refresh_token } = await connectOauthApp({ ...tenant, url: at(0) });
    const answers = await Promise.all(
      Array.from({ length: 9 }, (_, n) => exchangeRefreshToken(at(n), clientId, refresh_token)),
    );
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(9).fill(200));
    expect((await exchangeRefreshToken(at(1), clientId, answers[4]?.body.refresh_token)).status).to.equal(200);
  });
});

describe("revoking an OAuth connection", () => {
  after(closeSockets);

  /** Revokes a connection with `end`, and returns how the server closed the socket. */
  const closedBy = async (end: (tenant: Tenant, token: string) => Promise<unknown>) => {
    const tenant = await createOrganization();
    const { access_token } = await connectOauthApp(tenant);
    const client = await openSocket(tenant.url, { token: access_token });
    const ended = client.next("disconnect").then(([, details]) => ({ code: details.context.code, at: Date.now() }));
    await end(tenant, access_token);
    const begun = Date.now();
    const { code, at } = await ended;
    expect([code, at - begun < 5_000]).to.deep.equal([4401, true]);
    expect((await expectSocketRefusal(tenant.url, { token: access_token })).data).to.deep.equal({
      code: "AUTHENTICATION_ERROR",
    });
    expect(await readViewerStatus(tenant.url, access_token)).to.equal(401);
  };

  it("closes its sockets when the app revokes its token", () =>
    closedBy(({ url }, token) => postForm(url, "/oauth/revoke", { token })));

  it("closes its sockets when the user revokes it", () =>
    closedBy(async ({ url, accessToken }) => {
      const listed = (await callRest(url, accessToken, "GET", "/api/connections")).body["connections"] as {
        id: string;
      }[];
      await callRest(url, accessToken, "DELETE", `/api/connections/${listed[0]?.id}`);
    }));

  it("closes its sockets when an operator revokes it, by id or with all connections of a user", async () => {
    const { runCommand } = await import("../../server/admin/commands.ts");
    const { runtime } = await startSharedServer();
    await closedBy(({ email }) => runCommand(runtime, ["revoke", email]));
    await closedBy(async ({ email }) => {
      const line = (await runCommand(runtime, ["list", "connections"])).split("\n").find((one) => one.includes(email));
      await runCommand(runtime, ["revoke", line?.split("\t")[0] ?? ""]);
    });
  });
});
