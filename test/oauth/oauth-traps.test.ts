import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { readConfig } from "../../server/config.ts";
import { findIssuer } from "../../server/oauth/issuer.ts";
import type { Runtime } from "../../server/runtime.ts";
import {
  connectOauthApp,
  createAuthorizationRequest,
  exchangeRefreshToken,
  getWithoutRedirect,
  listTools,
  postForm,
  postJson,
  REDIRECT_URI,
  readViewerStatus,
  registerApp,
  type ServerPair,
  sendDecision,
  startServerPair,
} from "../support/accounts/oauth.ts";
import { startMcpHttp } from "../support/mcp.ts";
import { createOrganization, startServer } from "../support/server.ts";

/** Returns the issuer and the resources of a server with these environment variables on port 4000. */
function issuerWith(env: Record<string, string>) {
  const config = readConfig(env);
  const publicUrl = config.PUBLIC_URL ?? `http://${config.HOST}:4000`;
  return findIssuer({ config, publicUrl } as Runtime);
}

describe("OAuth compatibility with clients:", () => {
  let pair: ServerPair;
  before(async () => {
    pair = await startServerPair();
  });
  const metadata = async () =>
    (await getWithoutRedirect(pair.tenant.url, "/.well-known/oauth-authorization-server")).body;

  it("parallel refreshes with an old token revoke nothing", async () => {
    const { url } = pair.tenant;
    const { clientId, refresh_token } = await connectOauthApp(pair.tenant);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => exchangeRefreshToken(url, clientId, refresh_token)),
    );
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(8).fill(200));
    const [first, second] = answers;
    const next = await exchangeRefreshToken(url, clientId, first?.body.refresh_token);
    expect(next.status).to.equal(200);
    expect((await exchangeRefreshToken(url, clientId, second?.body.refresh_token)).status).to.equal(400);
    expect(await readViewerStatus(url, next.body.access_token)).to.equal(200);
  });

  it("a request without scopes, or only with unknown scopes, gets the default scopes", async () => {
    const { url } = pair.tenant;
    for (const [scope, given] of [
      [undefined, ["read", "write"]],
      ["openid offline_access trackway", ["read", "write"]],
      ["write", ["read", "write"]],
      ["read record nonsense", ["read", "record"]],
    ] as const) {
      const { query } = await createAuthorizationRequest(url, { scope });
      const bearer = { authorization: `Bearer ${pair.tenant.accessToken}` };
      const { body } = await postJson(url, "/oauth/consent/request", { query }, bearer);
      expect(body.scopes).to.deep.equal(given);
    }
  });

  it("the issuer is at the origin and is never taken from a request", () => {
    const issuer = issuerWith({ PUBLIC_URL: "HTTPS://Tracker.Example.com:443/" });
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

  it("without PUBLIC_URL each name of the computer works, and the resource is the pasted address", async () => {
    const { port } = new URL(pair.mcp);
    for (const host of ["127.0.0.1", "localhost"]) {
      const pasted = `http://${host}:${port}/mcp`;
      const { headers } = await postJson(pasted, "", {});
      const address = `http://${host}:${port}/.well-known/oauth-protected-resource/mcp`;
      expect(headers.get("www-authenticate")).to.equal(`Bearer resource_metadata="${address}", scope="read write"`);
      const { body } = await getWithoutRedirect(`${address}?x=1`);
      expect([body.resource, body.authorization_servers]).to.deep.equal([pasted, [pair.tenant.url]]);
      const { query } = await createAuthorizationRequest(pair.tenant.url, { resource: pasted });
      expect((await sendDecision(pair.tenant, query)).status).to.equal(200);
    }
    expect(issuerWith({})?.resources.slice(0, 3)).to.deep.equal(
      ["127.0.0.1", "localhost", "[::1]"].map((host) => `http://${host}:4100/mcp`),
    );
  });

  it("MCP asks for a token before it reports allowed methods, and keeps 405 for authenticated requests", async () => {
    for (const method of ["GET", "HEAD", "POST", "DELETE"]) {
      const { status, headers } = await fetch(pair.mcp, { method });
      expect([method, status, headers.get("www-authenticate")?.includes("resource_metadata=")]).to.deep.equal([
        method,
        401,
        true,
      ]);
    }
    const { access_token } = await connectOauthApp(pair.tenant);
    const { status, headers } = await fetch(pair.mcp, { headers: { authorization: `Bearer ${access_token}` } });
    expect([status, headers.get("allow")]).to.deep.equal([405, "POST, OPTIONS"]);
  });

  it("MCP refuses a foreign Host before it could appear in metadata", async () => {
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

  it("MCP responds to a revoked token with the way to a new token, for any request", async () => {
    const { access_token } = await connectOauthApp(pair.tenant);
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

  it("with OAUTH=off MCP asks only for a key, and /.well-known stays 404", async () => {
    const off = await startServer({ OAUTH: "off", DATABASE_URL: "" });
    const mcp = await startMcpHttp(off.url);
    expect((await postJson(mcp, "", {})).headers.get("www-authenticate")).to.equal("Bearer");
    expect((await fetch(mcp)).status).to.equal(405);
    expect((await fetch(new URL("/.well-known/oauth-protected-resource/mcp", mcp))).status).to.equal(404);
  });

  it("registrations with unknown scopes, grants and members are accepted", async () => {
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
        redirect_uris: [REDIRECT_URI, "vscode://x/y"],
        ...more,
      });
      expect([status, body.token_endpoint_auth_method]).to.deep.equal([201, "none"]);
    }
    expect((await postJson(url, "/oauth/register", { redirect_uris: [] })).status).to.equal(400);
  });

  it("an app that was used once stays registered while connected", async () => {
    const { runtime } = pair.app;
    const { clientId, refresh_token } = await connectOauthApp(pair.tenant);
    const unused = await registerApp(pair.tenant.url);
    const text = `update "oauthClient" set "createdAt" = now() - interval '3 days' where id = any($1::text[])`;
    await runtime.db.query({ text, values: [[clientId, unused]] });
    const { removeObsoleteAccountRows } = await import("../../server/jobs/accounts.ts");
    await removeObsoleteAccountRows(runtime.db);
    const kept = await runtime.db.query({
      text: `select id from "oauthClient" where id = any($1::text[])`,
      values: [[clientId, unused]],
    });
    expect(kept).to.deep.equal([{ id: clientId }]);
    expect((await exchangeRefreshToken(pair.tenant.url, clientId, refresh_token)).status).to.equal(200);
    const page = await getWithoutRedirect(
      pair.tenant.url,
      `/oauth/authorize?${(await createAuthorizationRequest(pair.tenant.url, { client_id: unused })).query}`,
    );
    expect(page.body).to.contain("Remove this server in your program and add it again");
  });

  it("pages of other origins can read the metadata and exchange codes, without cookies", async () => {
    const origin = { origin: "https://inspector.example" };
    for (const path of ["/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource/mcp"]) {
      expect(
        (await getWithoutRedirect(pair.tenant.url, path, origin)).headers.get("access-control-allow-origin"),
      ).to.equal("*");
    }
    for (const path of ["token", "register", "revoke"]) {
      const preflight = await fetch(`${pair.tenant.url}/oauth/${path}`, {
        method: "OPTIONS",
        headers: { ...origin, "access-control-request-method": "POST" },
      });
      expect([preflight.status, preflight.headers.get("access-control-allow-credentials")]).to.deep.equal([204, null]);
    }
  });

  it("the metadata that clients request first is published", async () => {
    const found = await metadata();
    expect(found.token_endpoint_auth_methods_supported).to.include("none");
    expect(found).to.include({
      client_id_metadata_document_supported: false,
      registration_endpoint: `${pair.tenant.url}/oauth/register`,
    });
    expect(found.scopes_supported).to.deep.equal(["read", "write", "record"]);
    expect((await listTools(pair.mcp, pair.tenant.apiKey)).status).to.equal(200);
  });

  it("a token records events, sessions and repeats like an ingest key, until revoked", async () => {
    const { url, ...tenant } = await createOrganization(pair.app);
    const { access_token } = await connectOauthApp({ url, ...tenant }, "read record");
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
