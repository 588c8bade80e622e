import { expect } from "chai";
import { emptyTrash } from "../../server/jobs/trash.ts";
import { startSharedServer } from "../support/server.ts";
import { createWorkspace, createWorkspaceIn } from "../support/workspace.ts";

describe("a team", () => {
  it("starts with six states in order, the first as default", async () => {
    const { gql, teamId } = await createWorkspace();
    const { team, workflowStates } = await gql(
      `query ($id: String!) { team(id: $id) { key issueCount defaultIssueState { name } }
        workflowStates { nodes { name type color position } } }`,
      { id: teamId },
    );
    const states = [...workflowStates.nodes].sort((one, other) => one.position - other.position);
    expect(team).to.deep.equal({ key: "ENG", issueCount: 0, defaultIssueState: { name: "Backlog" } });
    expect(states.map(({ name, type, color }) => `${name} ${type} ${color}`)).to.deep.equal([
      ...["Backlog backlog #bec2c8", "Todo unstarted #e2e2e2", "In Progress started #f2c94c"],
      ...["Done completed #5e6ad2", "Canceled canceled #95a2b3", "Duplicate duplicate #95a2b3"],
    ]);
  });

  it("accepts a key in any case, or derives a free key from the name", async () => {
    const { does } = await createWorkspace();
    const keyOf = async (input: object) => (await does("teamCreate", { input }, "team { key }")).team.key;
    expect(await keyOf({ name: "Platform", key: "plat1" })).to.equal("PLAT1");
    expect(await keyOf({ name: "Design" })).to.equal("DES");
    expect(await keyOf({ name: "Design 2" })).to.equal("DES2");
    expect(await keyOf({ name: "設計" })).to.equal("TEAM");
  });

  it("refuses a key that is malformed or belongs to another team", async () => {
    const { refuses } = await createWorkspace();
    for (const key of ["1A", "TOOLONGX", "A-B", ""]) {
      const refusal = await refuses("teamCreate", { input: { name: "x", key } });
      expect(refusal).to.deep.include({ code: "INVALID_INPUT", field: "input.key" });
    }
    expect(await refuses("teamCreate", { input: { name: "x", key: "eng" } })).to.include({
      code: "CONFLICT",
      field: "key",
    });
  });

  it("changes the identifiers of its issues with its key; old key and identifiers still resolve and stay reserved", async () => {
    const { issue, does, read, refuses, gql, teamId, last, log } = await createWorkspace();
    const { id } = await issue();
    const before = await last();
    await does("teamUpdate", { id: "eng", input: { key: "DEV" } });
    expect(await read("ENG-1")).to.include({ id, identifier: "DEV-1" });
    expect((await gql('{ team(id: "ENG") { id } }')).team.id).to.equal(teamId);
    expect((await refuses("teamCreate", { input: { name: "x", key: "ENG" } })).code).to.equal("CONFLICT");
    await does("teamUpdate", { id: teamId, input: { key: "ENG" } });
    expect((await read("dev-1")).identifier).to.equal("ENG-1");
    expect((await log(before)).map(({ event, updatedFrom }) => [event, updatedFrom.key])).to.deep.equal([
      ["team.updated", "ENG"],
      ["team.updated", "DEV"],
    ]);
  });

  it("starts issues in another of its states if configured", async () => {
    const space = await createWorkspace();
    const other = await createWorkspaceIn(space, "OPS");
    await space.does("teamUpdate", { id: "ENG", input: { defaultIssueStateId: space.states["Todo"] } });
    expect((await space.issue()).state.name).to.equal("Todo");
    const input = { defaultIssueStateId: other.states["Todo"] };
    const refusal = await space.refuses("teamUpdate", { id: "ENG", input });
    expect(refusal).to.include({ code: "INPUT_ERROR", field: "defaultIssueStateId" });
  });

  it("frees its key only when purged, and old identifiers of moved issues still resolve", async () => {
    const space = await createWorkspace();
    const other = await createWorkspaceIn(space, "OPS");
    const { id } = await space.issue();
    await space.does("issueUpdate", { id, input: { teamId: other.teamId } });
    await space.does("teamDelete", { id: space.teamId });
    expect((await space.refuses("teamCreate", { input: { key: "ENG", name: "Again" } })).code).to.equal("CONFLICT");
    await emptyTrash((await startSharedServer()).runtime, Date.now() + 31 * 86_400_000);
    expect((await space.read("ENG-1")).id).to.equal(id);
    const again = await createWorkspaceIn(space, "ENG");
    expect((await again.issue()).identifier).to.equal("ENG-1");
    expect((await space.read("OPS-1")).id).to.equal(id);
  });
});
