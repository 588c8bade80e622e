import { expect } from "chai";
import { admitLoginAttempt } from "../../server/accounts/throttle.ts";
import type { App } from "../../server/app.ts";
import { callRestApi, createOrganization, startServer, type Tenant } from "../support/server.ts";

describe("password guesses", () => {
  let app: App;
  let tenant: Tenant;
  before(async () => {
    app = await startServer({ LOGIN_THROTTLE: "on", TRUST_PROXY: "on" });
  });
  beforeEach(async () => {
    tenant = await createOrganization(app);
  });
  const logIn = (who: { email: string; password: string }, address: string, url = app.url) =>
    callRestApi(url, "POST", "/api/auth/login", {
      body: { email: who.email, password: who.password },
      headers: { "X-Forwarded-For": `203.0.113.99, ${address}` },
    });
  const guess = (address: string, email = tenant.email, url = app.url) =>
    logIn({ email, password: "a wrong guess" }, address, url);
  const fresh = () => `10.${[1, 2, 3].map(() => Math.floor(Math.random() * 250)).join(".")}`;
  const count = (replies: { status: number }[], status: number) =>
    replies.filter((one) => one.status === status).length;

  it("are refused after ten of a thousand, without effect on other accounts", async () => {
    const [address, other] = [fresh(), await createOrganization(app)];
    const guesses: { status: number }[] = [];
    for (let round = 0; round < 40; round += 1) {
      guesses.push(...(await Promise.all(Array.from({ length: 25 }, () => guess(address)))));
    }
    expect([count(guesses, 401), count(guesses, 429)]).to.deep.equal([10, 990]);
    expect((await logIn(other, address)).status, "another account from the same address").to.equal(200);
    expect((await logIn(tenant, fresh())).status, "the same account from another address").to.equal(200);
  });

  it("are refused with the time to wait", async () => {
    const address = fresh();
    await Promise.all(Array.from({ length: 10 }, () => guess(address)));
    const { status, headers } = await logIn(tenant, address);
    expect([status, Number(headers.get("retry-after")) > 800]).to.deep.equal([429, true]);
  });

  it("are reset by a correct password", async () => {
    const address = fresh();
    await Promise.all(Array.from({ length: 9 }, () => guess(address)));
    expect((await logIn(tenant, address)).status).to.equal(200);
    const again = await Promise.all(Array.from({ length: 9 }, () => guess(address)));
    expect(count(again, 401)).to.equal(9);
  });

  it("are not counted if the server was too busy to check them", async () => {
    const [{ db }, address] = [app.runtime, fresh()];
    for (let at = 0; at < 9; at += 1) await (await admitLoginAttempt(db, tenant.email, address)).failed();
    await (await admitLoginAttempt(db, tenant.email, address)).abandoned();
    expect((await guess(address)).status).to.equal(401);
    expect((await guess(address)).status).to.equal(429);
  });

  it("at many accounts are limited by the client's address", async () => {
    const address = fresh();
    const guesses: { status: number }[] = [];
    for (let at = 0; at < 120; at += 20) {
      const emails = Array.from({ length: 20 }, (_, more) => `nobody-${at + more}@example.com`);
      guesses.push(...(await Promise.all(emails.map((email) => guess(address, email)))));
    }
    expect([count(guesses, 401), count(guesses, 429)]).to.deep.equal([100, 20]);
  });

  it("do not include correct passwords that arrive together", async () => {
    const address = fresh();
    const replies = await Promise.all(Array.from({ length: 30 }, () => logIn(tenant, address)));
    expect(count(replies, 200)).to.equal(30);
  });

  it("count as from one host within an IPv6 /64 network", async () => {
    const network = `2001:db8:${Math.floor(Math.random() * 9999)}:7`;
    await Promise.all(Array.from({ length: 10 }, (_, at) => guess(`${network}::${at}`)));
    expect((await guess(`${network}:ffff::1`)).status).to.equal(429);
  });

  it("count across servers", async function () {
    if (!process.env["TEST_DATABASE_URL"]) this.skip();
    const [other, address] = [await startServer({ LOGIN_THROTTLE: "on", TRUST_PROXY: "on" }), fresh()];
    const urls = [app.url, other.url];
    const guesses = await Promise.all(
      Array.from({ length: 40 }, (_, at) => guess(address, tenant.email, urls[at % 2])),
    );
    expect([count(guesses, 401), count(guesses, 429)]).to.deep.equal([10, 30]);
  });
});
