import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { joined } from "../support/members.ts";
import { call, freshOrganization, sharedServer } from "../support/server.ts";
import { strictServer } from "../support/strict.ts";

const stranger = () => ({ email: `s-${randomUUID()}@example.com`, password: "correct horse", name: "Sam" });
const bearer = (token: unknown) => ({ headers: { Authorization: `Bearer ${token}` } });

describe("sign-up and login", () => {
  let url: string;
  before(async () => {
    ({ url } = await sharedServer());
  });

  it("answer a new account with tokens and the account", async () => {
    const body = stranger();
    const reply = await call(url, "POST", "/api/auth/signup", { body });
    expect(reply.status).to.equal(201);
    expect(reply.body["user"]).to.include({ email: body.email, name: "Sam" });
  });

  it("keep a password as argon2id with the cost that OWASP recommends, also of somebody invited", async () => {
    const { runtime } = await sharedServer();
    const tenant = await freshOrganization();
    const body = stranger();
    await call(url, "POST", "/api/auth/signup", { body });
    const emails = [body.email, (await joined(tenant)).email];
    const text = 'select "passwordHash" from account where email = any($1)';
    const kept = await runtime.db.query<{ passwordHash: string }>({ text, values: [emails] });
    expect(kept.map(({ passwordHash }) => passwordHash.split("$").slice(1, 4))).to.deep.equal([
      ["argon2id", "v=19", "m=19456,t=2,p=1"],
      ["argon2id", "v=19", "m=19456,t=2,p=1"],
    ]);
  });

  it("refuse an address that is taken, in any case of its letters", async () => {
    const body = stranger();
    await call(url, "POST", "/api/auth/signup", { body });
    const again = { ...body, email: body.email.toUpperCase() };
    const reply = await call(url, "POST", "/api/auth/signup", { body: again });
    expect([reply.status, reply.body["code"]]).to.deep.equal([409, "email_taken"]);
  });

  it("let one of two sign-ups at once have the address", async () => {
    const body = stranger();
    const replies = await Promise.all([1, 2].map(() => call(url, "POST", "/api/auth/signup", { body })));
    expect(replies.map((reply) => reply.status).sort()).to.deep.equal([201, 409]);
  });

  it("name every field at fault at once", async () => {
    const reply = await call(url, "POST", "/api/auth/signup", { body: { email: "x", password: "short", nmae: "Sam" } });
    const issues = reply.body["issues"] as { path: string }[];
    expect(reply.status).to.equal(400);
    expect(issues.map((issue) => issue.path)).to.have.members(["email", "password", "name", "nmae"]);
  });

  it("answer an unknown user and a wrong password in the same words", async () => {
    const { email } = await freshOrganization();
    const replies = await Promise.all(
      [email, `nobody-${randomUUID()}@example.com`].map((who) =>
        call(url, "POST", "/api/auth/login", { body: { email: who, password: "wrong password" } }),
      ),
    );
    const [known, unknown] = replies.map(({ status, body: { request_id: _, ...body } }) => ({ status, body }));
    expect(known).to.deep.equal(unknown);
    expect(known?.status).to.equal(401);
  });

  it("take a password whose accents were typed another way", async () => {
    const body = { ...stranger(), password: "pâssword" };
    await call(url, "POST", "/api/auth/signup", { body });
    const typed = { email: body.email, password: body.password.normalize("NFD") };
    expect((await call(url, "POST", "/api/auth/login", { body: typed })).status).to.equal(200);
  });

  it("lead to the last used organization, or to the one asked for", async () => {
    const { email, password, urlKey, rest } = await freshOrganization();
    await rest("POST", "/api/organization", { name: "Second", urlKey: `${urlKey}-2` });
    const tokenFor = async (organization?: string) =>
      (await call(url, "POST", "/api/auth/login", { body: { email, password, organization } })).body["accessToken"];
    const last = await call(url, "GET", "/api/api-keys", bearer(await tokenFor()));
    const first = await call(url, "GET", "/api/api-keys", bearer(await tokenFor(urlKey)));
    expect([last.body["apiKeys"], first.body["apiKeys"]].map((keys) => (keys as []).length)).to.deep.equal([0, 1]);
  });

  it("answer another's organization like one that does not exist", async () => {
    const [one, other] = await Promise.all([freshOrganization(), freshOrganization()]);
    const missing = await one.rest("POST", "/api/auth/switch", { organization: "nobody-has-this" });
    const foreign = await one.rest("POST", "/api/auth/switch", { organization: other.urlKey });
    expect([missing.status, foreign.status]).to.deep.equal([404, 404]);
    expect(foreign.body["error"]).to.equal(`organization not found: ${other.urlKey}`);
  });

  it("switch to another organization and leave the earlier token good", async () => {
    const { urlKey, rest } = await freshOrganization();
    await rest("POST", "/api/organization", { name: "Second", urlKey: `${urlKey}-2` });
    const { body } = await rest("POST", "/api/auth/switch", { organization: `${urlKey}-2` });
    const there = await call(url, "GET", "/api/api-keys", bearer(body["accessToken"]));
    const here = await rest("GET", "/api/api-keys");
    expect([there.body["apiKeys"], here.body["apiKeys"]].map((keys) => (keys as []).length)).to.deep.equal([0, 1]);
  });

  it("say with which call to make an organization when the token carries none", async () => {
    const { body } = await call(url, "POST", "/api/auth/signup", { body: stranger() });
    const reply = await call(url, "GET", "/api/api-keys", bearer(body["accessToken"]));
    expect([reply.status, reply.body["code"]]).to.deep.equal([403, "organization_required"]);
    expect(reply.body["error"]).to.contain("POST /api/organization");
  });

  describe("on a server with SIGNUP=off and a throttle", () => {
    let strict: string;
    before(async () => {
      strict = (await strictServer()).url;
    });

    it("refuse a sign-up with 403", async () => {
      const reply = await call(strict, "POST", "/api/auth/signup", { body: stranger() });
      expect([reply.status, reply.body["code"]]).to.deep.equal([403, "signup_closed"]);
    });

    it("count guesses by the address that connects, whatever X-Forwarded-For says", async () => {
      const body = { email: stranger().email, password: "a wrong guess" };
      const guess = (_: unknown, at: number) =>
        call(strict, "POST", "/api/auth/login", { body, headers: { "X-Forwarded-For": `198.51.100.${at}` } });
      const replies = await Promise.all(Array.from({ length: 11 }, guess));
      expect(replies.filter(({ status }) => status === 429)).to.have.length(1);
    });
  });
});
