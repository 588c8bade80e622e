import { expect } from "chai";
import { SEARCH_TEXT_TABLES } from "../../../server/resources/texts.ts";
import { startSharedServer } from "../../support/server.ts";
import { createWorkspace, type Workspace } from "../../support/workspace.ts";

const found = async ({ gql }: Workspace, term: string, more = "") => {
  const query = `query ($term: String!) { searchIssues(term: $term${more}) { nodes { identifier } searchedSince } }`;
  const { searchIssues } = await gql(query, { term });
  return searchIssues.nodes.map(({ identifier }: { identifier: string }) => identifier);
};

/** Returns the rows of an organization whose search text differs from the stored text. */
async function wrong(organizationId: string): Promise<unknown[]> {
  const { db } = (await startSharedServer()).runtime;
  const rows = SEARCH_TEXT_TABLES.map(({ table, of, text }) => {
    return db.query({
      text: `select coalesce(r.id, x.id) as id from "${of}" r full join "${table}" x on x."organizationId" = r."organizationId" and x.id = r.id
        where coalesce(r."organizationId", x."organizationId") = $1 and x.text is distinct from ${text("r")}`,
      values: [organizationId],
    });
  });
  return (await Promise.all(rows)).flat();
}

describe("the search index of texts", () => {
  it("follows every write of an issue and of a comment", async () => {
    const space = await createWorkspace();
    const one = await space.issue({ title: "Alpha", description: "first words" });
    const two = await space.issue({ title: "Beta" });
    await space.does("issueUpdate", { id: one.id, input: { title: "Gamma" } });
    await space.does("issueUpdate", { id: two.id, input: { priority: 1 } });
    await space.does("issueBatchUpdate", { ids: [one.id, two.id], input: { description: "both of them" } });
    const { comment } = await space.does(
      "commentCreate",
      { input: { issueId: one.id, body: "said once" } },
      "comment { id }",
    );
    await space.does("commentUpdate", { id: comment.id, input: { body: "said twice" } });
    expect(await wrong(space.organizationId)).to.deep.equal([]);
    expect(await found(space, "gamma both")).to.deep.equal(["ENG-1"]);
    expect(await found(space, "alpha")).to.deep.equal([]);
    expect(await found(space, "twice", ", includeComments: true")).to.deep.equal(["ENG-1"]);
    await space.does("commentDelete", { id: comment.id });
    await space.does("issueDelete", { id: two.id, permanentlyDelete: true });
    expect(await wrong(space.organizationId)).to.deep.equal([]);
  });

  it("finds words of one or two letters, words of other scripts, and partial identifiers", async () => {
    const space = await createWorkspace();
    await space.issue({ title: "登录失败", description: "after ok" });
    for (let n = 2; n < 13; n += 1) await space.issue({ title: `No ${n}` });
    expect(await found(space, "登录")).to.deep.equal(["ENG-1"]);
    expect(await found(space, "登录失败")).to.deep.equal(["ENG-1"]);
    expect(await found(space, "ok")).to.deep.equal(["ENG-1"]);
    expect(await found(space, "eng-1")).to.have.members(["ENG-1", "ENG-10", "ENG-11", "ENG-12"]);
    expect((await found(space, "eng-1"))[0]).to.equal("ENG-1");
    expect(await found(space, "12")).to.deep.equal(["ENG-12"]);
    expect(await found(space, "eng-12 no")).to.deep.equal(["ENG-12"]);
  });

  it("finds several words like each word alone, whether most texts contain them or few", async () => {
    const space = await createWorkspace();
    const words = ["alpha", "beta", "gamma", "delta", "ox"];
    const texts = Array.from({ length: 24 }, (_, n) => words.filter((_, at) => (n >> at) % 2 === 0 || n % 5 === at));
    for (const [n, text] of texts.entries()) {
      const issue = await space.issue({
        title: text.slice(0, 2).join(" ") || "none",
        description: text.slice(2).join(" "),
      });
      if (n % 3 === 0) await space.does("commentCreate", { input: { issueId: issue.id, body: "alpha ox delta" } });
    }
    for (const term of [
      "alpha beta",
      "beta gamma delta",
      "ox alpha",
      "alpha beta gamma delta",
      "alpha alpha",
      "alph ox elta",
    ]) {
      const has = (text: string) => term.split(" ").every((word) => text.includes(word));
      const own = texts.flatMap((text, n) => (has(text.join(" ")) ? [n + 1] : []));
      const said = texts.flatMap((text, n) =>
        has(text.join(" ")) || (n % 3 === 0 && has("alpha ox delta")) ? [n + 1] : [],
      );
      for (const [more, all] of [
        ["", own],
        [", includeComments: true", said],
      ] as const) {
        const answer = await found(space, term, `, first: 50${more}`);
        expect(answer.slice(0, all.length), term).to.have.members(all.map((n) => `ENG-${n}`));
        // If fewer than five texts contain all words, texts with most of the words follow.
        if (all.length >= 5) expect(answer, term).to.have.length(all.length);
      }
    }
  });

  it("finds an issue by the identifier from an earlier key of its team", async () => {
    const space = await createWorkspace();
    await space.issue({ title: "Old" });
    await space.issue({ title: "Other" });
    await space.does("teamUpdate", { id: space.teamId, input: { key: "OPS" } });
    expect(await found(space, "eng-2")).to.deep.equal(["OPS-2"]);
    expect(await found(space, "ops-2")).to.deep.equal(["OPS-2"]);
  });

  it("gives text filters the same results as without the index", async () => {
    const { issue, gql } = await createWorkspace();
    await issue({ title: "Needle 100%", description: "Hay_stack" });
    await issue({ title: "needless", description: null });
    const numbers = async (filter: object) => {
      const query = "query ($filter: IssueFilter) { issues(filter: $filter, orderBy: createdAt) { nodes { number } } }";
      return (await gql(query, { filter })).issues.nodes.map(({ number }: { number: number }) => number);
    };
    expect(await numbers({ title: { contains: "Needle" } })).to.deep.equal([1]);
    expect(await numbers({ title: { containsIgnoreCase: "NEEDLE" } })).to.deep.equal([2, 1]);
    expect(await numbers({ title: { contains: "0%" } })).to.deep.equal([1]);
    expect(await numbers({ description: { containsIgnoreCase: "y_s" } })).to.deep.equal([1]);
    expect(await numbers({ searchableContent: { contains: "Hay_" } })).to.deep.equal([1]);
    expect(await numbers({ title: { contains: "Hay" } })).to.deep.equal([]);
    expect(await numbers({ or: [{ title: { contains: "Hay" } }, { number: { eq: 2 } }] })).to.deep.equal([2]);
  });
});
