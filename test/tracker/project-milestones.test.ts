import { expect } from "chai";
import { emptyTrash } from "../../server/jobs/trash.ts";
import { startSharedServer } from "../support/server.ts";
import { createWorkspace } from "../support/workspace.ts";

describe("project milestones", () => {
  it("are listed and filtered by project and day, and are deleted with their project", async () => {
    const { does, gql, log, teamId } = await createWorkspace();
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
    await emptyTrash((await startSharedServer()).runtime, Date.now() + 31 * 86_400_000);
    const gone = (await log()).flatMap(({ event, entityId }) => (event === "projectMilestone.deleted" ? entityId : []));
    expect(gone).to.have.members([alpha, beta]);
  });

  it("contain issues of their project only, until the issue moves to another project or the milestone is deleted", async () => {
    const space = await createWorkspace();
    const projectOf = async (name: string) =>
      (await space.does("projectCreate", { input: { name, teamIds: [space.teamId] } }, "project { id }")).project.id;
    const milestoneOf = async (projectId: string, name: string) => {
      const input = { projectId, name };
      return (await space.does("projectMilestoneCreate", { input }, "projectMilestone { id }")).projectMilestone.id;
    };
    const [one, other] = [await projectOf("One"), await projectOf("Other")];
    const [alpha, beta, foreign] = [
      await milestoneOf(one, "Alpha"),
      await milestoneOf(one, "Beta"),
      await milestoneOf(other, "Foreign"),
    ];
    const stands = async (id: string) => {
      const text = "query ($id: String!) { issue(id: $id) { project { name } projectMilestone { name } } }";
      const { project, projectMilestone } = (await space.gql(text, { id })).issue;
      return [project?.name ?? null, projectMilestone?.name ?? null];
    };
    const change = (id: string, input: object) => space.does("issueUpdate", { id, input });

    const { id } = await space.issue({ projectId: one, projectMilestoneId: alpha });
    expect(await stands(id)).to.deep.equal(["One", "Alpha"]);
    for (const input of [{ projectMilestoneId: foreign }, { projectId: null, projectMilestoneId: beta }]) {
      const refused = await space.refuses("issueUpdate", { id, input });
      expect([refused.code, refused.field]).to.deep.equal(["INPUT_ERROR", "projectMilestoneId"]);
    }
    const bare = { input: { teamId: space.teamId, title: "T", projectMilestoneId: alpha } };
    expect((await space.refuses("issueCreate", bare)).field).to.equal("projectMilestoneId");
    await change(id, { projectMilestoneId: beta, title: "Renamed" });
    await change(id, { projectId: one });
    expect(await stands(id)).to.deep.equal(["One", "Beta"]);

    const found = async (filter: string) =>
      (await space.gql(`{ issues(filter: ${filter}) { nodes { id } } }`)).issues.nodes;
    expect(await found('{ projectMilestone: { name: { eq: "Beta" } } }')).to.deep.equal([{ id }]);
    expect(await found("{ projectMilestone: { null: true } }")).to.deep.equal([]);
    const groups = "{ issueGroups(groupBy: projectMilestone) { groups { name count } } }";
    expect((await space.gql(groups)).issueGroups.groups).to.deep.equal([{ name: "Beta", count: 1 }]);
    const own = `{ projectMilestone(id: "${beta}") { issues { nodes { id } } } }`;
    expect((await space.gql(own)).projectMilestone.issues.nodes).to.deep.equal([{ id }]);

    await change(id, { projectId: other });
    expect(await stands(id)).to.deep.equal(["Other", null]);
    await change(id, { projectId: one, projectMilestoneId: beta });
    await space.does("projectMilestoneUpdate", { id: beta, input: { projectId: other } });
    expect(await stands(id)).to.deep.equal(["One", null]);
    await change(id, { projectMilestoneId: alpha });
    await space.does("projectMilestoneDelete", { id: alpha });
    expect(await stands(id)).to.deep.equal(["One", null]);
    const history = `{ issue(id: "${id}") { history { nodes { fromProjectMilestone { name } toProjectMilestone { name } } } } }`;
    const changes = (await space.gql(history)).issue.history.nodes.filter((each: any) => each.toProjectMilestone);
    expect(changes.map((each: any) => each.toProjectMilestone.name)).to.include.members(["Beta"]);
  });
});
