import { expect } from "chai";
import { connectSharedClient, type McpClient } from "../../support/mcp.ts";
import { createOrganization, type Tenant } from "../../support/server.ts";

/** Creates a tenant with the team ENG, and a client of the MCP server over HTTP. */
async function withTeam(): Promise<Tenant & McpClient> {
  const tenant = await createOrganization();
  await tenant.gql(`mutation { teamCreate(input: { key: "ENG", name: "Engineering" }) { success } }`);
  return { ...tenant, ...(await connectSharedClient(tenant)) };
}

describe("the MCP tools:", () => {
  it("whoami returns the user of the key", async () => {
    const { call, email } = await withTeam();
    const { user, organization } = (await call("whoami")).data;
    expect({ ...user, ...organization }).to.include({ email, name: "Acme" });
  });

  it("get_team shows the states in order, by key or name in any case", async () => {
    const { call } = await withTeam();
    const { team } = (await call("get_team", { team: "engineering" })).data;
    const states = team.states.map(({ name }: { name: string }) => name);
    expect(states).to.deep.equal(["Backlog", "Todo", "In Progress", "Done", "Canceled", "Duplicate"]);
  });

  it("create_issue accepts names, and get_issue shows everything the issue was created with", async () => {
    const { call, gql } = await withTeam();
    await gql(`mutation { issueLabelCreate(input: { name: "bug" }) { success } }`);
    const { id } = (await gql(`{ team(id: "ENG") { id } }`)).team;
    await gql(`mutation($t: [String!]!) { projectCreate(input: { name: "Checkout", teamIds: $t }) { success } }`, {
      t: [id],
    });
    await call("create_issue", { team: "ENG", title: "Parent" });
    const words = { state: "In Progress", assignee: "Olive Owner", priority: "urgent", labels: ["bug"], estimate: 3 };
    const more = { project: "checkout", parent: "eng-1", due: "2026-12-24", description: "It *fails*" };
    await call("create_issue", { team: "ENG", title: "Child", ...words, ...more });
    const { issue } = (await call("get_issue", { issue: "ENG-2" })).data;
    expect(issue).to.deep.include({ ...words, project: "Checkout", due: "2026-12-24", description: "It *fails*" });
    expect(issue.parent).to.deep.equal({ id: "ENG-1", title: "Parent" });
  });

  it("list_issues accepts names, and keywords for groups of them, in any case", async () => {
    const { call } = await withTeam();
    await call("create_issue", {
      team: "Eng",
      title: "One",
      assignee: "Me",
      priority: "High",
      project: "None",
      due: "NONE",
    });
    const words = {
      state: ["open", "backlog"],
      assignee: ["me", "none", "olive owner"],
      priority: ["high"],
      team: ["eng"],
    };
    const more = { cycle: ["none", "current"], project: ["none"], sort: ["updated"] };
    for (const [parameter, each] of Object.entries({ ...words, ...more }))
      for (const word of each) {
        const [small, ...others] = await Promise.all(
          [word, word.toUpperCase(), `${word[0]?.toUpperCase()}${word.slice(1)}`].map((text) =>
            call("list_issues", { [parameter]: text }),
          ),
        );
        expect(small?.isError, small?.text).to.equal(false);
        for (const other of others)
          expect(other.data ?? other.text, `${parameter}: ${word}`).to.deep.equal(small?.data);
      }
  });

  it("update_issue changes given fields, empties fields with none, and adds and removes labels", async () => {
    const { call, gql } = await withTeam();
    for (const name of ["bug", "ui"])
      await gql(`mutation { issueLabelCreate(input: { name: "${name}" }) { success } }`);
    await call("create_issue", { team: "ENG", title: "One", assignee: "me", labels: ["bug"], due: "P7D" });
    const changes = { assignee: "none", due: "none", add_labels: ["UI"], remove_labels: ["bug"], state: "completed" };
    const { issue } = (await call("update_issue", { issue: "ENG-1", ...changes })).data;
    expect(issue).to.deep.include({ id: "ENG-1", title: "One", state: "Done", labels: ["ui"] });
    expect(issue).to.not.have.any.keys("assignee", "due");
  });

  it("update_issue moves an issue to another team with a state of that team", async () => {
    const { call, gql } = await withTeam();
    await gql(`mutation { teamCreate(input: { key: "OPS", name: "Operations" }) { success } }`);
    await call("create_issue", { team: "ENG", title: "One" });
    const { issue } = (await call("update_issue", { issue: "ENG-1", team: "operations", state: "todo" })).data;
    expect(issue).to.include({ id: "OPS-1", state: "Todo" });
  });

  it("list_issues combines filters, and returns an empty list when nothing matches", async () => {
    const { call } = await withTeam();
    await call("create_issue", { team: "ENG", title: "Mine", assignee: "me", priority: "urgent" });
    await call("create_issue", { team: "ENG", title: "Nobody's" });
    const titles = async (args: object) =>
      (await call("list_issues", { team: "ENG", ...args })).data.issues.map(({ title }: { title: string }) => title);
    expect(await titles({ assignee: "me", state: "open", priority: "urgent" })).to.deep.equal(["Mine"]);
    expect(await titles({ assignee: "none", created_since: "P1D" })).to.deep.equal(["Nobody's"]);
    expect(await titles({ state: "Done" })).to.deep.equal([]);
  });

  it("list_issues finds the words of query in any order, with the rows of any list", async () => {
    const { call, gql } = await withTeam();
    await gql(`mutation { issueLabelCreate(input: { name: "bug" }) { success } }`);
    await call("create_issue", { team: "ENG", title: "Login fails on Safari", labels: ["bug"] });
    await call("create_issue", { team: "ENG", title: "Another" });
    const { issues } = (await call("list_issues", { query: "safari login", team: "ENG" })).data;
    expect(issues).to.deep.equal([{ id: "ENG-1", title: "Login fails on Safari", state: "Backlog", labels: ["bug"] }]);
  });

  it("list_issues pages through a list with each row once", async () => {
    const { call } = await withTeam();
    for (let n = 1; n <= 5; n += 1) await call("create_issue", { team: "ENG", title: `Issue ${n}` });
    const seen: string[] = [];
    for (let cursor: string | undefined; seen.length < 10; ) {
      const { data } = await call("list_issues", { limit: 2, ...(cursor && { cursor }) });
      seen.push(...data.issues.map(({ id }: { id: string }) => id));
      cursor = data.next_cursor;
      if (!cursor) break;
    }
    expect(seen).to.deep.equal(["ENG-5", "ENG-4", "ENG-3", "ENG-2", "ENG-1"]);
  });

  it("create_comment adds a comment to the issue, and a reply below its comment", async () => {
    const { call } = await withTeam();
    await call("create_issue", { team: "ENG", title: "One" });
    const { comment } = (await call("create_comment", { issue: "eng-1", body: "First" })).data;
    await call("create_comment", { issue: "ENG-1", body: "Second", reply_to: comment.id });
    const { comments } = (await call("get_issue", { issue: "ENG-1" })).data.issue;
    expect(comments[0]).to.include({ body: "Second", reply_to: comment.id, author: "Olive Owner" });
  });

  it("list_projects filters by team, state and part of the name", async () => {
    const { call, gql } = await withTeam();
    const { id } = (await gql(`{ team(id: "ENG") { id } }`)).team;
    for (const name of ["Checkout", "Search"])
      await gql(`mutation($t: [String!]!) { projectCreate(input: { name: "${name}", teamIds: $t }) { success } }`, {
        t: [id],
      });
    const { projects } = (await call("list_projects", { team: "ENG", query: "check" })).data;
    expect(projects).to.have.length(1);
    expect(projects[0]).to.deep.include({ name: "Checkout", teams: ["ENG"] });
  });

  it("get_issue returns at most 40,000 characters, and marks a cut with truncated", async () => {
    const { call } = await withTeam();
    await call("create_issue", { team: "ENG", title: "Long", description: '"'.repeat(100_000) });
    for (let n = 0; n < 5; n += 1) await call("create_comment", { issue: "ENG-1", body: "x".repeat(20_000) });
    const { text, data } = await call("get_issue", { issue: "ENG-1" });
    expect(text.length).to.be.at.most(40_000);
    expect(data.truncated).to.equal(true);
    expect(JSON.parse(text)).to.deep.equal(data);
  });
});
