import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { createSignInCode } from "../../server/accounts/login/links.ts";
import type { App } from "../../server/app.ts";
import { countWaitingPasswordJobs } from "../../server/auth/password.ts";
import { callRestApi, createOrganization, type RestReply, startServer, type Tenant } from "../support/server.ts";

/** Requests without an account that make the server hash a password. */
const FLOODS: Record<string, (code: string) => [path: string, body: object]> = {
  "sign-ups": () => ["auth/signup", { email: `${randomUUID()}@example.com`, password: "a password", name: "Flood" }],
  "links of the operator": () => ["auth/welcome", { code: randomUUID(), password: "a password" }],
  "links for a new password": () => ["auth/password-reset/confirm", { token: randomUUID(), password: "a password" }],
  "sign-ups by an invitation": (token) => ["invitations/accept", { token, password: "a password", name: "Flood" }],
};

describe("a flood of requests without an account", () => {
  const servers: App[] = [];
  let tenant: Tenant;
  let host = 0;
  before(async () => {
    const own = { LOGIN_THROTTLE: "on", TRUST_PROXY: "on" };
    servers.push(await startServer(own));
    // Counts hold across any number of servers if the database can be shared.
    servers.push(process.env["TEST_DATABASE_URL"] ? await startServer(own) : (servers[0] as App));
  });
  beforeEach(async () => {
    tenant = await createOrganization(servers[0]);
    host += 1;
  });
  const post = (path: string, body: object, from: string, at = 0): Promise<RestReply> =>
    callRestApi(servers[at % 2]?.url ?? "", "POST", `/api/${path}`, { body, headers: { "X-Forwarded-For": from } });
  const logIn = (from: string) => post("auth/login", { email: tenant.email, password: tenant.password }, from);
  const invitation = async () => {
    // The address already has an account, so no acceptance uses up the token.
    const { email } = await createOrganization(servers[0]);
    return String((await tenant.rest("POST", "/api/invitations", { email })).body["token"]);
  };

  for (const [name, request] of Object.entries(FLOODS)) {
    it(`by ${name} is refused after at most a hundred from a network, and logins still work`, async () => {
      const { db } = servers[0]?.runtime ?? expect.fail();
      const token = await invitation();
      const again = (address: string) => post(...request(token), address);
      await db.query({ text: "delete from throttle" });
      expect((await again(`198.51.100.${host}`)).status, "the first").to.not.equal(429);
      // Counts 85 further attempts without sending requests, because hashing as many passwords takes too long.
      await db.query({ text: "update throttle set attempts = attempts + 85" });
      const statuses: number[] = [];
      const logins: number[] = [];
      for (let round = 0; round < 2; round += 1) {
        const flood = Array.from({ length: 20 }, (_, at) => {
          const [path, body] = request(token);
          // Each request comes from a different port, behind a proxy that reports the address.
          return post(path, body, `198.51.100.${host}:${1_000 + at}`, at).then(({ status }) => statuses.push(status));
        });
        logins.push((await logIn(`203.0.113.${host}`)).status);
        await Promise.all(flood);
      }
      expect(logins).to.deep.equal([200, 200]);
      const refused = statuses.filter((status) => status === 429).length;
      expect(refused).to.be.at.least(26);
      const { status, headers } = await again(`198.51.100.${host}`);
      expect([status, Number(headers.get("retry-after")) > 0]).to.deep.equal([429, true]);
      expect((await again(`192.0.2.${host}`)).status, "of another network").to.not.equal(429);
    });
  }

  it("with unknown codes makes the server hash no password", async () => {
    let waited = 0;
    const flood = Array.from({ length: 40 }, () =>
      post("auth/welcome", { code: randomUUID(), password: "a password" }, `198.51.100.${host}`),
    );
    const watch = setInterval(() => {
      waited = Math.max(waited, countWaitingPasswordJobs());
    }, 1);
    const replies = await Promise.all(flood);
    clearInterval(watch);
    expect(new Set(replies.map(({ status }) => status))).to.deep.equal(new Set([401]));
    expect(waited).to.equal(0);
  });

  it("leaves a valid link usable: it asks for a password, and signs in once", async () => {
    const { db } = servers[0]?.runtime ?? expect.fail();
    const [account] = await db.query<{ id: string }>({
      text: `update account set "passwordHash" = null where email = $1 returning id`,
      values: [tenant.email],
    });
    const code = await createSignInCode(db, account?.id ?? "");
    const welcome = (body: object) => post("auth/welcome", { code, ...body }, `198.51.100.${host}`);
    expect((await welcome({})).body).to.include({ code: "password_needed" });
    const both = await Promise.all([welcome({ password: "one password" }), welcome({ password: "two passwords" })]);
    expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 401]);
  });
});
