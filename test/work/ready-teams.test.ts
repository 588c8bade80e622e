import { expect } from "chai";
import { createAgent } from "../support/tracker/work.ts";
import { createWorkspace, createWorkspaceIn, type Workspace } from "../support/workspace.ts";

const READY = `{ issues(filter: { ready: { eq: true } }, sort: [{ ready: {} }]) { nodes { title ready } } }`;
const ready = async (space: Workspace): Promise<string[]> =>
  (await space.gql(READY)).issues.nodes.map(({ title }: { title: string }) => title);
const block = (space: Workspace, issue: { id: string }, related: { id: string }) =>
  space.does("issueRelationCreate", { input: { type: "blocks", issueId: issue.id, relatedIssueId: related.id } });

describe("readiness of issues by team", () => {
  it("ignores blockers of a team in the trash until the team is restored", async () => {
    const space = await createWorkspace();
    const other = await createWorkspaceIn(space, "OPS");
    const blocker = await other.issue({ title: "blocker" });
    const waiting = await space.issue({ title: "waiting" });
    await block(space, blocker, waiting);
    expect(await ready(space)).to.deep.equal(["blocker"]);
    await space.does("teamDelete", { id: "OPS" });
    expect(await ready(space)).to.deep.equal(["waiting"]);
    // Changes while the team is archived or in the trash count the same way.
    const later = await space.issue({ title: "later" });
    await block(space, blocker, later);
    expect(await ready(space)).to.deep.equal(["waiting", "later"]);
    await (await createAgent(space)).claim({ id: later.id });
    await space.does("teamUnarchive", { id: other.teamId });
    expect(await ready(space)).to.deep.equal(["blocker"]);
    expect(await space.refuses("issueClaim", { input: { id: waiting.id } })).to.include({ code: "CONFLICT" });
  });

  it("requires a state of a type that the team lists as ready", async () => {
    const space = await createWorkspace();
    const other = await createWorkspaceIn(space, "OPS");
    await space.issue({ title: "backlog" });
    await space.issue({ title: "todo", stateId: space.states.Todo });
    await other.issue({ title: "theirs" });
    expect(await ready(space)).to.deep.equal(["backlog", "todo", "theirs"]);
    const selection = "team { readyStateTypes }";
    const left = await space.does("teamUpdate", { id: "ENG", input: { readyStateTypes: ["unstarted"] } }, selection);
    expect(left.team).to.deep.equal({ readyStateTypes: ["unstarted"] });
    expect(await ready(space)).to.deep.equal(["todo", "theirs"]);
    const { issues } = await space.gql(`{ issues(filter: { ready: { eq: false } }) { nodes { title ready } } }`);
    expect(issues.nodes).to.deep.equal([{ title: "backlog", ready: false }]);
    const agent = await createAgent(space);
    expect((await agent.claim({ filter: { team: { key: { eq: "ENG" } } } })).issue.identifier).to.equal("ENG-2");
    expect(await agent.refuses("issueClaim", { input: { filter: { team: { key: { eq: "ENG" } } } } })).to.include({
      code: "NOT_FOUND",
    });
    await space.does("teamUpdate", { id: "ENG", input: { readyStateTypes: ["triage", "backlog", "unstarted"] } });
    expect(await ready(space)).to.deep.equal(["backlog", "theirs"]);
    // The change log contains the column like every other column of a team.
    const changed = (await space.log()).filter(({ event }) => event === "team.updated");
    expect(changed.map(({ updatedFrom }) => updatedFrom.readyStateTypes)).to.deep.equal([
      ["triage", "backlog", "unstarted"],
      ["unstarted"],
    ]);
  });

  it("cannot be configured with an empty list, types that cannot be ready, or unknown types", async () => {
    const space = await createWorkspace();
    for (const readyStateTypes of [[], ["started"], ["backlog", "backlog", "x"]]) {
      const refusal = await space.refuses("teamUpdate", { id: "ENG", input: { readyStateTypes } });
      expect(refusal.code, JSON.stringify(readyStateTypes)).to.equal("INVALID_INPUT");
      expect(refusal.field).to.match(/^input.readyStateTypes/);
    }
  });
});
