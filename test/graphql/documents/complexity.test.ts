import { expect } from "chai";
import { createOrganization, type Tenant } from "../../support/server.ts";

const NOBODY = "01980000-0000-7000-8000-000000000000";

describe("the points of a query:", () => {
  let tenant: Tenant;
  const pointsOf = async (query: string, variables?: Record<string, unknown>) =>
    Number((await tenant.graphql(query, variables)).headers.get("X-Complexity"));

  before(async () => {
    tenant = await createOrganization();
  });

  const cases: [string, number, string, Record<string, unknown>?][] = [
    ["0.1 a scalar and 1 an object, rounded up", 2, `{ user(id: "${NOBODY}") { name } }`],
    [
      "a page multiplies what is below it by 50",
      66,
      `{ user(id: "${NOBODY}") { createdIssues { nodes { id title createdAt } } } }`,
    ],
    ["or by first", 14, `{ user(id: "${NOBODY}") { createdIssues(first: 10) { nodes { id title createdAt } } } }`],
    ["or by last", 14, `{ user(id: "${NOBODY}") { createdIssues(last: 10) { nodes { id title createdAt } } } }`],
    [
      "or by a variable",
      14,
      `query ($n: Int) { user(id: "${NOBODY}") { createdIssues(first: $n) { nodes { id title createdAt } } } }`,
      { n: 10 },
    ],
    ["pages within pages multiply", 230, "{ teams(first: 10) { nodes { issues(first: 20) { nodes { id } } } } }"],
    ["the same field twice costs once", 2, "{ viewer { id } viewer { id } }"],
    [
      "what @skip leaves out costs nothing",
      2,
      "query ($no: Boolean = true) { viewer { id teams @skip(if: $no) { nodes { id } } } }",
    ],
    ["fragments cost what they select", 2, "{ viewer { ...f } } fragment f on User { id name }"],
    ["introspection costs like the rest", 3, "{ __schema { queryType { name } } }"],
    ["a mutation costs its payload", 3, 'mutation { teamCreate(input: { name: "X" }) { success team { id } } }'],
    ["a document that is invalid costs nothing", 0, "{ nonsense }"],
  ];
  for (const [what, points, query, variables] of cases) {
    it(`${what}: ${points}`, async () => expect(await pointsOf(query, variables)).to.equal(points));
  }

  it("10,000 is the maximum, and the error suggests a page size", async () => {
    const query = (first: number) =>
      `{ issues(first: 250) { nodes { id comments(first: ${first}) { nodes { id body url } } } } }`;
    const { status, errors, headers } = await tenant.graphql(query(100));
    expect([status, errors?.[0]?.extensions.code, headers.get("Retry-After")]).to.deep.equal([400, "RATELIMITED", "1"]);
    expect(headers.get("X-Complexity")).to.equal("32775");
    expect(errors?.[0]?.message).to.match(/costs 32775 points, and one query may cost 10000; ask issues for first: 76/);
    expect((await tenant.graphql(query(100).replace("250", "76"))).errors).to.equal(undefined);
  });
});
