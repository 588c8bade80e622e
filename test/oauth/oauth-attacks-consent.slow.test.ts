import { expect } from "chai";
import { clientName } from "../../server/oauth/clients/client.ts";
import {
  allowedCode,
  authorizationRequest,
  connect,
  decide,
  exchange,
  get,
  postForm,
  postJson,
  REDIRECT,
  registered,
  rest,
} from "../support/accounts/oauth.ts";
import { joined } from "../support/members.ts";
import { runs } from "../support/run/runs.ts";
import { freshOrganization, startServer, type Tenant } from "../support/server.ts";

describe("attacks on consent and registration", function () {
  this.timeout(180_000);
  let tenant: Tenant;
  let url: string;
  before(async () => {
    tenant = await freshOrganization();
    url = tenant.url;
  });

  it("attack: clickjacking: the page may be framed by nobody", async () => {
    const { query } = await authorizationRequest(url);
    for (const page of [await get(url, `/oauth/authorize?${query}`), await get(url, "/oauth/authorize")]) {
      expect(page.headers.get("content-security-policy")).to.contain("frame-ancestors 'none'");
      expect(page.headers.get("x-frame-options")).to.equal("DENY");
      expect(page.headers.get("cache-control")).to.equal("no-store");
      expect(page.headers.get("referrer-policy")).to.equal("no-referrer");
    }
  });

  it("attack: CSRF: a foreign page posts the decision, in any form it can, and nobody is signed in by it", async () => {
    const { query } = await authorizationRequest(url);
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
      (await get(url, `/oauth/consent?${new URLSearchParams({ ...body, scopes: "read" })}`, cookie)).status,
    ).to.equal(405);
  });

  it("attack: a foreign page reads what the consent page is told", async () => {
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

  it("attack: a program lets another program in, with its own token or with a key", async () => {
    const { access_token } = await connect(tenant, "read write record");
    const { query } = await authorizationRequest(url);
    for (const accessToken of [access_token, tenant.apiKey, tenant.ingestKey, tenant.refreshToken]) {
      const { status, body } = await decide({ ...tenant, accessToken }, query);
      expect([status, body.redirect]).to.deep.equal([401, undefined]);
    }
  });

  it("attack: an organization that the person is not of", async () => {
    const other = await freshOrganization();
    const { query } = await authorizationRequest(url);
    const { status, body } = await decide({ ...tenant, organizationId: other.organizationId }, query);
    expect([status, body.redirect]).to.deep.equal([403, undefined]);
  });

  it("attack: more scopes than the person was asked for, or unchecked ones", async () => {
    const request = await authorizationRequest(url, { scope: "read" });
    const code = await allowedCode(tenant, request, { scopes: ["read", "write"] });
    expect((await exchange(url, request, code)).body.scope).to.equal("read");
    for (const scopes of [[], ["admin"], ["write"], "read", [["read"]]]) {
      const { status } = await decide(tenant, (await authorizationRequest(url, { scope: "read" })).query, { scopes });
      expect(status, JSON.stringify(scopes)).to.equal(JSON.stringify(scopes) === '["write"]' ? 200 : 400);
    }
  });

  it("attack: more than was allowed, asked for with the code or the refresh token", async () => {
    const request = await authorizationRequest(url, { scope: "read write" });
    const code = await allowedCode(tenant, request, { scopes: ["read"] });
    const { body } = await exchange(url, request, code, { scope: "read write record" });
    expect(body.scope).to.equal("read");
    const form = { grant_type: "refresh_token", refresh_token: body.refresh_token, client_id: request.clientId };
    expect((await postForm(url, "/oauth/token", { ...form, scope: "write record" })).body.scope).to.equal("read");
  });

  it("attack: a name that pretends, by markup, by turning text round, by length", async () => {
    const named = async (client_name: unknown) => {
      const client_id = await registered(url, { client_name });
      const { query } = await authorizationRequest(url, { client_id });
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

  it("attack: a name of which nothing is to be seen, or that pushes text aside: any of Unicode's characters", () => {
    const wrong: string[] = [];
    // The letters of Han and Hangul, and planes without a character, are left out.
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

  it("attack: a member ends or sees what another member connected", async () => {
    const { clientId } = await connect(tenant);
    const guest = await joined(tenant);
    const own = (await rest(url, tenant.accessToken, "GET", "/api/connections")).body["connections"] as {
      id: string;
    }[];
    const { id = "" } = own[0] ?? {};
    expect(JSON.stringify((await guest.rest("GET", "/api/connections")).body)).to.not.contain(clientId);
    expect((await guest.rest("DELETE", `/api/connections/${id}`)).status).to.equal(404);
  });

  it("attack: registrations by the hundred from one address: 30 an hour count", async () => {
    const strict = await startServer({ LOGIN_THROTTLE: "on", DATABASE_URL: "" });
    const statuses = new Map<number, number>();
    for (let round = 0; round < runs(20); round += 1) {
      const answers = Array.from({ length: 50 }, () =>
        postJson(strict.url, "/oauth/register", { redirect_uris: [REDIRECT] }),
      );
      for (const { status } of await Promise.all(answers)) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    // A busy machine may tell some to come again.
    expect([...statuses.keys()].filter((status) => ![201, 429, 503].includes(status))).to.deep.equal([]);
    expect(statuses.get(201)).to.equal(30);
  });

  it("attack: 10,000 registrations from many addresses: the unused are 5,000 at most, and forgotten after a day", async () => {
    const { runtime, url: strict } = await startServer({ DATABASE_URL: "", TRUST_PROXY: "on" });
    const unused = `insert into "oauthClient" (id, name, "redirectUris", "createdAt")
      select 'trk_client_' || n, 'x', '{https://x.example/}', now() - interval '2 days' from generate_series(1, 4999) n`;
    await runtime.db.query({ text: unused });
    const answer = (n: number) =>
      postJson(strict, "/oauth/register", { redirect_uris: [REDIRECT] }, { "x-forwarded-for": `10.0.0.${n}` });
    const statuses = [(await answer(1)).status, (await answer(2)).status];
    const { removeSpent } = await import("../../server/jobs/accounts.ts");
    await removeSpent(runtime.db);
    expect([...statuses, (await answer(3)).status]).to.deep.equal([201, 429, 201]);
  });

  it("attack: a registration that asks for a secret or for other ways in gets a public client with codes alone", async () => {
    const { body, status } = await postJson(url, "/oauth/register", {
      redirect_uris: [REDIRECT],
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

  it("attack: a registration of 64 KiB and more, or of what is no JSON", async () => {
    const large = await postJson(url, "/oauth/register", {
      redirect_uris: [REDIRECT],
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
      (await postForm(url, "/oauth/register", { redirect_uris: REDIRECT })).status,
    ]).to.deep.equal([413, 400, 415]);
  });
});
