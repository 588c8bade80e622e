import { expect } from "chai";
import { schema } from "../../server/graphql/schema.ts";
import { removeSpent } from "../../server/jobs/accounts.ts";
import {
  allowedCode,
  authorizationRequest,
  connect,
  exchange,
  postForm,
  postJson,
  refreshed,
  registered,
  viewerStatus,
} from "../support/accounts/oauth.ts";
import { joined } from "../support/members.ts";
import { call, freshOrganization, sharedServer, startServer, type Tenant } from "../support/server.ts";
import { refusal } from "../support/stream/realtime.ts";

describe("attacks on tokens", function () {
  this.timeout(180_000);
  let tenant: Tenant;
  let url: string;
  before(async () => {
    tenant = await freshOrganization();
    url = tenant.url;
  });
  const active = async (token: string) => (await postForm(url, "/oauth/introspect", { token })).body.active;

  const grantsOf = async (clientId: string): Promise<string[]> => {
    const { db } = (await sharedServer()).runtime;
    const text = 'select id from "oauthGrant" where "clientId" = $1';
    return (await db.query<{ id: string }>({ text, values: [clientId] })).map(({ id }) => id);
  };

  it("attack: a refresh token that was used and superseded comes again: the whole connection ends", async () => {
    const { clientId, refresh_token } = await connect(tenant);
    const second = (await refreshed(url, clientId, refresh_token)).body;
    const third = (await refreshed(url, clientId, second.refresh_token)).body;
    expect((await refreshed(url, clientId, refresh_token)).body.error).to.equal("invalid_grant");
    const after = [
      await viewerStatus(url, third.access_token),
      (await refreshed(url, clientId, third.refresh_token)).status,
    ];
    expect(after).to.deep.equal([401, 400]);
  });

  it("attack: a refresh token is used by another program", async () => {
    const { clientId, refresh_token } = await connect(tenant);
    const other = await registered(url);
    expect((await refreshed(url, other, refresh_token)).body.error).to.equal("invalid_grant");
    expect((await refreshed(url, clientId, refresh_token)).status).to.equal(200);
  });

  it("attack: a refresh token is used for another server's address", async () => {
    const { clientId, refresh_token } = await connect(tenant);
    const { body } = await refreshed(url, clientId, refresh_token, { resource: "https://evil.example/mcp" });
    expect(body.error).to.equal("invalid_target");
  });

  it("attack: one kind of token in the place of another", async () => {
    const { clientId, access_token, refresh_token } = await connect(tenant);
    expect((await refreshed(url, clientId, access_token)).body.error).to.equal("invalid_grant");
    expect((await refreshed(url, clientId, tenant.refreshToken)).body.error).to.equal("invalid_grant");
    expect(await viewerStatus(url, refresh_token)).to.equal(401);
    for (const token of [refresh_token, tenant.accessToken, tenant.apiKey, "x"])
      expect(await active(token)).to.equal(false);
    for (const refreshToken of [access_token, refresh_token]) {
      expect((await call(url, "POST", "/api/auth/refresh", { body: { refreshToken } })).status).to.equal(401);
      expect((await call(url, "POST", "/api/auth/logout", { body: { refreshToken } })).status).to.equal(200);
    }
    expect(await viewerStatus(url, access_token)).to.equal(200);
  });

  it("attack: a token of another Trackway", async () => {
    const other = await startServer({ DATABASE_URL: "" });
    const { access_token } = await connect(await freshOrganization(other));
    expect([await viewerStatus(other.url, access_token), await viewerStatus(url, access_token)]).to.deep.equal([
      200, 401,
    ]);
  });

  it("attack: a token in the query or in a form, where logs and histories would keep it", async () => {
    const { access_token } = await connect(tenant);
    const query = `access_token=${access_token}&query=${encodeURIComponent("{ viewer { id } }")}`;
    expect((await fetch(`${url}/graphql?${query}`)).status).to.equal(401);
    expect((await postForm(url, "/graphql", { access_token, query: "{ viewer { id } }" })).status).to.equal(401);
  });

  it("attack: tokens that were touched or made up", async () => {
    const { access_token } = await connect(tenant);
    const last = access_token.at(-1) === "0" ? "1" : "0";
    for (const token of [
      access_token.slice(0, -1) + last,
      access_token.toUpperCase(),
      `${access_token}0`,
      `trk_oauth_${"0".repeat(64)}`,
    ]) {
      expect(await viewerStatus(url, token)).to.equal(401);
    }
  });

  it("attack: a token that has expired", async () => {
    const { access_token, clientId } = await connect(tenant);
    const { db } = (await sharedServer()).runtime;
    const text = `update "oauthToken" set "expiresAt" = now() where kind = 'access' and "grantId" = any($1::uuid[])`;
    await db.query({ text, values: [await grantsOf(clientId)] });
    expect([await viewerStatus(url, access_token), await active(access_token)]).to.deep.equal([401, false]);
  });

  it("attack: the token of a member who was removed, also after they come back", async () => {
    const guest = await joined(tenant);
    const connected = await connect({ ...tenant, accessToken: guest.accessToken });
    await tenant.rest("DELETE", `/api/members/${guest.id}`);
    expect(await viewerStatus(url, connected.access_token)).to.equal(401);
    expect((await refreshed(url, connected.clientId, connected.refresh_token)).status).to.equal(400);
    const invitation = await tenant.rest("POST", "/api/invitations", { email: guest.email });
    const login = await call(url, "POST", "/api/auth/login", {
      body: { email: guest.email, password: guest.password },
    });
    const headers = { authorization: `Bearer ${login.body["accessToken"]}` };
    await call(url, "POST", "/api/invitations/accept", { body: { token: invitation.body["token"] }, headers });
    expect(await viewerStatus(url, connected.access_token)).to.equal(401);
  });

  it("attack: every operation of the control plane, with a token of all scopes", async () => {
    const { access_token } = await connect(tenant, "read write record");
    const { body } = await call(url, "GET", "/api/openapi.json");
    const operations = Object.entries(body["paths"] as Record<string, Record<string, { security: object[] }>>).flatMap(
      ([path, methods]) => Object.entries(methods).map(([method, { security }]) => ({ path, method, security })),
    );
    const closed = operations.filter(({ security }) => security.some((scheme) => Object.hasOwn(scheme, "bearer")));
    expect(closed.length).to.be.at.least(25);
    for (const { path, method } of closed) {
      const target = path.replace(/\{\w+\}/g, tenant.organizationId);
      const response = await fetch(url + target, {
        method: method.toUpperCase(),
        headers: { authorization: `Bearer ${access_token}` },
      });
      expect(response.status, `${method} ${path}`).to.equal(401);
    }
  });

  it("attack: webhooks and their secrets, with a token of all scopes that an owner gave", async () => {
    const { access_token } = await connect(tenant, "read write record");
    const headers = { authorization: `Bearer ${access_token}` };
    const tried = [
      `mutation { webhookCreate(input: { url: "https://evil.example/", resourceTypes: [] }) { success } }`,
      `mutation { x: webhookRotateSecret(id: "${tenant.organizationId}") { secret } }`,
      `mutation { webhookDelete(id: "${tenant.organizationId}") { success } }`,
      `{ webhooks { nodes { id secret } } }`,
      `{ webhooks { edges { node { s: secret } } } }`,
      `query { webhooks { nodes { ...W } } } fragment W on Webhook { secret }`,
      `{ node(id: "${tenant.organizationId}") { ... on Webhook { secret } } }`,
      `{ nodes(ids: ["${tenant.organizationId}"]) { ...W } } fragment W on Node { ... on Webhook { s: secret } }`,
      `{ nodes(ids: ["${tenant.organizationId}"]) { id ... on Node { ... on Webhook { hidden: secret } } } }`,
    ];
    for (const query of tried) {
      const { status, body } = await postJson(url, "/graphql", { query }, headers);
      expect([status, body.errors?.[0].extensions.code], query).to.deep.equal([403, "FORBIDDEN"]);
    }
    const named = Object.keys(schema.getTypeMap()).filter((name) => /apiKey|ingestKey|invitation|password/i.test(name));
    expect(named).to.deep.equal([]);
  });

  it("attack: a token of the scope record alone reads; one without it records", async () => {
    const { access_token } = await connect(tenant, "record");
    expect(await viewerStatus(url, access_token)).to.equal(403);
    expect((await refusal(url, { token: access_token })).data?.["code"]).to.equal("FORBIDDEN");
    const reader = await connect(tenant, "read write");
    const { status, headers } = await postJson(
      url,
      "/api/v1/capture-events",
      { events: [] },
      { authorization: `Bearer ${reader.access_token}` },
    );
    expect([status, headers.get("www-authenticate")]).to.deep.equal([
      403,
      'Bearer error="insufficient_scope", scope="record"',
    ]);
  });

  it("attack: revoking what one does not hold", async () => {
    const { access_token, clientId } = await connect(tenant);
    for (const token of [clientId, "x", `${access_token}x`, tenant.refreshToken, tenant.apiKey]) {
      expect((await postForm(url, "/oauth/revoke", { token })).status).to.equal(200);
    }
    expect(await viewerStatus(url, access_token)).to.equal(200);
    expect(
      (await call(url, "POST", "/api/auth/refresh", { body: { refreshToken: tenant.refreshToken } })).status,
    ).to.equal(200);
  });

  it("attack: a connection that is long unused is taken up again", async () => {
    const { clientId, refresh_token } = await connect(tenant);
    const { db } = (await sharedServer()).runtime;
    for (const text of [
      `update "oauthGrant" set "lastUsedAt" = now() - interval '40 days' where id = any($1::uuid[])`,
      `update "oauthToken" set "expiresAt" = now() - interval '2 days' where "grantId" = any($1::uuid[])`,
    ])
      await db.query({ text, values: [await grantsOf(clientId)] });
    expect((await refreshed(url, clientId, refresh_token)).body.error).to.equal("invalid_grant");
    await removeSpent(db);
    const left = await db.query({ text: `select from "oauthGrant" where "clientId" = $1`, values: [clientId] });
    expect(left).to.deep.equal([]);
  });

  it("attack: OAUTH=off leaves no door open, not for tokens that were given before either", async function () {
    if (!process.env["TEST_DATABASE_URL"]) this.skip();
    const { access_token } = await connect(tenant, "read write record");
    const off = await startServer({ OAUTH: "off" });
    expect(await viewerStatus(off.url, access_token)).to.equal(401);
    const headers = { authorization: `Bearer ${access_token}` };
    expect((await postJson(off.url, "/api/v1/capture-events", { events: [] }, headers)).status).to.equal(401);
  });

  it("OAUTH=off answers each of its paths with 404", async () => {
    const off = await startServer({ OAUTH: "off", DATABASE_URL: "" });
    const paths = [
      "/.well-known/oauth-authorization-server",
      "/.well-known/oauth-protected-resource/mcp",
      "/oauth/authorize",
    ];
    for (const path of paths) expect((await fetch(off.url + path)).status).to.equal(404);
    for (const path of ["token", "register", "revoke", "introspect", "consent"]) {
      expect((await postForm(off.url, `/oauth/${path}`, {})).status).to.equal(404);
    }
  });

  it("an account's organization is chosen at consent: the token acts in that one alone", async () => {
    const request = await authorizationRequest(url);
    const { access_token } = (await exchange(url, request, await allowedCode(tenant, request))).body;
    const { body } = await postJson(
      url,
      "/graphql",
      { query: "{ organization { id } viewer { email } }" },
      { authorization: `Bearer ${access_token}` },
    );
    expect(body.data).to.deep.equal({ organization: { id: tenant.organizationId }, viewer: { email: tenant.email } });
  });
});
