import { expect } from "chai";
import { createWorkspace, createWorkspaceIn, type Workspace } from "../support/workspace.ts";

const LABEL = "issueLabel { id name color isGroup team { key } parent { id } creator { id } }";
const made = async ({ does }: Workspace, input: object) =>
  (await does("issueLabelCreate", { input }, LABEL)).issueLabel;

describe("labels", () => {
  it("belong to the organization or a team, with a unique name there", async () => {
    const space = await createWorkspace();
    expect(await made(space, { name: "bug" })).to.deep.include({
      name: "bug",
      team: null,
      isGroup: false,
      color: "#bec2c8",
    });
    expect((await made(space, { name: "bug", teamId: "ENG" })).team).to.deep.equal({ key: "ENG" });
    for (const input of [{ name: "BUG" }, { name: "Bug", teamId: "ENG" }]) {
      expect(await space.refuses("issueLabelCreate", { input })).to.include({ code: "CONFLICT", field: "name" });
    }
  });

  it("can be in a group of the same team or of the organization, one level deep", async () => {
    const space = await createWorkspace();
    await createWorkspaceIn(space, "OPS");
    const shared = await made(space, { name: "type", isGroup: true });
    const own = await made(space, { name: "area", isGroup: true, teamId: "ENG" });
    const label = await made(space, { name: "bug", teamId: "ENG", parentId: shared.id });
    expect(label.parent).to.deep.equal({ id: shared.id });
    for (const input of [
      { name: "a", parentId: label.id },
      { name: "b", parentId: shared.id, isGroup: true },
      { name: "c", parentId: own.id, teamId: "OPS" },
      { name: "d", parentId: own.id },
    ]) {
      expect(await space.refuses("issueLabelCreate", { input })).to.include({ code: "INPUT_ERROR", field: "parentId" });
    }
  });

  it("become a group only while no issue has them", async () => {
    const space = await createWorkspace();
    const { id } = await made(space, { name: "bug" });
    await space.issue({ labelIds: [id] });
    expect((await space.refuses("issueLabelUpdate", { id, input: { isGroup: true } })).code).to.equal("CONFLICT");
    await space.does("issueRemoveLabel", { id: "ENG-1", labelId: id });
    await space.does("issueLabelUpdate", { id, input: { isGroup: true, name: "kind", color: "#000000" } });
  });

  it("leave their issues when deleted, and a deleted group leaves its labels, each with a change in the log", async () => {
    const space = await createWorkspace();
    const group = await made(space, { name: "g", isGroup: true });
    const label = await made(space, { name: "l", parentId: group.id });
    await space.issue({ labelIds: [label.id] });
    const last = await space.last();
    await space.does("issueLabelDelete", { id: group.id });
    await space.does("issueLabelDelete", { id: label.id });
    expect((await space.read("ENG-1")).labelIds).to.deep.equal([]);
    const told = (await space.log(last)).map(({ event, data }) => [event, data.labelIds ?? data.parentId]);
    expect(told).to.deep.equal([
      ["label.updated", null],
      ["label.deleted", null],
      ["issue.updated", []],
      ["label.deleted", null],
    ]);
  });
});
