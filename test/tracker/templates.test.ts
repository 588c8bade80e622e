import { expect } from "chai";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

const made = async ({ does }: Workspace, templateData: object, more: object = {}): Promise<string> =>
  (await does("templateCreate", { input: { name: "T", type: "issue", templateData, ...more } }, "template { id }"))
    .template.id;

describe("issue templates", () => {
  it("give an issue the values that its input omits", async () => {
    const space = await createWorkspace();
    const { issueLabel } = await space.does("issueLabelCreate", { input: { name: "bug" } }, "issueLabel { id }");
    const values = { title: "A bug", priority: 2, labelIds: [issueLabel.id], stateId: space.states["In Progress"] };
    const templateId = await made(space, values, { teamId: space.teamId });
    const all = await space.issue({ templateId, title: undefined });
    expect(all).to.deep.include({ title: "A bug", priority: 2, labelIds: [issueLabel.id] });
    expect(all.state.name).to.equal("In Progress");
    const own = await space.issue({ templateId, title: "Mine", priority: 0, labelIds: null });
    expect(own).to.deep.include({ title: "Mine", priority: 0, labelIds: [] });
    const { team, templates } = await space.gql(`{ team(id: "ENG") { templates { nodes { id } } } templates { id } }`);
    expect([team.templates.nodes, templates]).to.deep.equal([[{ id: templateId }], [{ id: templateId }]]);
  });

  it("are refused with unknown members, for another team, and without any title", async () => {
    const space = await createWorkspace();
    const refused = (templateData: object) =>
      space.refuses("templateCreate", { input: { name: "T", type: "issue", templateData } });
    expect(await refused({ titel: "x" })).to.deep.include({ code: "INVALID_INPUT", field: "input.templateData" });
    expect((await refused({ priority: 9 })).field).to.equal("input.templateData.priority");
    const milestone = await refused({ projectMilestoneId: space.teamId });
    expect(milestone.field).to.equal("input.templateData.projectMilestoneId");
    expect(milestone.message).to.contain("set projectId");
    const project = { input: { name: "T", type: "project", templateData: {} } };
    expect((await space.refuses("templateCreate", project)).field).to.equal("input.type");
    const { team } = await space.does("teamCreate", { input: { name: "Ops", key: "OPS" } }, "team { id }");
    const templateId = await made(space, {}, { teamId: team.id });
    const issue = (input: object) => space.refuses("issueCreate", { input });
    expect((await issue({ teamId: space.teamId, title: "x", templateId })).field).to.equal("templateId");
    expect((await issue({ teamId: team.id, templateId })).field).to.equal("title");
    const change = { id: templateId, input: { templateData: { projectMilestoneId: space.teamId } } };
    expect((await space.refuses("templateUpdate", change)).field).to.equal("input.templateData.projectMilestoneId");
  });
});
