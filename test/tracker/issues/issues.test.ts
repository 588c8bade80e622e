import { expect } from "chai";
import { retryWhileBusy } from "../../support/db/busy.ts";
import { sendGraphQL, startServer, startSharedServer } from "../../support/server.ts";
import { createWorkspace } from "../../support/workspace.ts";

describe("issues", () => {
  it("are numbered by team: the first of ENG is ENG-1", async () => {
    const { issue } = await createWorkspace();
    expect((await issue()).identifier).to.equal("ENG-1");
    expect((await issue()).identifier).to.equal("ENG-2");
  });

  it("get the numbers 1 to 200, each once, from 200 concurrent creations", async () => {
    const { issue } = await createWorkspace();
    const made = await Promise.all(Array.from({ length: 200 }, () => retryWhileBusy(issue)));
    const numbers = made.map(({ number }) => number).sort((one, other) => one - other);
    expect(numbers).to.deep.equal(Array.from({ length: 200 }, (_, at) => at + 1));
  });

  it("are numbered without gaps when two servers write at once", async function () {
    const { runtime } = await startSharedServer();
    if (runtime.db.engine === "embedded") this.skip(); // Only one process can open an embedded database.
    const space = await createWorkspace();
    const { url } = await startServer();
    const query = 'mutation { issueCreate(input: { teamId: "ENG", title: "x" }) { issue { number } } }';
    const sent = Array.from({ length: 60 }, (_, at) => sendGraphQL(at % 2 ? url : space.url, space.apiKey, { query }));
    const numbers = (await Promise.all(sent)).map(({ data }) => data.issueCreate.issue.number);
    expect(numbers.sort((one, other) => one - other)).to.deep.equal(Array.from({ length: 60 }, (_, at) => at + 1));
  });

  it("start in the team's default state, with the creator and no other values", async () => {
    const { issue, states } = await createWorkspace();
    const made = await issue({ title: "  Trim me  " });
    expect(made).to.deep.include({ title: "Trim me", priority: 0, labelIds: [], parent: null, startedAt: null });
    expect(made.state).to.deep.equal({ id: states["Backlog"], name: "Backlog", type: "backlog" });
    expect(made.creator.id).to.be.a("string");
  });

  it("accept every field of the input", async () => {
    const { issue, states, does, teamId } = await createWorkspace();
    const parent = await issue();
    const label = (await does("issueLabelCreate", { input: { name: "bug" } }, "issueLabel { id }")).issueLabel.id;
    const project = (await does("projectCreate", { input: { name: "P", teamIds: [teamId] } }, "project { id }"))
      .project;
    const links = { stateId: states["Todo"], parentId: parent.identifier, projectId: project.id, labelIds: [label] };
    const plain = {
      title: "All",
      description: "# Long",
      priority: 1,
      estimate: 3,
      dueDate: "2026-02-28",
      sortOrder: 1.5,
    };
    const made = await issue({ ...plain, ...links, assigneeId: parent.creator.id });
    expect(made).to.deep.include({
      ...plain,
      labelIds: [label],
      parent: { id: parent.id },
      project: { id: project.id },
    });
    expect(made).to.deep.include({ assignee: parent.creator });
  });

  it("are found by id and by identifier in any case", async () => {
    const { issue, read } = await createWorkspace();
    const { id } = await issue();
    for (const name of [id, id.toUpperCase(), "ENG-1", "eng-1"]) expect((await read(name)).id).to.equal(id);
  });

  it("keep the imported creation time, and the completion time with a completed state", async () => {
    const { issue, states, refuses, teamId } = await createWorkspace();
    const moments = { createdAt: "2020-01-01T00:00:00.000Z", completedAt: "2020-02-01T00:00:00.000Z" };
    expect(await issue({ ...moments, stateId: states["Done"] })).to.deep.include(moments);
    const refusal = await refuses("issueCreate", { input: { teamId, title: "x", ...moments } });
    expect(refusal).to.deep.include({ code: "INPUT_ERROR", field: "completedAt" });
  });

  it("have named priorities", async () => {
    const { gql } = await createWorkspace();
    const { issuePriorityValues: values } = await gql("{ issuePriorityValues { priority label } }");
    expect(values.map(({ label }: { label: string }) => label)).to.deep.equal([
      ...["No priority", "Urgent", "High", "Medium", "Low"],
    ]);
  });
});
