import { expect } from "chai";
import { combinedSchema } from "../../server/graphql/schema.ts";
import { removeObsoleteAccountRows } from "../../server/jobs/accounts.ts";
import {
  connectOauthApp,
  createAuthorizationRequest,
  exchangeCode,
  exchangeRefreshToken,
  obtainCode,
  postForm,
  postJson,
  readViewerStatus,
  registerApp,
} from "../support/accounts/oauth.ts";
import { inviteGuest } from "../support/members.ts";
import { callRestApi, createOrganization, startServer, startSharedServer, type Tenant } from "../support/server.ts";
import { expectSocketRefusal } from "../support/stream/realtime.ts";

describe("OAuth tokens:", () => {
  let tenant: Tenant;
  let url: string;
  before(async () => {
    tenant = await createOrganization();
    url = tenant.url;
  });
  const active = async (token: string) => (await postForm(url, "/oauth/introspect", { token })).body.active;

  const grantsOf = async (clientId: string): Promise<string[]> => {
    const { db } = (await startSharedServer()).runtime;
    const text = 'select id from "oauthGrant" where "clientId" = $1';
    return (await db.query<{ id: string }>({ text, values: [clientId] })).map(({ id }) => id);
  };

  it("a used and superseded refresh token revokes the whole connection", async () => {
    const { clientId, refresh_token } = await connectOauthApp(tenant);
    const second = (await exchangeRefreshToken(url, clientId, refresh_token)).body;
    const third = (await exchangeRefreshToken(url, clientId, second.refresh_token)).body;
    expect((await exchangeRefreshToken(url, clientId, refresh_token)).body.error).to.equal("invalid_grant");
    const after = [
      await readViewerStatus(url, third.access_token),
      (await exchangeRefreshToken(url, clientId, third.refresh_token)).status,
    ];
    expect(after).to.deep.equal([401, 400]);
  });

  it("a refresh token of another app is refused", async () => {
    const { clientId, refresh_token } = await connectOauthApp(tenant);
    const other = await registerApp(url);
    expect((await exchangeRefreshToken(url, other, refresh_token)).body.error).to.equal("invalid_grant");
    expect((await exchangeRefreshToken(url, clientId, refresh_token)).status).to.equal(200);
  });

  it("a refresh token for another server's resource is refused", async () => {
    const { clientId, refresh_token } = await connectOauthApp(tenant);
    const { body } = await exchangeRefreshToken(url, clientId, refresh_token, { resource: "https://evil.example/mcp" });
    expect(body.error).to.equal("invalid_target");
  });

  it("a token of one kind in place of another kind is refused", async () => {
    const { clientId, access_token, refresh_token } = await connectOauthApp(tenant);
    expect((await exchangeRefreshToken(url, clientId, access_token)).body.error).to.equal("invalid_grant");
    expect((await exchangeRefreshToken(url, clientId, tenant.refreshToken)).body.error).to.equal("invalid_grant");
    expect(await readViewerStatus(url, refresh_token)).to.equal(401);
    for (const token of [refresh_token, tenant.accessToken, tenant.apiKey, "x"])
      expect(await active(token)).to.equal(false);
    for (const refreshToken of [access_token, refresh_token]) {
      expect((await callRestApi(url, "POST", "/api/auth/refresh", { body: { refreshToken } })).status).to.equal(401);
      expect((await callRestApi(url, "POST", "/api/auth/logout", { body: { refreshToken } })).status).to.equal(200);
    }
    expect(await readViewerStatus(url, access_token)).to.equal(200);
  });

  it("a token of another Trackway server is refused", async () => {
    const other = await startServer({ DATABASE_URL: "" });
    const { access_token } = await connectOauthApp(await createOrganization(other));
    expect([await readViewerStatus(other.url, access_token), await readViewerStatus(url, access_token)]).to.deep.equal([
      200, 401,
    ]);
  });

  it("a token in the query or in a form, where logs and histories would store it, is refused", async () => {
    const { access_token } = await connectOauthApp(tenant);
    const query = `access_token=${access_token}&query=${encodeURIComponent("{ viewer { id } }")}`;
    expect((await fetch(`${url}/graphql?${query}`)).status).to.equal(401);
    expect((await postForm(url, "/graphql", { access_token, query: "{ viewer { id } }" })).status).to.equal(401);
  });

  it("modified or invented tokens are refused", async () => {
    const { access_token } = await connectOauthApp(tenant);
    const last = access_token.at(-1) === "0" ? "1" : "0";
    for (const token of [
      access_token.slice(0, -1) + last,
      access_token.toUpperCase(),
      `${access_token}0`,
      `trk_oauth_${"0".repeat(64)}`,
    ]) {
      expect(await readViewerStatus(url, token)).to.equal(401);
    }
  });

  it("an expired token is refused", async () => {
    const { access_token, clientId } = await connectOauthApp(tenant);
    const { db } = (await startSharedServer()).runtime;
    const text = `update "oauthToken" set "expiresAt" = now() where kind = 'access' and "grantId" = any($1::uuid[])`;
    await db.query({ text, values: [await grantsOf(clientId)] });
    expect([await readViewerStatus(url, access_token), await active(access_token)]).to.deep.equal([401, false]);
  });

  it("the token of a removed member is refused, also after the member returns", async () => {
    const guest = await inviteGuest(tenant);
    const connected = await connectOauthApp({ ...tenant, accessToken: guest.accessToken });
    await tenant.rest("DELETE", `/api/members/${guest.id}`);
    expect(await readViewerStatus(url, connected.access_token)).to.equal(401);
    expect((await exchangeRefreshToken(url, connected.clientId, connected.refresh_token)).status).to.equal(400);
    const invitation = await tenant.rest("POST", "/api/invitations", { email: guest.email });
    const login = await callRestApi(url, "POST", "/api/auth/login", {
      body: { email: guest.email, password: guest.password },
    });
    const headers = { authorization: `Bearer ${login.body["accessToken"]}` };
    await callRestApi(url, "POST", "/api/invitations/accept", { body: { token: invitation.body["token"] }, headers });
    expect(await readViewerStatus(url, connected.access_token)).to.equal(401);
  });

  it("a token of all scopes cannot use any operation of the control plane", async () => {
    const { access_token } = await connectOauthApp(tenant, "read write record");
    const { body } = await callRestApi(url, "GET", "/api/openapi.json");
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

  it("a token of all scopes from an owner cannot read webhooks and their secrets", async () => {
    const { access_token } = await connectOauthApp(tenant, "read write record");
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
    const named = Object.keys(combinedSchema.getTypeMap()).filter((name) =>
      /apiKey|ingestKey|invitation|password/i.test(name),
    );
    expect(named).to.deep.equal([]);
  });

  it("a token with only the scope record cannot read, and a token without it cannot record", async () => {
    const { access_token } = await connectOauthApp(tenant, "record");
    expect(await readViewerStatus(url, access_token)).to.equal(403);
    expect((await expectSocketRefusal(url, { token: access_token })).data?.["code"]).to.equal("FORBIDDEN");
    const reader = await connectOauthApp(tenant, "read write");
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

  it("a client cannot revoke the tokens of others", async () => {
    const { access_token, clientId } = await connectOauthApp(tenant);
    for (const token of [clientId, "x", `${access_token}x`, tenant.refreshToken, tenant.apiKey]) {
      expect((await postForm(url, "/oauth/revoke", { token })).status).to.equal(200);
    }
    expect(await readViewerStatus(url, access_token)).to.equal(200);
    expect(
      (await callRestApi(url, "POST", "/api/auth/refresh", { body: { refreshToken: tenant.refreshToken } })).status,
    ).to.equal(200);
  });

  it("a connection that was unused for long cannot be resumed", async () => {
    const { clientId, refresh_token } = await connectOauthApp(tenant);
    const { db } = (await startSharedServer()).runtime;
    for (const text of [
      `update "oauthGrant" set "lastUsedAt" = now() - interval '40 days' where id = any($1::uuid[])`,
      `update "oauthToken" set "expiresAt" = now() - interval '2 days' where "grantId" = any($1::uuid[])`,
    ])
      await db.query({ text, values: [await grantsOf(clientId)] });
    expect((await exchangeRefreshToken(url, clientId, refresh_token)).body.error).to.equal("invalid_grant");
    await removeObsoleteAccountRows(db);
    const left = await db.query({ text: `select from "oauthGrant" where "clientId" = $1`, values: [clientId] });
    expect(left).to.deep.equal([]);
  });

  it("OAUTH=off refuses all tokens, including tokens issued before", async function () {
    if (!process.env["TEST_DATABASE_URL"]) this.skip();
    const { access_token } = await connectOauthApp(tenant, "read write record");
    const off = await startServer({ OAUTH: "off" });
    expect(await readViewerStatus(off.url, access_token)).to.equal(401);
    const headers = { authorization: `Bearer ${access_token}` };
    expect((await postJson(off.url, "/api/v1/capture-events", { events: [] }, headers)).status).to.equal(401);
  });

  it("OAUTH=off gives 404 for each OAuth path", async () => {
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

  it("a token is valid only in the organization chosen at consent", async () => {
    const request = await createAuthorizationRequest(url);
    const { access_token } = (await exchangeCode(url, request, await obtainCode(tenant, request))).body;
    const { body } = await postJson(
      url,
      "/graphql",
      { query: "{ organization { id } viewer { email } }" },
      { authorization: `Bearer ${access_token}` },
    );
    expect(body.data).to.deep.equal({ organization: { id: tenant.organizationId }, viewer: { email: tenant.email } });
  });
});
