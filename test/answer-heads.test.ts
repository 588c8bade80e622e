import { expect } from "chai";
import { freshOrganization, type Tenant } from "./support/server.ts";

describe("the head of GraphQL's answers", () => {
  let tenant: Tenant;

  before(async () => {
    tenant = await freshOrganization();
  });

  /** Names and fixed values of the headers of an answer to a POST, without those that pages alone are told. */
  const headOf = async (query: string, headers: Record<string, string>, path = "/graphql") => {
    const all = { "Content-Type": "application/json", Authorization: tenant.apiKey, ...headers };
    const answer = await fetch(tenant.url + path, { method: "POST", headers: all, body: JSON.stringify({ query }) });
    await answer.text();
    const shown = [...answer.headers].filter(([name]) => !name.startsWith("access-control-"));
    return shown.map(([name, value]) => (/^(x-r|date)/.test(name) ? name : `${name}: ${value}`)).sort();
  };

  it("is the same for a program, a page and whoever names a schema, whatever is answered", async () => {
    const cases: [string, Record<string, string>][] = [
      ["{ viewer { id } }", {}],
      ["{ nonsense }", {}],
      ["{ viewer { id } }", { Authorization: "trk_api_wrong" }],
      ["{ viewer { id } }", { "Content-Type": "text/plain" }],
    ];
    for (const [query, headers] of cases) {
      const program = await headOf(query, headers);
      expect(program).to.include.members(["vary: Origin", "x-content-type-options: nosniff", "x-request-id"]);
      expect(await headOf(query, headers, "/graphql?schema=native")).to.deep.equal(program);
      expect(await headOf(query, { ...headers, Origin: tenant.url })).to.deep.equal(program);
    }
  });

  it("tells the points of what was asked, whatever ran with the same document before", async () => {
    const points = async (query: string, variables: Record<string, unknown>) =>
      Number((await tenant.graphql(query, variables)).headers.get("X-Complexity"));
    const pages = "query ($n: Int) { issues(first: $n) { nodes { id title } } }";
    for (const n of [1, 1, 1, 250, 10, 1])
      expect(await points(pages, { n }), `first: ${n}`).to.equal(Math.ceil(n * 1.2));
    const filtered = "query ($f: IssueFilter) { issues(first: 1, filter: $f) { nodes { id } } }";
    const words = (count: number) => ({ description: { in: Array.from({ length: count }, () => "x") } });
    for (const count of [1, 1, 1, 3, 1]) {
      expect(await points(filtered, { f: words(count) }), `${count} comparisons`).to.equal(100 * count + 2);
    }
    const given = "query ($ids: [ID!]!) { nodes(ids: $ids) { id } }";
    const idsOf = (count: number) => ({ ids: Array.from({ length: count }, () => tenant.organizationId) });
    const one = await points(given, idsOf(1));
    expect(await points(given, idsOf(9)), "9 ids").to.be.above(one);
    expect(await points(given, idsOf(1)), "1 id").to.equal(one);
  });
});
