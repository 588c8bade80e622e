import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { inviteGuest } from "../support/members.ts";
import { callRestApi, createOrganization, startSharedServer } from "../support/server.ts";
import { startStrictServer } from "../support/strict.ts";

const stranger = () => ({ email: `s-${randomUUID()}@example.com`, password: "correct horse", name: "Sam" });
const bearer = (token: unknown) => ({ headers: { Authorization: `Bearer ${token}` } });

describe("sign-up and login", () => {
  let url: string;
  before(async () => {
    ({ url } = await startSharedServer());
  });

  it("return tokens and the account for a new account", async () => {
    const body = stranger();
    const reply = await callRestApi(url, "POST", "/api/auth/signup", { body });
    expect(reply.status).to.equal(201);
    expect(reply.body["user"]).to.include({ email: body.email, name: "Sam" });
  });

  it("store a password as argon2id with the cost that OWASP recommends, also for invited users", async () => {
    const { runtime } = await startSharedServer();
    const tenant = await createOrganization();
    const body = stranger();
    await callRestApi(url, "POST", "/api/auth/signup", { body });
    const emails = [body.email, (await inviteGuest(tenant)).email];
    const text = 'select "passwordHash" from account where email = any($1)';
    const kept = await runtime.db.query<{ passwordHash: string }>({ text, values: [emails] });
    expect(kept.map(({ passwordHash }) => passwordHash.split("$").slice(1, 4))).to.deep.equal([
      ["argon2id", "v=19", "m=19456,t=2,p=1"],
      ["argon2id", "v=19", "m=19456,t=2,p=1"],
    ]);
  });

  it("refuse an address that is taken, in any case", async () => {
    const body = stranger();
    await callRestApi(url, "POST", "/api/auth/signup", { body });
    const again = { ...body, email: body.email.toUpperCase() };
    const reply = await callRestApi(url, "POST", "/api/auth/signup", { body: again });
    expect([reply.status, reply.body["code"]]).to.deep.equal([409, "email_taken"]);
  });

  it("give the address to one of two simultaneous sign-ups", async () => {
    const body = stranger();
    const replies = await Promise.all([1, 2].map(() => callRestApi(url, "POST", "/api/auth/signup", { body })));
    expect(replies.map((reply) => reply.status).sort()).to.deep.equal([201, 409]);
  });

  it("name all invalid fields together", async () => {
    const reply = await callRestApi(url, "POST", "/api/auth/signup", {
      body: { email: "x", password: "short", nmae: "Sam" },
    });
    const issues = reply.body["issues"] as { path: string }[];
    expect(reply.status).to.equal(400);
    expect(issues.map((issue) => issue.path)).to.have.members(["email", "password", "name", "nmae"]);
  });

  it("return the same error for an unknown user and a wrong password", async () => {
    const { email } = await createOrganization();
    const replies = await Promise.all(
      [email, `nobody-${randomUUID()}@example.com`].map((who) =>
        callRestApi(url, "POST", "/api/auth/login", { body: { email: who, password: "wrong password" } }),
      ),
    );
    const [known, unknown] = replies.map(({ status, body: { request_id: _, ...body } }) => ({ status, body }));
    expect(known).to.deep.equal(unknown);
    expect(known?.status).to.equal(401);
  });

  it("accept a password whose accents were typed in another Unicode form", async () => {
    const body = { ...stranger(), password: "pâssword" };
    await callRestApi(url, "POST", "/api/auth/signup", { body });
    const typed = { email: body.email, password: body.password.normalize("NFD") };
    expect((await callRestApi(url, "POST", "/api/auth/login", { body: typed })).status).to.equal(200);
  });

  it("select the last used organization, or the requested one", async () => {
    const { email, password, urlKey, rest } = await createOrganization();
    await rest("POST", "/api/organization", { name: "Second", urlKey: `${urlKey}-2` });
    const tokenFor = async (organization?: string) =>
      (await callRestApi(url, "POST", "/api/auth/login", { body: { email, password, organization } })).body[
        "accessToken"
      ];
    const last = await callRestApi(url, "GET", "/api/api-keys", bearer(await tokenFor()));
    const first = await callRestApi(url, "GET", "/api/api-keys", bearer(await tokenFor(urlKey)));
    expect([last.body["apiKeys"], first.body["apiKeys"]].map((keys) => (keys as []).length)).to.deep.equal([0, 1]);
  });

  it("treat an organization of others like one that does not exist", async () => {
    const [one, other] = await Promise.all([createOrganization(), createOrganization()]);
    const missing = await one.rest("POST", "/api/auth/switch", { organization: "nobody-has-this" });
    const foreign = await one.rest("POST", "/api/auth/switch", { organization: other.urlKey });
    expect([missing.status, foreign.status]).to.deep.equal([404, 404]);
    expect(foreign.body["error"]).to.equal(`organization not found: ${other.urlKey}`);
  });

  it("switch to another organization and keep the earlier token valid", async () => {
    const { urlKey, rest } = await createOrganization();
    await rest("POST", "/api/organization", { name: "Second", urlKey: `${urlKey}-2` });
    const { body } = await rest("POST", "/api/auth/switch", { organization: `${urlKey}-2` });
    const there = await callRestApi(url, "GET", "/api/api-keys", bearer(body["accessToken"]));
    const here = await rest("GET", "/api/api-keys");
    expect([there.body["apiKeys"], here.body["apiKeys"]].map((keys) => (keys as []).length)).to.deep.equal([0, 1]);
  });

  it("name the call that creates an organization if the token has none", async () => {
    const { body } = await callRestApi(url, "POST", "/api/auth/signup", { body: stranger() });
    const reply = await callRestApi(url, "GET", "/api/api-keys", bearer(body["accessToken"]));
    expect([reply.status, reply.body["code"]]).to.deep.equal([403, "organization_required"]);
    expect(reply.body["error"]).to.contain("POST /api/organization");
  });

  describe("on a server with SIGNUP=off and a throttle", () => {
    let strict: string;
    before(async () => {
      strict = (await startStrictServer()).url;
    });

    it("refuse a sign-up with 403", async () => {
      const reply = await callRestApi(strict, "POST", "/api/auth/signup", { body: stranger() });
      expect([reply.status, reply.body["code"]]).to.deep.equal([403, "signup_closed"]);
    });

    it("count guesses by the connecting address, whatever X-Forwarded-For contains", async () => {
      const body = { email: stranger().email, password: "a wrong guess" };
      const guess = (_: unknown, at: number) =>
        callRestApi(strict, "POST", "/api/auth/login", { body, headers: { "X-Forwarded-For": `198.51.100.${at}` } });
      const replies = await Promise.all(Array.from({ length: 11 }, guess));
      expect(replies.filter(({ status }) => status === 429)).to.have.length(1);
    });
  });
});
