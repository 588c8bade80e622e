import { expect } from "chai";
import { TEXT_TABLES } from "../db/texts.ts";
import { mendTexts } from "../server/jobs/texts.ts";
import { sharedServer } from "./support/server.ts";
import { freshWorkspace, type Workspace } from "./support/workspace.ts";

const found = async ({ gql }: Workspace, term: string, more = "") => {
  const query = `query ($term: String!) { searchIssues(term: $term${more}) { nodes { identifier } searchedSince } }`;
  const { searchIssues } = await gql(query, { term });
  return searchIssues.nodes.map(({ identifier }: { identifier: string }) => identifier);
};

/** Rows of an organization whose text is not what is searched. */
async function wrong(organizationId: string): Promise<unknown[]> {
  const { db } = (await sharedServer()).runtime;
  const rows = TEXT_TABLES.map(({ table, of, text }) => {
    return db.query({
      text: `select coalesce(r.id, x.id) as id from "${of}" r full join "${table}" x on x."organizationId" = r."organizationId" and x.id = r.id
        where coalesce(r."organizationId", x."organizationId") = $1 and x.text is distinct from ${text("r")}`,
      values: [organizationId],
    });
  });
  return (await Promise.all(rows)).flat();
}

describe("the texts that searches read", () => {
  it("follow every write of an issue and of a comment", async () => {
    const space = await freshWorkspace();
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

  it("are mended where a server of an older release wrote", async () => {
    const space = await freshWorkspace();
    const { id } = await space.issue({ title: "Delta" });
    const { db } = (await sharedServer()).runtime;
    await db.query({ text: "update issue set title = 'Epsilon', \"updatedAt\" = now() where id = $1", values: [id] });
    expect(await wrong(space.organizationId)).to.have.length(1);
    await mendTexts(db);
    expect(await wrong(space.organizationId)).to.deep.equal([]);
  });

  it("serve words of one or two letters, of other scripts, and identifiers being typed", async () => {
    const space = await freshWorkspace();
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

  it("let filters by text find the same as without the index", async () => {
    const { issue, gql } = await freshWorkspace();
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
