import { expect } from "chai";
import { freshWorkspace, type Workspace, workspaceOf } from "../support/workspace.ts";

const LABEL = "issueLabel { id name color isGroup team { key } parent { id } creator { id } }";
const made = async ({ does }: Workspace, input: object) =>
  (await does("issueLabelCreate", { input }, LABEL)).issueLabel;

describe("labels", () => {
  it("belong to the organization or to a team, and have a name of their own there", async () => {
    const space = await freshWorkspace();
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

  it("can stand in a group of the same team or of the organization, one level deep", async () => {
    const space = await freshWorkspace();
    await workspaceOf(space, "OPS");
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

  it("become a group only while no issue carries them", async () => {
    const space = await freshWorkspace();
    const { id } = await made(space, { name: "bug" });
    await space.issue({ labelIds: [id] });
    expect((await space.refuses("issueLabelUpdate", { id, input: { isGroup: true } })).code).to.equal("CONFLICT");
    await space.does("issueRemoveLabel", { id: "ENG-1", labelId: id });
    await space.does("issueLabelUpdate", { id, input: { isGroup: true, name: "kind", color: "#000000" } });
  });

  it("leave their issues and their group's labels when they are deleted, each with its change in the log", async () => {
    const space = await freshWorkspace();
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
