import { expect } from "chai";
import { createWorkspace } from "../support/workspace.ts";

const REVIEW = { teamId: "ENG", name: "Review", type: "started", color: "#ABCDEF" };
const STATE = "workflowState { id name type position color archivedAt }";

describe("workflow states", () => {
  it("are added after the existing states and updated, each with a change in the log", async () => {
    const { does, log, last } = await createWorkspace();
    const before = await last();
    const { workflowState: made } = await does("workflowStateCreate", { input: REVIEW }, STATE);
    expect(made).to.include({ name: "Review", type: "started", position: 6 });
    const input = { name: "Code review", position: 2.5 };
    const { workflowState } = await does("workflowStateUpdate", { id: made.id, input }, STATE);
    expect(workflowState).to.include({ ...input, type: "started" });
    expect((await log(before)).map(({ event }) => event)).to.deep.equal([
      "workflowState.created",
      "workflowState.updated",
    ]);
  });

  it("are refused with an unknown type, a malformed color, or a name that the team already has", async () => {
    const { refuses } = await createWorkspace();
    const refused = (input: object) => refuses("workflowStateCreate", { input: { ...REVIEW, ...input } });
    expect(await refused({ type: "someday" })).to.include({ code: "INVALID_INPUT", field: "input.type" });
    expect(await refused({ color: "red" })).to.include({ code: "INVALID_INPUT", field: "input.color" });
    expect(await refused({ name: "todo" })).to.include({ code: "CONFLICT", field: "name" });
  });

  it("are archived only if no issue has them, including issues in the trash", async () => {
    const { does, refuses, issue, states, gql } = await createWorkspace();
    const id = states["Todo"];
    const { id: issueId } = await issue({ stateId: id });
    await does("issueDelete", { id: issueId });
    expect((await refuses("workflowStateArchive", { id })).code).to.equal("CONFLICT");
    await does("issueUpdate", { id: issueId, input: { stateId: states["Done"] } });
    expect((await does("workflowStateArchive", { id }, "entity { archivedAt }")).entity.archivedAt).to.be.a("string");
    const { workflowStates } = await gql("{ workflowStates { nodes { name } } }");
    expect(workflowStates.nodes).to.have.length(5);
    const refusal = await refuses("issueCreate", { input: { teamId: "ENG", title: "x", stateId: id } });
    expect(refusal).to.include({ code: "INPUT_ERROR", field: "stateId" });
  });

  it("cannot be archived while they are the team's default", async () => {
    const { refuses, states } = await createWorkspace();
    expect((await refuses("workflowStateArchive", { id: states["Backlog"] })).code).to.equal("CONFLICT");
  });
});
