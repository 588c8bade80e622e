import { expect } from "chai";
import { clientName } from "../../server/oauth/clients/client.ts";
import {
  callRest,
  connectOauthApp,
  createAuthorizationRequest,
  exchangeCode,
  getWithoutRedirect,
  obtainCode,
  postForm,
  postJson,
  REDIRECT_URI,
  registerApp,
  sendDecision,
} from "../support/accounts/oauth.ts";
import { inviteGuest } from "../support/members.ts";
import { scaleRuns } from "../support/run/runs.ts";
import { createOrganization, startServer, type Tenant } from "../support/server.ts";

describe("OAuth consent and registration: the server", () => {
  let tenant: Tenant;
  let url: string;
  before(async () => {
    tenant = await createOrganization();
    url = tenant.url;
  });

  it("allows no frame around the consent page (clickjacking)", async () => {
    const { query } = await createAuthorizationRequest(url);
    for (const page of [
      await getWithoutRedirect(url, `/oauth/authorize?${query}`),
      await getWithoutRedirect(url, "/oauth/authorize"),
    ]) {
      expect(page.headers.get("content-security-policy")).to.contain("frame-ancestors 'none'");
      expect(page.headers.get("x-frame-options")).to.equal("DENY");
      expect(page.headers.get("cache-control")).to.equal("no-store");
      expect(page.headers.get("referrer-policy")).to.equal("no-referrer");
    }
  });

  it("refuses a decision that a foreign page posts in any form (CSRF)", async () => {
    const { query } = await createAuthorizationRequest(url);
    const body = { query, decision: "allow", organizationId: tenant.organizationId, scopes: ["read"] };
    const cookie = {
      cookie: `session=${tenant.accessToken}; token=${tenant.accessToken}`,
      origin: "https://evil.example",
    };
    expect((await postJson(url, "/oauth/consent", body, cookie)).status).to.equal(401);
    expect((await postForm(url, "/oauth/consent", { ...body, scopes: "read" }, cookie)).status).to.equal(401);
    const plain = { "content-type": "text/plain", ...cookie };
    expect((await postJson(url, "/oauth/consent", body, plain)).status).to.equal(401);
    expect(
      (await getWithoutRedirect(url, `/oauth/consent?${new URLSearchParams({ ...body, scopes: "read" })}`, cookie))
        .status,
    ).to.equal(405);
  });

  it("refuses the content of the consent page to a foreign page", async () => {
    const preflight = await fetch(`${url}/oauth/consent`, {
      method: "OPTIONS",
      headers: {
        origin: "https://evil.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization",
      },
    });
    expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).to.deep.equal([405, null]);
    const { headers } = await postJson(
      url,
      "/oauth/consent/request",
      { query: "" },
      { origin: "https://evil.example" },
    );
    expect(headers.get("access-control-allow-origin")).to.equal(null);
  });

  it("refuses a consent by an app, with its own token or with a key", async () => {
    const { access_token } = await connectOauthApp(tenant, "read write record");
    const { query } = await createAuthorizationRequest(url);
    for (const accessToken of [access_token, tenant.apiKey, tenant.ingestKey, tenant.refreshToken]) {
      const { status, body } = await sendDecision({ ...tenant, accessToken }, query);
      expect([status, body.redirect]).to.deep.equal([401, undefined]);
    }
  });

  it("refuses an organization to which the user does not belong", async () => {
    const other = await createOrganization();
    const { query } = await createAuthorizationRequest(url);
    const { status, body } = await sendDecision({ ...tenant, organizationId: other.organizationId }, query);
    expect([status, body.redirect]).to.deep.equal([403, undefined]);
  });

  it("refuses more scopes than requested, or unchecked scopes", async () => {
    const request = await createAuthorizationRequest(url, { scope: "read" });
    const code = await obtainCode(tenant, request, { scopes: ["read", "write"] });
    expect((await exchangeCode(url, request, code)).body.scope).to.equal("read");
    for (const scopes of [[], ["admin"], ["write"], "read", [["read"]]]) {
      const { status } = await sendDecision(tenant, (await createAuthorizationRequest(url, { scope: "read" })).query, {
        scopes,
      });
      expect(status, JSON.stringify(scopes)).to.equal(JSON.stringify(scopes) === '["write"]' ? 200 : 400);
    }
  });

  it("refuses more scopes than allowed, with the code or the refresh token", async () => {
    const request = await createAuthorizationRequest(url, { scope: "read write" });
    const code = await obtainCode(tenant, request, { scopes: ["read"] });
    const { body } = await exchangeCode(url, request, code, { scope: "read write record" });
    expect(body.scope).to.equal("read");
    const form = { grant_type: "refresh_token", refresh_token: body.refresh_token, client_id: request.clientId };
    expect((await postForm(url, "/oauth/token", { ...form, scope: "write record" })).body.scope).to.equal("read");
  });

  it("shows app names without markup, reversed text or excessive length", async () => {
    const named = async (client_name: unknown) => {
      const client_id = await registerApp(url, { client_name });
      const { query } = await createAuthorizationRequest(url, { client_id });
      const { body } = await postJson(
        url,
        "/oauth/consent/request",
        { query },
        { authorization: `Bearer ${tenant.accessToken}` },
      );
      return body.client.name;
    };
    expect(await named("Clau\u202ede\u200b\u0000\n\u2028 x")).to.equal("Claude x");
    expect((await named("x".repeat(900))).length).to.equal(80);
    expect(await named("   ")).to.equal("127.0.0.1:9");
    expect(await named(5)).to.equal("127.0.0.1:9");
    expect(await named("\ud800")).to.equal("127.0.0.1:9");
    expect(await named(`Claude${"\u2003".repeat(60)}says yes`)).to.equal("Claude says yes");
  });

  it("removes every invisible Unicode character from app names, and replaces names without visible characters", () => {
    const wrong: string[] = [];
    // Skips the letters of Han and Hangul, and planes without characters.
    for (const [first, end] of [
      [0, 0x3400],
      [0xa000, 0xac00],
      [0xd800, 0x12000],
      [0x1d000, 0x20000],
      [0xe0000, 0xe1000],
    ] as const)
      for (let code = first; code < end; code += 1) {
        const character = String.fromCodePoint(code);
        const unseen = /[\s\p{Z}\p{C}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u.test(character);
        if (clientName(character.repeat(3), "-") !== (unseen ? "-" : character.repeat(3)))
          wrong.push(code.toString(16));
        const between = clientName(`a${character}${character}b`, "-");
        if (unseen && !/\p{M}/u.test(character) && !/^a ?b$/.test(between)) wrong.push(`between ${code.toString(16)}`);
      }
    expect(wrong).to.deep.equal([]);
  });

  it("refuses to show or revoke another member's connection", async () => {
    const { clientId } = await connectOauthApp(tenant);
    const guest = await inviteGuest(tenant);
    const own = (await callRest(url, tenant.accessToken, "GET", "/api/connections")).body["connections"] as {
      id: string;
    }[];
    const { id = "" } = own[0] ?? {};
    expect(JSON.stringify((await guest.rest("GET", "/api/connections")).body)).to.not.contain(clientId);
    expect((await guest.rest("DELETE", `/api/connections/${id}`)).status).to.equal(404);
  });

  it("limits registrations from one address to 30 an hour", async () => {
    const strict = await startServer({ LOGIN_THROTTLE: "on", DATABASE_URL: "" });
    const statuses = new Map<number, number>();
    for (let round = 0; round < scaleRuns(20); round += 1) {
      const answers = Array.from({ length: 50 }, () =>
        postJson(strict.url, "/oauth/register", { redirect_uris: [REDIRECT_URI] }),
      );
      for (const { status } of await Promise.all(answers)) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    // A busy machine may respond to some requests with 503.
    expect([...statuses.keys()].filter((status) => ![201, 429, 503].includes(status))).to.deep.equal([]);
    expect(statuses.get(201)).to.equal(30);
  });

  it("keeps at most 5,000 of 10,000 unused registrations from many addresses, for a day", async () => {
    const { runtime, url: strict } = await startServer({ DATABASE_URL: "", TRUST_PROXY: "on" });
    const unused = `insert into "oauthClient" (id, name, "redirectUris", "createdAt")
      select 'trk_client_' || n, 'x', '{https://x.example/}', now() - interval '2 days' from generate_series(1, 4999) n`;
    await runtime.db.query({ text: unused });
    const answer = (n: number) =>
      postJson(strict, "/oauth/register", { redirect_uris: [REDIRECT_URI] }, { "x-forwarded-for": `10.0.0.${n}` });
    const statuses = [(await answer(1)).status, (await answer(2)).status];
    const { removeObsoleteAccountRows } = await import("../../server/jobs/accounts.ts");
    await removeObsoleteAccountRows(runtime.db);
    expect([...statuses, (await answer(3)).status]).to.deep.equal([201, 429, 201]);
  });

  it("registers a client that asks for a secret or other grants as a public client with codes only", async () => {
    const { body, status } = await postJson(url, "/oauth/register", {
      redirect_uris: [REDIRECT_URI],
      token_endpoint_auth_method: "client_secret_basic",
      grant_types: ["password", "client_credentials"],
      response_types: ["token"],
      scope: "admin",
      client_id: "mine",
      client_secret: "mine",
    });
    expect([status, body.token_endpoint_auth_method, body.response_types, "client_secret" in body]).to.deep.equal([
      201,
      "none",
      ["code"],
      false,
    ]);
    expect(body.client_id).to.match(/^trk_client_[0-9a-f]{32}$/);
    expect(body.grant_types).to.deep.equal(["authorization_code", "refresh_token"]);
  });

  it("refuses a registration of 64 KiB or more, or without valid JSON", async () => {
    const large = await postJson(url, "/oauth/register", {
      redirect_uris: [REDIRECT_URI],
      client_name: "x".repeat(70_000),
    });
    const text = await fetch(`${url}/oauth/register`, {
      method: "POST",
      body: "{",
      headers: { "content-type": "application/json" },
    });
    expect([
      large.status,
      text.status,
      (await postForm(url, "/oauth/register", { redirect_uris: REDIRECT_URI })).status,
    ]).to.deep.equal([413, 400, 415]);
  });
});
