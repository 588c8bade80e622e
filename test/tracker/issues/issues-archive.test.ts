import { expect } from "chai";
import { emptyTrash } from "../../../server/jobs/trash.ts";
import { inviteGuest } from "../../support/members.ts";
import { sendGraphQL, startSharedServer } from "../../support/server.ts";
import { createWorkspace, type Workspace } from "../../support/workspace.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const listed = async ({ gql }: Workspace, includeArchived = false) => {
  const query = "query ($all: Boolean) { issues(includeArchived: $all) { nodes { identifier } } }";
  const { issues } = await gql(query, { all: includeArchived });
  return issues.nodes.map(({ identifier }: { identifier: string }) => identifier);
};

describe("the archive and the trash", () => {
  it("hide an archived issue from lists until restored; its id still resolves", async () => {
    const space = await createWorkspace();
    const { id } = await space.issue();
    const last = await space.last();
    await space.does("issueArchive", { id });
    expect([await listed(space), await listed(space, true)]).to.deep.equal([[], ["ENG-1"]]);
    expect((await space.read("ENG-1")).archivedAt).to.be.a("string");
    await space.does("issueUnarchive", { id });
    expect(await listed(space)).to.deep.equal(["ENG-1"]);
    const told = (await space.log(last)).map(({ action, event }) => `${action} ${event}`);
    expect(told).to.deep.equal(["update issue.archived", "update issue.unarchived"]);
  });

  it("log a trashed issue as removed, and a restored issue as updated", async () => {
    const space = await createWorkspace();
    const { id } = await space.issue();
    const last = await space.last();
    await space.does("issueDelete", { id });
    expect(await space.read(id)).to.include({ trashed: true });
    await space.does("issueUpdate", { id, input: { trashed: false } });
    expect(await space.read(id)).to.include({ trashed: null, archivedAt: null });
    const changes = await space.log(last);
    expect(changes.map(({ action, event }) => `${action} ${event}`)).to.deep.equal([
      ...["remove issue.deleted", "update issue.unarchived"],
    ]);
    expect(changes[0]).to.deep.include({ updatedFrom: null });
  });

  it("change nothing when an issue is archived or trashed again", async () => {
    const space = await createWorkspace();
    const { id } = await space.issue();
    for (const [mutation, args] of [
      ["issueArchive", { id }],
      ["issueArchive", { id, trash: true }],
    ] as const) {
      const { lastSyncId } = await space.does(mutation, args);
      expect((await space.does(mutation, args)).lastSyncId).to.equal(lastSyncId);
    }
    expect((await space.read(id)).trashed).to.equal(true);
  });

  it("delete an issue with its comments after 30 days in the trash, without a change in the log", async () => {
    const space = await createWorkspace();
    const { runtime } = await startSharedServer();
    const { id } = await space.issue();
    const child = await space.issue({ parentId: id });
    await space.does("commentCreate", { input: { issueId: id, body: "gone soon" } });
    await space.does("issueDelete", { id });
    const last = await space.last();
    await emptyTrash(runtime, Date.now() + 29 * DAY_MS);
    expect((await space.read(id)).trashed).to.equal(true);
    await Promise.all([1, 2, 3].map(() => emptyTrash(runtime, Date.now() + 31 * DAY_MS)));
    expect((await space.refuses("issueUnarchive", { id })).code).to.equal("NOT_FOUND");
    const changes = await space.log(last);
    expect(changes.map(({ entityId, actor }) => [entityId, actor])).to.deep.equal([[child.id, { type: "system" }]]);
    expect((await space.read(child.id)).parent).to.equal(null);
  });

  it("let owners delete an issue at once, and members not", async () => {
    const space = await createWorkspace();
    const { id } = await space.issue();
    const member = await inviteGuest(space);
    const query = "mutation ($id: String!) { issueDelete(id: $id, permanentlyDelete: true) { success entity { id } } }";
    const refused = await sendGraphQL(space.url, `Bearer ${member.accessToken}`, { query, variables: { id } });
    expect(refused.errors?.[0]?.extensions.code).to.equal("FORBIDDEN");
    expect((await space.gql(query, { id })).issueDelete).to.deep.equal({ success: true, entity: null });
    expect((await space.log()).at(-1)?.event).to.equal("issue.deleted");
  });
});
