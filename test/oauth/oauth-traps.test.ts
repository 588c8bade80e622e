import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { readConfig } from "../../server/config.ts";
import { issuerOf } from "../../server/oauth/issuer.ts";
import type { Runtime } from "../../server/runtime.ts";
import {
  authorizationRequest,
  connect,
  decide,
  get,
  listTools,
  type Pair,
  postForm,
  postJson,
  REDIRECT,
  refreshed,
  registered,
  startPair,
  viewerStatus,
} from "../support/accounts/oauth.ts";
import { startMcpHttp } from "../support/mcp.ts";
import { freshOrganization, startServer } from "../support/server.ts";

/** The issuer and the first resources of a server with this environment, listening on port 4000. */
function issuerWith(env: Record<string, string>) {
  const config = readConfig(env);
  const publicUrl = config.PUBLIC_URL?.replace(/\/$/, "") ?? `http://${config.HOST}:4000`;
  return issuerOf({ config, publicUrl } as Runtime);
}

describe("what trips up clients that connect", function () {
  this.timeout(180_000);
  let pair: Pair;
  before(async () => {
    pair = await startPair();
  });
  const metadata = async () => (await get(pair.tenant.url, "/.well-known/oauth-authorization-server")).body;

  it("refreshes in parallel, as a client does whose calls meet an old token together, end nothing", async () => {
    const { url } = pair.tenant;
    const { clientId, refresh_token } = await connect(pair.tenant);
    const answers = await Promise.all(Array.from({ length: 8 }, () => refreshed(url, clientId, refresh_token)));
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(8).fill(200));
    const [first, second] = answers;
    const next = await refreshed(url, clientId, first?.body.refresh_token);
    expect(next.status).to.equal(200);
    expect((await refreshed(url, clientId, second?.body.refresh_token)).status).to.equal(400);
    expect(await viewerStatus(url, next.body.access_token)).to.equal(200);
  });

  it("a request without a scope, or with unknown ones alone, is for what most people want", async () => {
    const { url } = pair.tenant;
    for (const [scope, given] of [
      [undefined, ["read", "write"]],
      ["openid offline_access trackway", ["read", "write"]],
      ["write", ["read", "write"]],
      ["read record nonsense", ["read", "record"]],
    ] as const) {
      const { query } = await authorizationRequest(url, { scope });
      const bearer = { authorization: `Bearer ${pair.tenant.accessToken}` };
      const { body } = await postJson(url, "/oauth/consent/request", { query }, bearer);
      expect(body.scopes).to.deep.equal(given);
    }
  });

  it("the issuer stands at the origin and is never taken from a request, PUBLIC_URL with a path or not", () => {
    const issuer = issuerWith({ PUBLIC_URL: "https://tracker.example.com/trackway/" });
    expect([issuer?.url, issuer?.resources[0]]).to.deep.equal([
      "https://tracker.example.com",
      "https://tracker.example.com/mcp",
    ]);
    expect(
      issuerWith({ PUBLIC_URL: "https://t.example.com", MCP_PUBLIC_URL: "https://mcp.example.com/mcp" })?.resources[0],
    ).to.equal("https://mcp.example.com/mcp");
    expect(issuerWith({ PUBLIC_URL: "https://t.example.com" })?.resources).to.not.include("http://127.0.0.1:4100/mcp");
    expect(issuerWith({ HOST: "0.0.0.0" })).to.equal(undefined);
    expect(issuerWith({ OAUTH: "off" })).to.equal(undefined);
  });

  it("works on this computer without PUBLIC_URL, under each of its names: the resource is what was pasted", async () => {
    const { port } = new URL(pair.mcp);
    for (const host of ["127.0.0.1", "localhost"]) {
      const pasted = `http://${host}:${port}/mcp`;
      const { headers } = await postJson(pasted, "", {});
      const address = `http://${host}:${port}/.well-known/oauth-protected-resource/mcp`;
      expect(headers.get("www-authenticate")).to.equal(`Bearer resource_metadata="${address}", scope="read write"`);
      const { body } = await get(`${address}?x=1`);
      expect([body.resource, body.authorization_servers]).to.deep.equal([pasted, [pair.tenant.url]]);
      const { query } = await authorizationRequest(pair.tenant.url, { resource: pasted });
      expect((await decide(pair.tenant, query)).status).to.equal(200);
    }
    expect(issuerWith({})?.resources.slice(0, 3)).to.deep.equal(
      ["127.0.0.1", "localhost", "[::1]"].map((host) => `http://${host}:4100/mcp`),
    );
  });

  it("MCP asks for a token before it says which methods there are, and keeps 405 for those who have one", async () => {
    for (const method of ["GET", "HEAD", "POST", "DELETE"]) {
      const { status, headers } = await fetch(pair.mcp, { method });
      expect([method, status, headers.get("www-authenticate")?.includes("resource_metadata=")]).to.deep.equal([
        method,
        401,
        true,
      ]);
    }
    const { access_token } = await connect(pair.tenant);
    const { status, headers } = await fetch(pair.mcp, { headers: { authorization: `Bearer ${access_token}` } });
    expect([status, headers.get("allow")]).to.deep.equal([405, "POST, OPTIONS"]);
  });

  it("a foreign Host is refused by MCP before it could stand in its metadata", async () => {
    const { request } = await import("node:http");
    const { hostname, port } = new URL(pair.mcp);
    const status = await new Promise((resolve) => {
      const path = "/.well-known/oauth-protected-resource/mcp";
      request({ hostname, port, path, headers: { host: "evil.example" } }, (response) =>
        resolve(response.statusCode),
      ).end();
    });
    expect(status).to.equal(403);
  });

  it("a token that has ended is answered by MCP with the way to a new one, whatever was asked", async () => {
    const { access_token } = await connect(pair.tenant);
    await postForm(pair.tenant.url, "/oauth/revoke", { token: access_token });
    for (const method of ["tools/list", "ping", "initialize"]) {
      const body = { jsonrpc: "2.0", id: 1, method, params: {} };
      const { status, headers } = await postJson(pair.mcp, "", body, { authorization: `Bearer ${access_token}` });
      expect([
        status,
        headers.get("www-authenticate")?.startsWith('Bearer error="invalid_token", resource_metadata='),
      ]).to.deep.equal([401, true]);
    }
  });

  it("with OAUTH=off MCP asks for a key and for nothing else, and /.well-known stays 404", async () => {
    const off = await startServer({ OAUTH: "off", DATABASE_URL: "" });
    const mcp = await startMcpHttp(off.url);
    expect((await postJson(mcp, "", {})).headers.get("www-authenticate")).to.equal("Bearer");
    expect((await fetch(mcp)).status).to.equal(405);
    expect((await fetch(new URL("/.well-known/oauth-protected-resource/mcp", mcp))).status).to.equal(404);
  });

  it("registrations that ask for more than there is are taken", async () => {
    const { url } = pair.tenant;
    const extra = {
      application_type: "web",
      grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
      response_types: ["code"],
      scope: "openid offline_access",
      client_uri: "https://code.example",
      logo_uri: "",
      software_id: "x",
    };
    for (const more of [
      extra,
      { scope: "" },
      { token_endpoint_auth_method: "client_secret_post" },
      { client_name: null },
    ]) {
      const { status, body } = await postJson(url, "/oauth/register", {
        redirect_uris: [REDIRECT, "vscode://x/y"],
        ...more,
      });
      expect([status, body.token_endpoint_auth_method]).to.deep.equal([201, "none"]);
    }
    expect((await postJson(url, "/oauth/register", { redirect_uris: [] })).status).to.equal(400);
  });

  it("a program that was used once is never forgotten while it is connected", async () => {
    const { runtime } = pair.app;
    const { clientId, refresh_token } = await connect(pair.tenant);
    const unused = await registered(pair.tenant.url);
    const text = `update "oauthClient" set "createdAt" = now() - interval '3 days' where id = any($1::text[])`;
    await runtime.db.query({ text, values: [[clientId, unused]] });
    const { removeSpent } = await import("../../server/jobs/accounts.ts");
    await removeSpent(runtime.db);
    const kept = await runtime.db.query({
      text: `select id from "oauthClient" where id = any($1::text[])`,
      values: [[clientId, unused]],
    });
    expect(kept).to.deep.equal([{ id: clientId }]);
    expect((await refreshed(pair.tenant.url, clientId, refresh_token)).status).to.equal(200);
    const page = await get(
      pair.tenant.url,
      `/oauth/authorize?${(await authorizationRequest(pair.tenant.url, { client_id: unused })).query}`,
    );
    expect(page.body).to.contain("Remove this server in your program and add it again");
  });

  it("pages of other origins read the metadata and trade codes, without cookies", async () => {
    const origin = { origin: "https://inspector.example" };
    for (const path of ["/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource/mcp"]) {
      expect((await get(pair.tenant.url, path, origin)).headers.get("access-control-allow-origin")).to.equal("*");
    }
    for (const path of ["token", "register", "revoke"]) {
      const preflight = await fetch(`${pair.tenant.url}/oauth/${path}`, {
        method: "OPTIONS",
        headers: { ...origin, "access-control-request-method": "POST" },
      });
      expect([preflight.status, preflight.headers.get("access-control-allow-credentials")]).to.deep.equal([204, null]);
    }
  });

  it("says what clients look for before they begin", async () => {
    const found = await metadata();
    expect(found.token_endpoint_auth_methods_supported).to.include("none");
    expect(found).to.include({
      client_id_metadata_document_supported: false,
      registration_endpoint: `${pair.tenant.url}/oauth/register`,
    });
    expect(found.scopes_supported).to.deep.equal(["read", "write", "record"]);
    expect((await listTools(pair.mcp, pair.tenant.apiKey)).status).to.equal(200);
  });

  it("records with a token as with an ingest key: events, sessions and repeats, until it is ended", async () => {
    const { url, ...tenant } = await freshOrganization(pair.app);
    const { access_token } = await connect({ url, ...tenant }, "read record");
    const bearer = { authorization: `Bearer ${access_token}` };
    const session_id = randomUUID();
    const session = { session_id, user_data: { user_id: "u" }, metadata: {} };
    expect((await postJson(url, "/api/v1/capture-session", session, bearer)).status).to.equal(200);
    const event = { event_id: randomUUID(), session_id, primitive_name: "agent", args: "", result: "" };
    for (let times = 0; times < 2; times += 1) {
      const { status, body } = await postJson(url, "/api/v1/capture-events", { events: [event] }, bearer);
      expect([status, body.accepted]).to.deep.equal([202, 1]);
    }
    const many = Array.from({ length: 20 }, () => ({ ...event, event_id: randomUUID() }));
    await Promise.all(many.map((one) => postJson(url, "/api/v1/capture-event", one, bearer)));
    const { body } = await postJson(
      url,
      "/graphql",
      { query: `{ recordedSession(id: "${session_id}") { totals { events } } }` },
      bearer,
    );
    expect(body.data.recordedSession.totals.events).to.equal(21);
    await postForm(url, "/oauth/revoke", { token: access_token });
    await sleep(10);
    for (const path of ["capture-events", "capture-event", "capture-session"]) {
      const sent =
        path === "capture-events"
          ? { events: [{ ...event, event_id: randomUUID() }] }
          : path === "capture-event"
            ? { ...event, event_id: randomUUID() }
            : session;
      expect((await postJson(url, `/api/v1/${path}`, sent, bearer)).status, path).to.equal(401);
    }
  });
});
