import { expect } from "chai";
import { createWorkspace, createWorkspaceIn, ISSUE_FIELDS } from "../../support/workspace.ts";

/** Creates a workspace with two teams, and returns a function that moves an issue to another team. */
async function twoTeams() {
  const space = await createWorkspace();
  const other = await createWorkspaceIn(space, "OPS");
  const move = async (id: string, teamId: string, input = {}) =>
    (await space.does("issueUpdate", { id, input: { teamId, ...input } }, `issue { ${ISSUE_FIELDS} }`)).issue;
  return { space, other, move };
}

describe("moving an issue to another team", () => {
  it("assigns the next number there; the old identifier still resolves and is never reused", async () => {
    const { space, other, move } = await twoTeams();
    const { id } = await space.issue();
    await other.issue();
    expect(await move(id, other.teamId)).to.deep.include({ identifier: "OPS-2", previousIdentifiers: ["ENG-1"] });
    expect((await space.read("eng-1")).id).to.equal(id);
    expect((await space.issue()).identifier).to.equal("ENG-2");
    expect((await move(id, space.teamId)).identifier).to.equal("ENG-3");
    for (const name of ["ENG-1", "OPS-2", "ENG-3"]) expect((await space.read(name)).id).to.equal(id);
  });

  it("sets the state of the same name, else of the same type, else the default state", async () => {
    const { space, other, move } = await twoTeams();
    const review = { teamId: space.teamId, name: "Review", type: "started", color: "#000000" };
    const state = (await space.does("workflowStateCreate", { input: review }, "workflowState { id }")).workflowState;
    const { id } = await space.issue({ stateId: space.states["Todo"] });
    expect((await move(id, other.teamId)).state).to.deep.include({ id: other.states["Todo"], name: "Todo" });
    const named = await space.issue({ stateId: state.id });
    const moved = await move(named.id, other.teamId);
    expect(moved.state.name).to.equal("In Progress");
    expect(moved.startedAt).to.equal(named.startedAt);
  });

  it("drops the cycle and the labels of the old team, and keeps organization labels", async () => {
    const { space, other, move } = await twoTeams();
    const span = { startsAt: "2026-01-01T00:00:00Z", endsAt: "2026-01-15T00:00:00Z" };
    const { cycle } = await space.does("cycleCreate", { input: { teamId: "ENG", ...span } }, "cycle { id }");
    const label = async (input: object) =>
      (await space.does("issueLabelCreate", { input }, "issueLabel { id }")).issueLabel.id;
    const [own, shared] = [await label({ name: "own", teamId: "ENG" }), await label({ name: "shared" })];
    const { id } = await space.issue({ cycleId: cycle.id, labelIds: [own, shared] });
    expect(await move(id, other.teamId)).to.deep.include({ cycle: null, labelIds: [shared] });
  });

  it("is one change in the log, with the old identifier and team", async () => {
    const { space, other, move } = await twoTeams();
    const { id } = await space.issue();
    const last = await space.last();
    await move(id, other.teamId, { title: "Moved" });
    const changes = await space.log(last);
    expect(changes.map(({ event }) => event)).to.deep.equal(["issue.updated"]);
    expect(changes[0]?.data.identifier).to.equal("OPS-1");
    expect(changes[0]?.updatedFrom).to.deep.include({ identifier: "ENG-1", teamId: space.teamId, title: "An issue" });
  });

  it("refuses a state or cycle of the old team", async () => {
    const { space, other } = await twoTeams();
    await space.issue();
    const input = { teamId: other.teamId, stateId: space.states["Todo"] };
    expect(await space.refuses("issueUpdate", { id: "ENG-1", input })).to.include({
      code: "INPUT_ERROR",
      field: "stateId",
    });
  });
});
