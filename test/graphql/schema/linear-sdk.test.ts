import { LinearClient, LinearDocument, parseLinearError, RatelimitedLinearError } from "@linear/sdk";
import { expect } from "chai";
import { parse, validate } from "graphql";
import { combinedSchema } from "../../../server/graphql/schema.ts";
import { LINEAR_DOCUMENTS } from "../../support/graphql/linear-documents.ts";
import { createWorkspace, type Workspace } from "../../support/workspace.ts";

describe("Linear's stock SDK with a new URL", () => {
  let space: Workspace;
  let client: LinearClient;

  before(async () => {
    space = await createWorkspace();
    client = new LinearClient({ apiKey: space.apiKey, apiUrl: `${space.url}/graphql` });
  });

  it("finds every field of its documents", () => {
    const documents = LinearDocument as unknown as Record<string, { toString(): string }>;
    const invalid = LINEAR_DOCUMENTS.filter(
      (name) => validate(combinedSchema, parse(`${documents[`${name}Document`]}`)).length > 0,
    );
    expect(LINEAR_DOCUMENTS).to.have.length(105);
    expect(invalid).to.deep.equal([]);
  });

  it("reads the viewer, the organization and rateLimitStatus", async () => {
    const viewer = await client.viewer;
    const organization = await viewer.organization;
    expect([viewer.name, viewer.isMe, organization.urlKey]).to.deep.equal(["Olive Owner", true, space.urlKey]);
    expect((await client.rateLimitStatus).limits[0]?.type).to.equal("requests");
  });

  it("reads teams with their states, labels, members and cycles", async () => {
    const [team] = (await client.teams()).nodes;
    const states = await team?.states();
    expect(team?.key).to.equal("ENG");
    expect(states?.nodes.map(({ name }) => name)).to.include("Backlog");
    expect((await team?.members())?.nodes).to.have.length(1);
    expect([await team?.labels(), await team?.cycles()].map((page) => page?.nodes.length)).to.deep.equal([0, 0]);
  });

  it("creates, reads, updates, archives and deletes an issue", async () => {
    const payload = await client.createIssue({ teamId: space.teamId, title: "From the SDK", priority: 2 });
    const issue = await payload.issue;
    expect([payload.success, issue?.identifier, issue?.priorityLabel]).to.deep.equal([true, "ENG-1", "High"]);
    await issue?.update({ title: "Renamed" });
    expect((await client.issue("ENG-1")).title).to.equal("Renamed");
    expect((await (await issue?.archive())?.entity)?.archivedAt).to.be.instanceOf(Date);
    expect((await issue?.unarchive())?.success).to.equal(true);
    expect((await issue?.delete())?.success).to.equal(true);
  });

  it("creates an issue from a template", async () => {
    const templateData = { title: "From a template", priority: 3 };
    const { template } = await client.createTemplate({ name: "T", type: "issue", templateData, teamId: space.teamId });
    const [listed] = await client.templates;
    expect(listed?.id).to.equal((await template)?.id);
    const { issue } = await client.createIssue({ teamId: space.teamId, templateId: String(listed?.id) });
    const { title, priority } = (await issue) ?? {};
    expect({ title, priority }).to.deep.equal(templateData);
  });

  it("pages through issues", async () => {
    for (let n = 0; n < 5; n += 1) await space.issue({ title: `Paged ${n}` });
    const page = await client.issues({ first: 2, filter: { title: { startsWith: "Paged" } } });
    while (page.pageInfo.hasNextPage) await page.fetchNext();
    expect(page.nodes.map(({ title }) => title)).to.deep.equal([4, 3, 2, 1, 0].map((n) => `Paged ${n}`));
  });

  it("follows an issue to its team, state, assignee, labels, children and search", async () => {
    const me = (await client.viewer).id;
    const label = await (await client.createIssueLabel({ name: "sdk", teamId: space.teamId })).issueLabel;
    const made = await client.createIssue({
      teamId: space.teamId,
      title: "Linked wombat",
      assigneeId: me,
      labelIds: [label?.id ?? ""],
    });
    const issue = await made.issue;
    expect([(await issue?.team)?.key, (await issue?.state)?.name, (await issue?.assignee)?.id]).to.deep.equal([
      "ENG",
      "Backlog",
      me,
    ]);
    expect((await issue?.labels())?.nodes[0]?.name).to.equal("sdk");
    expect((await issue?.children())?.nodes).to.deep.equal([]);
    expect((await client.searchIssues("wombat")).nodes[0]?.id).to.equal(issue?.id);
  });

  it("creates a comment, a reply, and resolves a thread", async () => {
    const { id } = await space.issue();
    const comment = await (await client.createComment({ issueId: id, body: "First" })).comment;
    await client.createComment({ issueId: id, parentId: comment?.id ?? "", body: "Second" });
    expect((await comment?.issue)?.id).to.equal(id);
    expect((await client.commentResolve(comment?.id ?? "")).success).to.equal(true);
    expect((await (await client.issue(id)).comments()).nodes).to.have.length(2);
    expect((await client.deleteComment(comment?.id ?? "")).success).to.equal(true);
  });

  it("creates projects, cycles and webhooks", async () => {
    const project = await (await client.createProject({ name: "Rollout", teamIds: [space.teamId] })).project;
    expect([project?.name, (await project?.teams())?.nodes.length]).to.deep.equal(["Rollout", 1]);
    expect((await client.projects()).nodes.map(({ id }) => id)).to.include(project?.id);
    expect((await client.projectStatuses()).nodes).not.to.have.length(0);
    const [startsAt, endsAt] = [new Date(), new Date(Date.now() + 86_400_000)];
    const cycle = await (await client.createCycle({ teamId: space.teamId, startsAt, endsAt })).cycle;
    expect(cycle?.number).to.equal(1);
    const webhook = await client.createWebhook({
      url: "https://example.com/hook",
      allPublicTeams: true,
      resourceTypes: ["Issue"],
    });
    expect((await webhook.webhook)?.enabled).to.equal(true);
  });

  it("receives errors as its own classes", async () => {
    const missing = await client.issue("ENG-999").catch((error) => error);
    expect(missing.type).to.equal("InvalidInput");
    const dear = "{ issues(first: 250) { nodes { comments(first: 250) { nodes { id } } } } }";
    const refused = parseLinearError(await client.client.rawRequest(dear, {}).catch((error) => error));
    expect(refused).to.be.instanceOf(RatelimitedLinearError);
  });

  it("reads 250 issues at once", async () => {
    expect((await client.issues({ first: 250 })).nodes).not.to.deep.equal([]);
  });
});
