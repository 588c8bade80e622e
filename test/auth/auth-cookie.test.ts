import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { noteSecrets } from "../support/run/secrets.ts";
import { createOrganization, startServer, type Tenant } from "../support/server.ts";

interface Answer {
  status: number;
  body: any;
  /** The complete Set-Cookie header of the response. */
  cookie: string;
}

/** Sends a request as the server's own page does: the browser adds origin and cookie automatically. */
async function asPage(url: string, path: string, body: object, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(url + path, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Trackway-Session": "cookie", Origin: url, ...headers },
    body: JSON.stringify(body),
  });
  const answer = {
    status: response.status,
    body: await response.json(),
    cookie: response.headers.get("Set-Cookie") ?? "",
  };
  noteSecrets([answer.body, answer.cookie.split(";")[0]?.split("=")[1]]);
  return answer;
}

const sent = ({ cookie }: Answer) => ({ Cookie: cookie.split(";")[0] ?? "" });
const logIn = ({ url, email, password }: Tenant) => asPage(url, "/api/auth/login", { email, password });

/** An organization on a server that allows pages of other origins to use its API (CORS). */
let guardedTenant: Promise<Tenant> | undefined;
const guarded = (): Promise<Tenant> => {
  guardedTenant ??= startServer({ CORS_ORIGINS: "https://evil.example,http://127.0.0.1:1" }).then(createOrganization);
  return guardedTenant;
};

describe("the refresh cookie of the server's own pages", () => {
  let tenant: Tenant;
  before(async () => {
    tenant = await createOrganization();
  });

  it("contains the refresh token, hidden from scripts, named by port, and only for /api/auth", async () => {
    const { cookie, body } = await logIn(tenant);
    const [pair, ...rules] = cookie.split("; ");
    expect(pair).to.match(new RegExp(`^trackway_refresh_${new URL(tenant.url).port}=.{40,}$`));
    expect(rules).to.have.members(["Path=/api/auth", "Max-Age=2592000", "HttpOnly", "SameSite=Strict"]);
    expect(body).to.have.keys("accessToken", "expiresIn", "user");
  });

  it("is Secure if the page was loaded over https", async () => {
    const { host } = new URL(tenant.url);
    const headers = { Origin: `https://${host}` };
    const { cookie } = await asPage(
      tenant.url,
      "/api/auth/login",
      { email: tenant.email, password: tenant.password },
      headers,
    );
    expect(cookie.split("; ")).to.include("Secure");
  });

  it("resumes the login, and the response names the user and the organization", async () => {
    const first = await logIn(tenant);
    const { status, body, cookie } = await asPage(tenant.url, "/api/auth/session", {}, sent(first));
    expect([status, body.signedIn, body.user.email, body.organization.urlKey, body.organization.role]).to.deep.equal([
      200,
      true,
      tenant.email,
      tenant.urlKey,
      "owner",
    ]);
    expect([body.refreshToken, cookie !== "" && cookie !== first.cookie]).to.deep.equal([undefined, true]);
  });

  it("is absent for a signed-out browser, and the server responds with 200 and signedIn false", async () => {
    for (const headers of [{}, { Cookie: `trackway_refresh_${new URL(tenant.url).port}=${randomUUID()}` }]) {
      const { status, body } = await asPage(tenant.url, "/api/auth/session", {}, headers as Record<string, string>);
      expect([status, body.signedIn, body.accessToken]).to.deep.equal([200, false, undefined]);
    }
  });

  it("stays valid in each of several tabs that resume the login at once", async () => {
    const first = await logIn(tenant);
    const tabs = await Promise.all(
      Array.from({ length: 6 }, () => asPage(tenant.url, "/api/auth/session", {}, sent(first))),
    );
    expect(tabs.map(({ body }) => body.signedIn)).to.deep.equal([true, true, true, true, true, true]);
    // The browser stores the cookie of the last response, and every tab sends this cookie.
    const kept = tabs[Math.floor(Math.random() * tabs.length)] as Answer;
    const next = await Promise.all([1, 2, 3].map(() => asPage(tenant.url, "/api/auth/session", {}, sent(kept))));
    expect(next.map(({ body }) => body.signedIn)).to.deep.equal([true, true, true]);
  });

  it("is set by every endpoint that returns a refresh token", async () => {
    const account = { email: `doors-${randomUUID()}@example.com`, password: "a password of doors", name: "Doors" };
    const signUp = await asPage(tenant.url, "/api/auth/signup", account);
    const bearer = { Authorization: `Bearer ${signUp.body.accessToken}` };
    const urlKey = `doors-${randomUUID().slice(0, 8)}`;
    const organization = await asPage(tenant.url, "/api/organization", { name: "Doors", urlKey }, bearer);
    const change = await asPage(tenant.url, "/api/auth/switch", { organization: urlKey }, bearer);
    const refresh = await asPage(tenant.url, "/api/auth/refresh", {}, sent(change));
    const { body } = await tenant.rest("POST", "/api/invitations", { email: account.email });
    const accept = await asPage(tenant.url, "/api/invitations/accept", { token: body.token }, bearer);
    for (const answer of [signUp, organization, change, refresh, accept]) {
      expect(answer.status, JSON.stringify(answer.body)).to.be.oneOf([200, 201]);
      expect(answer.cookie).to.match(/^trackway_refresh_\d+=.{40,};/);
      expect(answer.body).not.to.have.property("refreshToken");
      const resumed = await asPage(tenant.url, "/api/auth/session", {}, sent(answer));
      expect(resumed.body.signedIn).to.equal(true);
    }
  });

  it("is cleared by a logout, which revokes the login and its access token", async () => {
    const first = await logIn(tenant);
    const out = await asPage(tenant.url, "/api/auth/logout", {}, sent(first));
    expect([out.status, out.cookie]).to.satisfy(
      ([status, cookie]: [number, string]) => status === 200 && /=; .*Max-Age=0/.test(cookie),
    );
    const after = await asPage(tenant.url, "/api/auth/session", {}, sent(first));
    const key = await fetch(`${tenant.url}/api/api-keys`, {
      headers: { Authorization: `Bearer ${first.body.accessToken}` },
    });
    expect([after.body.signedIn, key.status]).to.deep.equal([false, 401]);
  });

  for (const [what, headers] of [
    ["another origin", { Origin: "https://evil.example" }],
    ["no origin", { Origin: "" }],
    ["another port of the same host", { Origin: "http://127.0.0.1:1" }],
    ["a browser that says the page is another site's", { "Sec-Fetch-Site": "cross-site" }],
    ["a browser that says the page is of the same site but not of the origin", { "Sec-Fetch-Site": "same-site" }],
  ] as const) {
    it(`is neither read nor set for ${what}, even if listed in CORS_ORIGINS`, async () => {
      const own = await guarded();
      const first = await logIn(own);
      for (const [path, body] of [
        ["/api/auth/session", {}],
        ["/api/auth/refresh", {}],
        ["/api/auth/login", { email: own.email, password: own.password }],
      ] as const) {
        const refused = await asPage(own.url, path, body, { ...sent(first), ...headers });
        expect([path, refused.status, refused.cookie]).to.deep.equal([path, 403, ""]);
      }
    });
  }

  it("is ignored and not set for JSON clients, which get the token in the body", async () => {
    const first = await logIn(tenant);
    const post = (path: string, body: object) =>
      fetch(tenant.url + path, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...sent(first) },
        body: JSON.stringify(body),
      });
    const login = await post("/api/auth/login", { email: tenant.email, password: tenant.password });
    const body = (await login.json()) as any;
    noteSecrets([body]);
    expect([login.headers.get("Set-Cookie"), typeof body.refreshToken]).to.deep.equal([null, "string"]);
    const refused = (await (await post("/api/auth/refresh", {})).json()) as any;
    expect(refused.issues.map((issue: { path: string }) => issue.path)).to.deep.equal(["refreshToken"]);
  });

  it("needs reserved paths: they are refused as urlKey of a new or renamed organization", async () => {
    for (const urlKey of [
      "api",
      "graphql",
      "sessions",
      "settings",
      "oauth",
      "assets",
      "connect",
      "issues",
      "tools",
      "users",
      "mcp",
      "v1",
    ]) {
      const made = await tenant.rest("POST", "/api/organization", { name: "Taken", urlKey });
      expect([urlKey, made.status]).to.deep.equal([urlKey, 400]);
    }
    const { errors } = await tenant.graphql(
      'mutation { organizationUpdate(input: { urlKey: "sessions" }) { success } }',
    );
    expect(errors?.[0]?.message).to.contain("page of Trackway");
  });
});
