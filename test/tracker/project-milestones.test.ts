import { expect } from "chai";
import { emptyTrash } from "../../server/jobs/trash.ts";
import { sharedServer } from "../support/server.ts";
import { freshWorkspace } from "../support/workspace.ts";

describe("milestones of projects", () => {
  it("are listed and filtered by project and day, and go with their project", async () => {
    const { does, gql, log, teamId } = await freshWorkspace();
    const { project } = await does("projectCreate", { input: { name: "P", teamIds: [teamId] } }, "project { id }");
    const made = async (input: object): Promise<string> =>
      (await does("projectMilestoneCreate", { input: { projectId: project.id, ...input } }, "projectMilestone { id }"))
        .projectMilestone.id;
    const [alpha, beta] = [await made({ name: "Alpha", targetDate: "2027-01-31" }), await made({ name: "Beta" })];
    const filter = `{ targetDate: { lt: "2027-02-01" }, project: { name: { eq: "P" } } }`;
    const names = async (list: string) => (await gql(`{ ${list} { nodes { name } } }`)).projectMilestones.nodes;
    expect(await names(`projectMilestones(filter: ${filter})`)).to.deep.equal([{ name: "Alpha" }]);
    const own = `{ project(id: "${project.id}") { projectMilestones { nodes { id } } } }`;
    expect((await gql(own)).project.projectMilestones.nodes).to.deep.equal([{ id: beta }, { id: alpha }]);
    await does("projectDelete", { id: project.id });
    expect(await names("projectMilestones")).to.deep.equal([]);
    await emptyTrash((await sharedServer()).runtime, Date.now() + 31 * 86_400_000);
    const gone = (await log()).flatMap(({ event, entityId }) => (event === "projectMilestone.deleted" ? entityId : []));
    expect(gone).to.have.members([alpha, beta]);
  });
});
