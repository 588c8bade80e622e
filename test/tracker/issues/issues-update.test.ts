import { expect } from "chai";
import { createWorkspace, ISSUE_FIELDS, type Workspace } from "../../support/workspace.ts";

const updated = async ({ does }: Workspace, id: string, input: object) =>
  (await does("issueUpdate", { id, input }, `lastSyncId issue { ${ISSUE_FIELDS} }`)).issue;

describe("issueUpdate", () => {
  it("changes the given fields, clears fields set to null, and keeps all others", async () => {
    const space = await createWorkspace();
    const { id } = await space.issue({ description: "old", estimate: 2, priority: 3 });
    const after = await updated(space, id, { title: "New", description: null, priority: null });
    expect(after).to.deep.include({ title: "New", description: null, estimate: 2, priority: 3 });
  });

  it("logs the previous values of changed fields only", async () => {
    const space = await createWorkspace();
    const { id, updatedAt } = await space.issue({ title: "Old", priority: 2 });
    const last = await space.last();
    await updated(space, id, { title: "New", priority: 2 });
    const [change] = await space.log(last);
    expect(change).to.deep.include({ type: "Issue", action: "update", event: "issue.updated" });
    expect(change?.updatedFrom).to.deep.equal({ title: "Old", updatedAt });
    expect(change?.data).to.deep.include({ title: "New", identifier: "ENG-1", labelIds: [] });
  });

  it("refuses an update based on an old version of the issue, and accepts the current version", async () => {
    const space = await createWorkspace();
    const { id, updatedAt } = await space.issue({ title: "Old" });
    const { updatedAt: since } = await updated(space, id, { title: "New", updatedAt });
    const refusal = await space.refuses("issueUpdate", { id, input: { title: "Newer", updatedAt } });
    expect(refusal).to.deep.include({ code: "CONFLICT", field: "updatedAt" });
    expect(refusal.message).to.contain(since);
    expect((await space.read(id)).title).to.equal("New");
    expect((await updated(space, id, { title: "Newest", updatedAt: since })).title).to.equal("Newest");
    const batch = await space.refuses("issueBatchUpdate", { ids: [id], input: { updatedAt: since } });
    expect(batch).to.deep.include({ code: "INVALID_INPUT", field: "input.updatedAt" });
  });

  it("writes nothing when nothing changes", async () => {
    const space = await createWorkspace();
    const { id, updatedAt } = await space.issue({ title: "Same", labelIds: [] });
    const last = await space.last();
    const { lastSyncId } = await space.does("issueUpdate", {
      id,
      input: { title: "Same", labelIds: [], trashed: false },
    });
    expect(lastSyncId).to.equal(last);
    expect(await space.log(last)).to.deep.equal([]);
    expect((await space.read(id)).updatedAt).to.equal(updatedAt);
  });

  it("sets the times of the states that an issue enters, and clears those it leaves", async () => {
    const space = await createWorkspace();
    const { id } = await space.issue();
    const enter = (name: string) => updated(space, id, { stateId: space.states[name] });
    const started = await enter("In Progress");
    expect(started.startedAt).to.be.a("string");
    const done = await enter("Done");
    expect(done.startedAt).to.equal(started.startedAt);
    expect(done.completedAt).to.be.a("string");
    expect(await enter("Canceled")).to.include({ completedAt: null, startedAt: started.startedAt });
    expect(await enter("Todo")).to.include({ startedAt: null, completedAt: null, canceledAt: null });
  });

  it("replaces, adds and removes labels, logged as one change of the issue", async () => {
    const space = await createWorkspace();
    const label = async (name: string) =>
      (await space.does("issueLabelCreate", { input: { name } }, "issueLabel { id }")).issueLabel.id;
    const [a, b, c] = [await label("a"), await label("b"), await label("c")];
    const { id } = await space.issue({ labelIds: [a, b] });
    const last = await space.last();
    expect((await updated(space, id, { addedLabelIds: [c], removedLabelIds: [a] })).labelIds).to.have.members([b, c]);
    const [change, more] = await space.log(last);
    expect([change?.updatedFrom.labelIds, more]).to.deep.equal([[a, b].sort(), undefined]);
    await space.does("issueRemoveLabel", { id, labelId: b });
    await space.does("issueAddLabel", { id, labelId: a });
    expect((await updated(space, id, { labelIds: [c] })).labelIds).to.deep.equal([c]);
  });

  it("refuses a circle of parents of any length", async () => {
    const space = await createWorkspace();
    await space.issue();
    await space.issue({ parentId: "ENG-1" });
    await space.issue({ parentId: "ENG-2" });
    for (const parentId of ["ENG-3", "ENG-2", "ENG-1"]) {
      const refusal = await space.refuses("issueUpdate", { id: "ENG-1", input: { parentId } });
      expect(refusal).to.deep.include({ code: "INPUT_ERROR", field: "parentId" });
    }
  });
});
