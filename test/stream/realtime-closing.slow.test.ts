import { expect } from "chai";
import { decodeJwt, SignJWT } from "jose";
import { callRestApi, createOrganization, startServer, startSharedServer, type Tenant } from "../support/server.ts";
import { closeSockets, expectSocketRefusal, openSocket, type RealtimeListener } from "../support/stream/realtime.ts";
import { createIssue, createTeam, updateIssue } from "../support/tracker/stream-writes.ts";

/** Returns code and reason of the WebSocket's close frame. */
async function ending({ next }: RealtimeListener): Promise<{ code: number; reason: string }> {
  const [, details] = await next("disconnect");
  return { code: details.context.code, reason: details.context.reason };
}

/** Returns an access token of the tenant that expires in `seconds`. */
async function tokenFor({ accessToken }: Tenant, seconds: number): Promise<string> {
  const { runtime } = await startSharedServer();
  const claims = decodeJwt(accessToken);
  return new SignJWT({ ...claims, exp: Math.floor(Date.now() / 1000) + seconds })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .sign(runtime.secret);
}

/**
 * Opens a socket with a token that expires soon. If the token expires before use on a busy machine, the next token
 * lives longer.
 */
async function listenBriefly(tenant: Tenant): Promise<{ token: string; client: RealtimeListener }> {
  for (let seconds = 2; ; seconds *= 3) {
    const token = await tokenFor(tenant, seconds);
    try {
      return { token, client: await openSocket(tenant.url, { token }) };
    } catch (error) {
      if (seconds > 50) throw error;
    }
  }
}

/** Returns the TCP socket of a client. */
const rawSocket = ({ socket }: RealtimeListener) =>
  (socket.io.engine.transport as unknown as { ws: { _socket: { pause(): void; resume(): void } } }).ws._socket;

describe("the server closes a socket", () => {
  after(closeSockets);

  it("when its key is deleted", async () => {
    const tenant = await createOrganization();
    const made = await tenant.rest("POST", "/api/api-keys", { label: "short-lived" });
    const client = await openSocket(tenant.url, { token: made.body["token"] });
    const ended = ending(client);
    await tenant.rest("DELETE", `/api/api-keys/${made.body["id"]}`);
    expect(await ended).to.deep.equal({ code: 4401, reason: "the credential was revoked" });
    expect((await expectSocketRefusal(tenant.url, { token: made.body["token"] })).data).to.deep.equal({
      code: "AUTHENTICATION_ERROR",
    });
  });

  it("when its login is signed out, and keeps the key's socket", async () => {
    const tenant = await createOrganization();
    const [client, other] = [
      await openSocket(tenant.url, { token: tenant.accessToken }),
      await openSocket(tenant.url, { token: tenant.apiKey }),
    ];
    const ended = ending(client);
    await callRestApi(tenant.url, "POST", "/api/auth/logout", { body: { refreshToken: tenant.refreshToken } });
    expect((await ended).code).to.equal(4401);
    expect(other.socket.connected).to.equal(true);
  });

  it("when its token expires, and refuses an expired token", async () => {
    const tenant = await createOrganization();
    const { token, client } = await listenBriefly(tenant);
    expect(await ending(client)).to.deep.equal({ code: 4401, reason: "the access token expired" });
    expect((await expectSocketRefusal(tenant.url, { token })).data).to.deep.equal({ code: "AUTHENTICATION_ERROR" });
  });

  it("when more than 1 MiB waits for it, and the client resumes without loss", async () => {
    const tenant = await createOrganization();
    const { issue } = await createIssue(tenant, await createTeam(tenant));
    const slow = await openSocket(tenant.url, { token: tenant.apiKey, lastSyncId: 0 });
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
    const again = await openSocket(tenant.url, { token: tenant.apiKey, lastSyncId: seen.at(-1) });
    const rest = await again.until((heard) => heard.at(-1)?.envelope.lastSyncId === last.lastSyncId);
    seen.push(...rest.map(({ envelope }) => envelope.lastSyncId));
    expect(seen).to.deep.equal(seen.map((_, at) => at + 1));
  });

  it("with a reason when the server stops, without delaying the stop", async () => {
    const app = await startServer();
    const tenant = await createOrganization(app);
    const client = await openSocket(tenant.url, { token: tenant.apiKey });
    const ended = ending(client);
    await app.close();
    expect(await ended).to.deep.equal({ code: 1001, reason: "the server is shutting down" });
  });
});
