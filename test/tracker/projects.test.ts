import { expect } from "chai";
import { emptyTrash } from "../../server/jobs/trash.ts";
import { startSharedServer } from "../support/server.ts";
import { createWorkspace, createWorkspaceIn, type Workspace } from "../support/workspace.ts";

const PROJECT = `project { id name description content priority state startedAt completedAt canceledAt trashed archivedAt
  url slugId status { id name } lead { id } creator { id } teams { nodes { key } } members { nodes { id } } }`;
const created = async ({ does }: Workspace, input = {}) =>
  (await does("projectCreate", { input: { name: "Ship it", teamIds: ["ENG"], ...input } }, PROJECT)).project;
const updated = async ({ does }: Workspace, id: string, input: object) =>
  (await does("projectUpdate", { id, input }, PROJECT)).project;

const statusOf = async ({ gql }: Workspace, name: string) => {
  const { projectStatuses } = await gql("{ projectStatuses { nodes { id name } } }");
  return projectStatuses.nodes.find((status: { name: string }) => status.name === name).id;
};

describe("projects", () => {
  it("start in the first status, with their teams and members", async () => {
    const space = await createWorkspace();
    await createWorkspaceIn(space, "OPS");
    const { creator } = await space.issue();
    const made = await created(space, { teamIds: ["ENG", "OPS", "eng"], memberIds: [creator.id], leadId: creator.id });
    expect(made).to.deep.include({ state: "backlog", lead: creator, creator, members: { nodes: [creator] } });
    expect(made.teams.nodes).to.have.deep.members([{ key: "ENG" }, { key: "OPS" }]);
    expect(made.url).to.match(/\/project\/ship-it-[0-9a-f]{12}$/);
  });

  it("need a team, and refuse unknown teams", async () => {
    const { refuses, teamId } = await createWorkspace();
    const refused = (teamIds: string[]) => refuses("projectCreate", { input: { name: "x", teamIds } });
    expect(await refused([])).to.deep.include({ code: "INVALID_INPUT", field: "input.teamIds" });
    expect(await refused([teamId, "NOPE"])).to.deep.include({ code: "INPUT_ERROR", field: "teamIds.1" });
  });

  it("replace teams and members as one change", async () => {
    const space = await createWorkspace();
    await createWorkspaceIn(space, "OPS");
    const { id } = await created(space);
    const last = await space.last();
    const after = await updated(space, id, { teamIds: ["OPS"], description: "why", content: "# All" });
    expect(after).to.deep.include({ description: "why", content: "# All", teams: { nodes: [{ key: "OPS" }] } });
    const changes = await space.log(last);
    expect(changes.map(({ event }) => event)).to.deep.equal(["project.updated"]);
    expect(changes[0]?.updatedFrom).to.include.keys("teamIds", "description", "content", "updatedAt");
    await updated(space, id, { teamIds: ["OPS"] });
    expect(await space.last()).to.equal(changes[0]?.lastSyncId);
  });

  it("set the times of the statuses that they enter", async () => {
    const space = await createWorkspace();
    const { id } = await created(space);
    const enter = async (name: string) => updated(space, id, { statusId: await statusOf(space, name) });
    expect((await enter("In Progress")).startedAt).to.be.a("string");
    const done = await enter("Completed");
    expect([done.state, typeof done.completedAt]).to.deep.equal(["completed", "string"]);
    expect(await enter("Planned")).to.include({ startedAt: null, completedAt: null });
  });

  it("are archived, trashed and restored, each with a change in the log", async () => {
    const space = await createWorkspace();
    const { id } = await created(space);
    const last = await space.last();
    for (const mutation of ["projectArchive", "projectUnarchive", "projectDelete", "projectUnarchive"]) {
      await space.does(mutation, { id });
    }
    expect((await space.log(last)).map(({ action, event }) => `${action} ${event}`)).to.deep.equal([
      ...[
        "update project.archived",
        "update project.unarchived",
        "remove project.deleted",
        "update project.unarchived",
      ],
    ]);
  });

  it("leave their issues unchanged when the trash is emptied", async () => {
    const space = await createWorkspace();
    const { runtime } = await startSharedServer();
    const { id } = await created(space);
    await space.issue({ projectId: id });
    await space.does("commentCreate", { input: { projectId: id, body: "x" } });
    await space.does("projectDelete", { id });
    await emptyTrash(runtime, Date.now() + 31 * 24 * 60 * 60 * 1000);
    expect((await space.read("ENG-1")).project).to.equal(null);
    expect((await space.refuses("projectUnarchive", { id })).code).to.equal("NOT_FOUND");
  });
});

describe("project statuses", () => {
  it("are created, updated, archived while unused, and restored, without entries in the change log", async () => {
    const space = await createWorkspace();
    const last = await space.last();
    const input = { name: "On ice", type: "paused", color: "#000000", position: 9 };
    const { status } = await space.does("projectStatusCreate", { input }, "status { id name type indefinite }");
    expect(status).to.deep.include({ name: "On ice", type: "paused", indefinite: false });
    await space.does("projectStatusUpdate", { id: status.id, input: { name: "Frozen" } });
    await space.does("projectStatusArchive", { id: status.id });
    expect(
      await space.refuses("projectCreate", { input: { name: "x", teamIds: ["ENG"], statusId: status.id } }),
    ).to.include({ code: "INPUT_ERROR", field: "statusId" });
    await space.does("projectStatusUnarchive", { id: status.id });
    expect(await statusOf(space, "Frozen")).to.equal(status.id);
    expect(await space.last()).to.equal(last);
  });

  it("cannot be archived while used by projects, nor have the name of another status", async () => {
    const space = await createWorkspace();
    const { status } = await created(space);
    expect((await space.refuses("projectStatusArchive", { id: status.id })).code).to.equal("CONFLICT");
    const input = { name: "backlog", type: "backlog", color: "#000000", position: 1 };
    expect(await space.refuses("projectStatusCreate", { input })).to.include({ code: "CONFLICT", field: "name" });
  });
});
