import { expect } from "chai";
import type { App } from "../../../server/app.ts";
import { describeOnPostgres } from "../../support/db/postgres.ts";
import {
  callRestApi,
  createOrganization,
  type GraphQLReply,
  sendGraphQL,
  startServer,
  type Tenant,
} from "../../support/server.ts";

const LIMITS = { GRAPHQL_REQUESTS_PER_HOUR: "20", GRAPHQL_COMPLEXITY_PER_HOUR: "1000" };
const NAMES = [
  "Requests-Limit",
  "Requests-Remaining",
  "Requests-Reset",
  "Complexity-Limit",
  "Complexity-Remaining",
  "Complexity-Reset",
];

const limitsOf = ({ headers }: GraphQLReply | Response) =>
  Object.fromEntries(NAMES.map((name) => [name, Number(headers.get(`X-RateLimit-${name}`) ?? Number.NaN)]));

describe("GraphQL budgets", () => {
  let app: App;
  let tenant: Tenant;
  const dear = "{ issues(first: 100) { nodes { id title } } }"; // 120 points

  before(async () => {
    app = await startServer(LIMITS);
  });
  beforeEach(async () => {
    tenant = await createOrganization(app);
  });

  it("are in the headers of every response: the rest, and the reset time in epoch milliseconds", async () => {
    await tenant.graphql("{ viewer { id } }");
    const reply = await tenant.graphql(dear);
    const told = limitsOf(reply);
    expect(told).to.include({ "Requests-Limit": 20, "Requests-Remaining": 18, "Complexity-Limit": 1000 });
    expect(told["Complexity-Remaining"]).to.be.within(878, 879);
    expect(told["Requests-Reset"]).to.be.closeTo(Date.now() + (2 / 20) * 3_600_000, 10_000);
    expect(reply.headers.get("X-Complexity")).to.equal("120");
  });

  const refusals: [string, number, RequestInit][] = [
    ["401", 401, {}],
    ["405", 405, { method: "PUT", headers: { Authorization: "ours" } }],
    ["415", 415, { method: "POST", body: "x", headers: { Authorization: "ours", "Content-Type": "text/plain" } }],
    ["400", 400, { method: "POST", body: "{", headers: { Authorization: "ours", "Content-Type": "application/json" } }],
  ];
  for (const [what, status, init] of refusals) {
    it(`are in the headers of a ${what} too`, async () => {
      const headers = new Headers(init.headers);
      if (headers.has("Authorization")) headers.set("Authorization", tenant.apiKey);
      const response = await fetch(`${tenant.url}/graphql`, { ...init, headers });
      expect(response.status).to.equal(status);
      expect(Object.values(limitsOf(response)).every(Number.isInteger)).to.equal(true);
      expect(limitsOf(response)["Requests-Remaining"]).to.equal(status === 401 ? 20 : 19);
    });
  }

  it("of requests end with RATELIMITED, HTTP 400, Retry-After and a hint", async () => {
    for (let n = 0; n < 20; n += 1) await tenant.graphql("{ __typename }");
    const { status, errors, headers } = await tenant.graphql("{ __typename }");
    expect([status, errors?.[0]?.extensions.code, errors?.[0]?.extensions.type]).to.deep.equal([
      400,
      "RATELIMITED",
      "ratelimited",
    ]);
    expect(errors?.[0]?.message).to.match(/all 20 requests of the hour are used.*Ask for more in one request/);
    expect(Number(headers.get("Retry-After"))).to.be.within(170, 180);
  });

  it("of points refuse a query above the remaining points, which costs one request and no points", async () => {
    for (let n = 0; n < 8; n += 1) await tenant.graphql(dear);
    const refused = await tenant.graphql(dear);
    expect([refused.status, refused.errors?.[0]?.extensions.code]).to.deep.equal([400, "RATELIMITED"]);
    expect(refused.errors?.[0]?.message).to.match(
      /costs 120 points, and 4\d of the 1000 an hour are left; ask issues for first: 3\d, or select less, or ask again in/,
    );
    expect(limitsOf(refused)["Requests-Remaining"]).to.equal(11);
    expect((await tenant.graphql("{ issues(first: 30) { nodes { id } } }")).errors).to.equal(undefined);
  });

  it("belong to the user, for all keys and tokens", async () => {
    const { body } = await tenant.rest("POST", "/api/api-keys", { label: "second" });
    await tenant.graphql("{ __typename }");
    await sendGraphQL(tenant.url, String(body["token"]), { query: "{ __typename }" });
    const reply = await sendGraphQL(tenant.url, `Bearer ${tenant.accessToken}`, { query: "{ __typename }" });
    expect(limitsOf(reply)["Requests-Remaining"]).to.equal(17);
  });

  it("of a token without an organization are the account's, and viewer works", async () => {
    const account = { email: `lone-${tenant.urlKey}@example.com`, password: "password 123", name: "Lone" };
    const { body } = await callRestApi(tenant.url, "POST", "/api/auth/signup", { body: account });
    const ask = (query: string) => sendGraphQL(tenant.url, `Bearer ${body["accessToken"]}`, { query });
    expect((await ask("{ viewer { name email isMe __typename } }")).data.viewer).to.deep.equal({
      name: "Lone",
      email: account.email,
      isMe: true,
      __typename: "User",
    });
    const { errors, headers } = await ask("{ viewer { organization { name } } }");
    expect(errors?.[0]).to.deep.include({ path: ["viewer"] });
    expect(errors?.[0]?.message).to.include("POST /api/organization");
    expect(headers.get("X-RateLimit-Requests-Remaining")).to.equal("18");
  });

  it("are shown by rateLimitStatus", async () => {
    const { rateLimitStatus } = await tenant.gql(
      "{ rateLimitStatus { kind limits { type requestedAmount allowedAmount period remainingAmount reset } } }",
    );
    expect(rateLimitStatus.limits[0]).to.include({
      type: "requests",
      requestedAmount: 1,
      allowedAmount: 20,
      remainingAmount: 19,
      period: 3_600_000,
    });
    expect(rateLimitStatus.limits[1]).to.include({ type: "complexity", allowedAmount: 1000 });
  });

  it("refill over time", async () => {
    const { createHourlyBudgets } = await import("../../../server/graphql/budget/budget.ts");
    const { createMemoryBudgetStore } = await import("../../../server/graphql/budget/store.ts");
    const limits = { requests: 36_000, points: 36_000 };
    const budget = createHourlyBudgets(createMemoryBudgetStore(), limits, limits);
    const holder = { organizationId: "o", userId: "u" };
    expect(await budget.spend(holder, "points", 36_000)).to.equal(true);
    expect(await budget.spend(holder, "points", 1)).to.equal(false);
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(await budget.spend(holder, "points", 1)).to.equal(true);
  });

  it("that are switched off show unchanged default limits", async () => {
    const free = await createOrganization();
    const told = limitsOf(await free.graphql(dear));
    expect(told).to.include({ "Requests-Remaining": 5000, "Complexity-Remaining": 3_000_000 });
  });
});

describeOnPostgres("GraphQL budgets of several servers", () => {
  it("are shared, and no spread of requests exceeds the limit", async () => {
    const apps = await Promise.all([startServer(LIMITS), startServer(LIMITS), startServer(LIMITS)]);
    const tenant = await createOrganization(apps[0]);
    const replies = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        sendGraphQL(apps[n % 3]?.url ?? "", tenant.apiKey, { query: "{ __typename }" }),
      ),
    );
    expect(replies.filter(({ status }) => status === 200)).to.have.length(20);
  });

  it("are leased in large parts far from the limit, and in smaller parts near it", async () => {
    const limits = { GRAPHQL_REQUESTS_PER_HOUR: "500", GRAPHQL_COMPLEXITY_PER_HOUR: "off" };
    const apps = await Promise.all([startServer(limits), startServer(limits)]);
    const tenant = await createOrganization(apps[0]);
    const began = performance.now();
    let granted = 0;
    for (let n = 0; n < 40; n += 1) {
      const round = Array.from({ length: 15 }, (_, at) =>
        sendGraphQL(apps[(n + at) % 2]?.url ?? "", tenant.apiKey, { query: "{ __typename }" }),
      );
      granted += (await Promise.all(round)).filter(({ status }) => status === 200).length;
    }
    const refilled = ((performance.now() - began) / 3_600_000) * 500;
    expect(granted).to.be.within(495, 501 + refilled);
  });
});
