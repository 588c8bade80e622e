import { expect } from "chai";
import { createWorkspace, type Workspace } from "../../support/workspace.ts";

const PAGE = `nodes { number } edges { cursor node { number } }
  pageInfo { hasNextPage hasPreviousPage startCursor endCursor }`;

describe("pages of a list", () => {
  let space: Workspace;
  const page = async (args: string, list = "issues") => {
    const { data, errors } = await space.graphql(`{ ${list}(${args}) { ${PAGE} } }`);
    if (errors) throw new Error(errors[0]?.message);
    return data[list];
  };
  const numbers = ({ nodes }: { nodes: { number: number }[] }) => nodes.map(({ number }) => number);

  before(async () => {
    space = await createWorkspace();
    // Five of seven rows have the same time, so the id decides.
    for (const at of [1, 2, 2, 2, 2, 2, 3])
      await space.issue({ createdAt: `2026-01-0${at}T00:00:00.000Z`, priority: at });
  });

  it("are newest first, and say whether another page follows", async () => {
    const first = await page("first: 3");
    expect(numbers(first)).to.deep.equal([7, 6, 5]);
    expect(first.pageInfo).to.include({ hasNextPage: true, hasPreviousPage: false });
  });

  it("continue after a cursor to the end, with each entry once", async () => {
    const first = await page("first: 3");
    const second = await page(`first: 3, after: "${first.pageInfo.endCursor}"`);
    const third = await page(`first: 3, after: "${second.pageInfo.endCursor}"`);
    expect([second, third].map(numbers)).to.deep.equal([[4, 3, 2], [1]]);
    expect(third.pageInfo).to.include({ hasNextPage: false, hasPreviousPage: true });
  });

  it("go back before a cursor in the same order", async () => {
    const last = await page("last: 3");
    const before = await page(`last: 3, before: "${last.pageInfo.startCursor}"`);
    expect([last, before].map(numbers)).to.deep.equal([
      [3, 2, 1],
      [6, 5, 4],
    ]);
    expect(before.pageInfo).to.include({ hasPreviousPage: true, hasNextPage: true });
    expect(last.pageInfo).to.include({ hasPreviousPage: true, hasNextPage: false });
  });

  it("give the first and last entry the cursors of pageInfo", async () => {
    const { edges, pageInfo } = await page("first: 4");
    expect(edges.at(0).cursor).to.equal(pageInfo.startCursor);
    expect(edges.at(-1).cursor).to.equal(pageInfo.endCursor);
    expect(numbers(await page(`first: 1, after: "${edges[1].cursor}"`))).to.deep.equal([5]);
  });

  it("of exactly the remaining size report no next page", async () => {
    expect((await page("first: 7")).pageInfo).to.include({ hasNextPage: false, hasPreviousPage: false });
  });

  it("without entries have no cursors", async () => {
    const { pageInfo, nodes } = await page('filter: { title: { eq: "none" } }');
    expect(nodes).to.deep.equal([]);
    expect(pageInfo).to.deep.equal({ hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null });
  });

  it("keep a sort by several fields across pages, in both directions", async () => {
    const sort = "sort: [{ priority: { order: Ascending } }, { title: { order: Descending } }]";
    const first = await page(`first: 4, ${sort}`);
    const rest = await page(`first: 4, ${sort}, after: "${first.pageInfo.endCursor}"`);
    const back = await page(`last: 4, ${sort}, before: "${rest.pageInfo.startCursor}"`);
    expect([...numbers(first), ...numbers(rest)]).to.have.members([1, 2, 3, 4, 5, 6, 7]);
    expect(numbers(rest).at(-1)).to.equal(7);
    expect(numbers(back)).to.deep.equal(numbers(first));
  });

  it("put entries without a value at the place that the sort names, and continue after them", async () => {
    const { id } = await space.read("ENG-4");
    await space.does("issueUpdate", { id, input: { estimate: 3 } });
    for (const nulls of ["first", "last"]) {
      const sort = `sort: [{ estimate: { order: Ascending, nulls: ${nulls} } }]`;
      const first = await page(`first: 3, ${sort}`);
      const rest = await page(`first: 5, ${sort}, after: "${first.pageInfo.endCursor}"`);
      const all = [...numbers(first), ...numbers(rest)];
      expect(all).to.have.members([1, 2, 3, 4, 5, 6, 7]);
      expect(all.indexOf(4)).to.equal(nulls === "first" ? 6 : 0);
    }
  });

  it("show each entry once while other entries are created", async () => {
    const busy = await createWorkspace();
    for (let n = 0; n < 6; n += 1) await busy.issue();
    const query =
      "query ($after: String) { issues(first: 2, after: $after) { nodes { number } pageInfo { endCursor } } }";
    const seen: number[] = [];
    for (let after = null; seen.length < 6; ) {
      const { issues } = await busy.gql(query, { after });
      seen.push(...numbers(issues));
      after = issues.pageInfo.endCursor;
      await busy.issue();
    }
    expect(seen).to.deep.equal([6, 5, 4, 3, 2, 1]);
  });

  const refusals: [string, string, RegExp][] = [
    ["first and last together", "first: 1, last: 1", /not both/],
    ["first of 0", "first: 0", /first must be between 1 and 250/],
    ["last of 251", "last: 251", /last must be between 1 and 250/],
    ["a cursor that is none", 'after: "nonsense"', /cursor is malformed/],
    [
      "a cursor whose moment does not exist",
      `after: "${cursor("createdAt-", "2026-02-31T00:00:00.000Z")}"`,
      /malformed/,
    ],
    ["a cursor of the year 0", `after: "${cursor("createdAt-", "0000-01-01T00:00:00.000Z")}"`, /malformed/],
    [
      "a cursor of another ordering",
      `after: "${cursor("updatedAt-", "2026-02-01T00:00:00.000Z")}"`,
      /another ordering/,
    ],
    ["a sort step without a field", "sort: [{}]", /exactly one field/],
    ["a sort step with two", "sort: [{ title: {}, priority: {} }]", /exactly one field/],
  ];
  for (const [what, args, message] of refusals) {
    it(`refuse ${what} with INPUT_ERROR`, async () => {
      const { errors } = await space.graphql(`{ issues(${args}) { ${PAGE} } }`);
      expect(errors?.[0]?.message).to.match(message);
      expect(errors?.[0]?.extensions.code).to.equal("INPUT_ERROR");
    });
  }

  it("name the root field with the invalid argument", async () => {
    const { errors } = await space.graphql(
      '{ viewer { id } bad: issues(after: "x") { nodes { id } } teams { nodes { id } } }',
    );
    expect(errors?.[0]?.path).to.deep.equal(["bad"]);
  });
});

function cursor(mark: string, moment: string): string {
  return Buffer.from(JSON.stringify([mark, moment, "01980000-0000-7000-8000-000000000000"])).toString("base64");
}
