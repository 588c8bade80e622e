import { expect } from "chai";
import { freshWorkspace } from "../support/workspace.ts";

const REVIEW = { teamId: "ENG", name: "Review", type: "started", color: "#ABCDEF" };
const STATE = "workflowState { id name type position color archivedAt }";

describe("workflow states", () => {
  it("are added after the others and changed, each with its change in the log", async () => {
    const { does, log, last } = await freshWorkspace();
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

  it("have a type that means something, and a name of their own in the team", async () => {
    const { refuses } = await freshWorkspace();
    const refused = (input: object) => refuses("workflowStateCreate", { input: { ...REVIEW, ...input } });
    expect(await refused({ type: "someday" })).to.include({ code: "INVALID_INPUT", field: "input.type" });
    expect(await refused({ color: "red" })).to.include({ code: "INVALID_INPUT", field: "input.color" });
    expect(await refused({ name: "todo" })).to.include({ code: "CONFLICT", field: "name" });
  });

  it("are archived when no issue is in them, the trash included", async () => {
    const { does, refuses, issue, states, gql } = await freshWorkspace();
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

  it("that are their team's default cannot be archived", async () => {
    const { refuses, states } = await freshWorkspace();
    expect((await refuses("workflowStateArchive", { id: states["Backlog"] })).code).to.equal("CONFLICT");
  });
});
