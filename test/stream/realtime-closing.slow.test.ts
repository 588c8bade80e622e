import { expect } from "chai";
import { decodeJwt, SignJWT } from "jose";
import { call, freshOrganization, sharedServer, startServer, type Tenant } from "../support/server.ts";
import { closeSockets, type Listener, listen, refusal } from "../support/stream/realtime.ts";
import { makeIssue, makeTeam, updateIssue } from "../support/tracker/stream-writes.ts";

/** Code and reason of the WebSocket's end, as the client sees them. */
async function ending({ next }: Listener): Promise<{ code: number; reason: string }> {
  const [, details] = await next("disconnect");
  return { code: details.context.code, reason: details.context.reason };
}

/** The tenant's access token, but ending in `seconds`. */
async function tokenFor({ accessToken }: Tenant, seconds: number): Promise<string> {
  const { runtime } = await sharedServer();
  const claims = decodeJwt(accessToken);
  return new SignJWT({ ...claims, exp: Math.floor(Date.now() / 1000) + seconds })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .sign(runtime.secret);
}

/** A socket whose token ends soon. On a busy machine that may be before it is used: the next one lives longer. */
async function listenBriefly(tenant: Tenant): Promise<{ token: string; client: Listener }> {
  for (let seconds = 2; ; seconds *= 3) {
    const token = await tokenFor(tenant, seconds);
    try {
      return { token, client: await listen(tenant.url, { token }) };
    } catch (error) {
      if (seconds > 50) throw error;
    }
  }
}

/** The TCP connection under a client. */
const rawSocket = ({ socket }: Listener) =>
  (socket.io.engine.transport as unknown as { ws: { _socket: { pause(): void; resume(): void } } }).ws._socket;

describe("a socket is closed", () => {
  after(closeSockets);

  it("when its key is deleted", async () => {
    const tenant = await freshOrganization();
    const made = await tenant.rest("POST", "/api/api-keys", { label: "short-lived" });
    const client = await listen(tenant.url, { token: made.body["token"] });
    const ended = ending(client);
    await tenant.rest("DELETE", `/api/api-keys/${made.body["id"]}`);
    expect(await ended).to.deep.equal({ code: 4401, reason: "the credential was revoked" });
    expect((await refusal(tenant.url, { token: made.body["token"] })).data).to.deep.equal({
      code: "AUTHENTICATION_ERROR",
    });
  });

  it("when its login is logged out, and the key's stays", async () => {
    const tenant = await freshOrganization();
    const [client, other] = [
      await listen(tenant.url, { token: tenant.accessToken }),
      await listen(tenant.url, { token: tenant.apiKey }),
    ];
    const ended = ending(client);
    await call(tenant.url, "POST", "/api/auth/logout", { body: { refreshToken: tenant.refreshToken } });
    expect((await ended).code).to.equal(4401);
    expect(other.socket.connected).to.equal(true);
  });

  it("when its token expires, and an expired one is refused", async () => {
    const tenant = await freshOrganization();
    const { token, client } = await listenBriefly(tenant);
    expect(await ending(client)).to.deep.equal({ code: 4401, reason: "the access token expired" });
    expect((await refusal(tenant.url, { token })).data).to.deep.equal({ code: "AUTHENTICATION_ERROR" });
  });

  it("when more than 1 MiB waits for it, and it resumes without a loss", async () => {
    const tenant = await freshOrganization();
    const { issue } = await makeIssue(tenant, await makeTeam(tenant));
    const slow = await listen(tenant.url, { token: tenant.apiKey, lastSyncId: 0 });
    await slow.until((heard) => heard.some(({ event }) => event === "issue.created"));
    const ended = slow.next("disconnect");
    rawSocket(slow).pause();
    const last = { lastSyncId: 0 };
    for (let count = 0; count < 40; count += 1) {
      Object.assign(last, await updateIssue(tenant, issue.id, { description: String(count % 10).repeat(250_000) }));
    }
    rawSocket(slow).resume();
    await ended;
    const seen = slow.heard.map(({ envelope }) => envelope.lastSyncId);
    const again = await listen(tenant.url, { token: tenant.apiKey, lastSyncId: seen.at(-1) });
    const rest = await again.until((heard) => heard.at(-1)?.envelope.lastSyncId === last.lastSyncId);
    seen.push(...rest.map(({ envelope }) => envelope.lastSyncId));
    expect(seen).to.deep.equal(seen.map((_, at) => at + 1));
  });

  it("when the server stops, with a reason, and the stop is not held up", async () => {
    const app = await startServer();
    const tenant = await freshOrganization(app);
    const client = await listen(tenant.url, { token: tenant.apiKey });
    const ended = ending(client);
    await app.close();
    expect(await ended).to.deep.equal({ code: 1001, reason: "the server is shutting down" });
  });
});
