import { expect } from "chai";
import { createWorkspace, type Workspace } from "../../support/workspace.ts";

const FOUND = "totalCount unmatchedWords nodes { title }";

const search = async ({ gql }: Workspace, term: string, more = "") =>
  (await gql(`query ($term: String!) { searchIssues(term: $term${more}) { ${FOUND} } }`, { term })).searchIssues;
const titles = (page: { nodes: { title: string }[] }) => page.nodes.map(({ title }) => title);
const found = async (space: Workspace, term: string, more = "") => titles(await search(space, term, more));

describe("words of a search term", () => {
  it("match other word forms, prefixes and any order, matches in titles first", async () => {
    const space = await createWorkspace();
    await space.issue({ title: "Report", description: "Retries of a login" });
    await space.issue({ title: "Logins retried too often" });
    expect(await found(space, "retry login")).to.deep.equal(["Logins retried too often", "Report"]);
    expect(await found(space, "retri logi")).to.deep.equal(["Logins retried too often", "Report"]);
    expect(await found(space, "oft retrying")).to.deep.equal(["Logins retried too often"]);
  });

  it("find issues with most of the words after issues with all words", async () => {
    const space = await createWorkspace();
    for (const title of ["Export of invoices", "Slow export of invoices", "Slow page"]) await space.issue({ title });
    expect(await found(space, "export invoices slowly")).to.deep.equal([
      "Slow export of invoices",
      "Export of invoices",
    ]);
  });

  it("may be misspelled if fewer than five issues contain them", async () => {
    const space = await createWorkspace();
    await space.issue({ title: "Calendar view is blank" });
    await space.issue({ title: "Invoices" });
    expect(await found(space, "calender")).to.deep.equal(["Calendar view is blank"]);
    for (let n = 0; n < 5; n += 1) await space.issue({ title: `A calender on paper ${n}` });
    expect(await found(space, "calender")).to.have.length(5);
  });

  it("match exactly in quotes, and exclude issues after a minus", async () => {
    const space = await createWorkspace();
    for (const title of ["Blank screen of the login", "Screen blank at login", "Login"]) await space.issue({ title });
    expect(await found(space, '"blank screen"')).to.deep.equal(["Blank screen of the login"]);
    expect(await found(space, "login -screens")).to.deep.equal(
      ["Blank screen of the login", "Screen blank at login", "Login"].slice(2),
    );
    expect(await found(space, 'login -"blank screen"')).to.deep.equal(["Login", "Screen blank at login"]);
    expect(await found(space, "-blank")).to.deep.equal(["Login"]);
  });

  it("are filters after a known key, and plain words after any other", async () => {
    const space = await createWorkspace();
    const { issueLabel } = await space.does(
      "issueLabelCreate",
      { input: { name: "Needs Review" } },
      "issueLabel { id }",
    );
    const { project } = await space.does(
      "projectCreate",
      { input: { name: "Big Move", teamIds: [space.teamId] } },
      "project { id }",
    );
    const { viewer } = await space.gql("{ viewer { id name } }");
    await space.issue({ title: "one", labelIds: [issueLabel.id] });
    await space.issue({ title: "two", stateId: space.states["Done"] });
    await space.issue({ title: "three", projectId: project.id, assigneeId: viewer.id });
    await space.issue({ title: "error: four" });
    expect(await found(space, 'label:"needs review"')).to.deep.equal(["one"]);
    expect(await found(space, "state:done")).to.deep.equal(["two"]);
    expect(await found(space, "state:closed thre")).to.deep.equal([]);
    expect(await found(space, "state:closed two")).to.deep.equal(["two"]);
    expect(await found(space, "project:big assignee:me three")).to.deep.equal(["three"]);
    expect(await found(space, "assignee:none state:open created:>7d", ", first: 50")).to.deep.equal([
      "error: four",
      "one",
    ]);
    expect(await found(space, "created:<2020-01-01")).to.deep.equal([]);
    expect(await found(space, "has:session")).to.deep.equal([]);
    expect(await found(space, "error: four")).to.deep.equal(["error: four"]);
    expect(await found(space, '"error: four" label:none')).to.deep.equal([]);
    expect(await found(space, "label:bug", ", filter: { priority: { eq: 1 } }")).to.deep.equal([]);
  });

  it("rank open issues before closed issues, and recent before old, among equals", async () => {
    const space = await createWorkspace();
    await space.issue({ title: "Needle a" });
    await space.issue({ title: "Needle b" });
    await space.issue({ title: "Needle c", stateId: space.states["Done"] });
    expect(await found(space, "needle")).to.deep.equal(["Needle b", "Needle a", "Needle c"]);
  });

  it("are reported as unknown if nothing was found and no issue contains them", async () => {
    const space = await createWorkspace();
    const { id } = await space.issue({ title: "Login" });
    await space.does("commentCreate", { input: { issueId: id, body: "seen in a sandbox" } });
    expect((await search(space, "login")).unmatchedWords).to.equal(null);
    expect((await search(space, 'zebra "of login" sandbox')).unmatchedWords).to.deep.equal(["zebra", "sandbox"]);
    const said = await search(space, 'zebra "of login" sandbox', ", includeComments: true");
    expect(said.unmatchedWords).to.deep.equal(["zebra"]);
  });

  it("are stemmed in the organization's language", async () => {
    const space = await createWorkspace();
    await space.issue({ title: "Häuser ohne Türen" });
    expect(await found(space, "Haus")).to.deep.equal([]);
    const change =
      "mutation ($input: OrganizationUpdateInput!) { organizationUpdate(input: $input) { organization { searchLanguage } } }";
    const { organizationUpdate } = await space.gql(change, { input: { searchLanguage: "german" } });
    expect(organizationUpdate.organization.searchLanguage).to.equal("german");
    expect(await found(space, "Haus")).to.deep.equal(["Häuser ohne Türen"]);
    await space.issue({ title: "Das Haus am See" });
    expect(await found(space, "Häuser")).to.have.members(["Häuser ohne Türen", "Das Haus am See"]);
    await space.gql(change, { input: { searchLanguage: "other" } });
    expect(await found(space, "Haus")).to.deep.equal(["Das Haus am See"]);
  });
});

describe("similarIssues for a new issue", () => {
  it("returns issues that share words of title and text, most similar first", async () => {
    const space = await createWorkspace();
    for (const title of [
      "Login page is blank in Safari",
      "Blank page behind the login",
      "Invoices are wrong",
      "Safari",
    ])
      await space.issue({ title });
    const query = `query ($title: String!, $text: String) { similarIssues(title: $title, text: $text, first: 3) { ${FOUND} } }`;
    const { similarIssues } = await space.gql(query, {
      title: "Blank login page on Safari",
      text: "After the upgrade the page stays white.",
    });
    expect(titles(similarIssues).slice(0, 2)).to.deep.equal([
      "Login page is blank in Safari",
      "Blank page behind the login",
    ]);
    expect(titles(similarIssues)).not.to.include("Invoices are wrong");
    const none = await space.graphql(query, { title: " - " });
    expect(none.errors?.[0]?.extensions).to.include({ code: "INPUT_ERROR", field: "title" });
  });
});

describe("a reference to an issue", () => {
  it("may be its identifier or the URL of its page, with spaces around it", async () => {
    const space = await createWorkspace();
    const { id, url, identifier } = await space.issue({ title: "Named" });
    for (const name of [` ${identifier}\n`, url, ` ${url}?from=mail `, `${url.replace(/\/[^/]*$/, "")}`])
      expect((await space.read(name)).id, name).to.equal(id);
    await space.does("commentCreate", { input: { issueId: ` ${url} `, body: "By its URL" } });
    expect(await found(space, url)).to.deep.equal(["Named"]);
  });
});
