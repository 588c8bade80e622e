import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { inviteGuest } from "../../support/members.ts";
import { sendGraphQL } from "../../support/server.ts";
import { createWorkspace, type Workspace } from "../../support/workspace.ts";

const AT = "2020-02-03T04:05:06.789Z";
const LATER = "2021-02-03T04:05:06.789Z";
const MUTATION = `mutation ($input: IssueBatchImportInput!) { issueBatchImport(input: $input) {
  success lastSyncId results { row status entityId identifier field message } } }`;

type Result = { row: number; status: string; entityId?: string; identifier?: string; field?: string; message?: string };

/** Imports rows and returns the result of each row. */
async function importRows(
  { gql }: Pick<Workspace, "gql">,
  rows: object[],
  more: { source?: string; dryRun?: boolean } = {},
): Promise<Result[]> {
  return (await gql(MUTATION, { input: { source: "site", ...more, rows } })).issueBatchImport.results;
}

const issue = (externalId: string, more: object = {}) => ({
  issue: { externalId, identifier: externalId, team: "ENG", title: `Issue ${externalId}`, createdAt: AT, ...more },
});
const statuses = (results: Result[]) => results.map(({ status }) => status);

describe("rows of an import", () => {
  it("keep dates, authors, labels, states and identifiers", async () => {
    const space = await createWorkspace();
    const row = issue("OLD-7", {
      title: "A title",
      description: "Some text",
      state: "In Progress",
      priority: 2,
      estimate: 5,
      labels: ["bug", "fresh"],
      creator: { name: "Zoe Elsewhere", email: "zoe@example.com" },
      assignee: { name: "Olive", email: space.email.toUpperCase() },
      updatedAt: LATER,
      startedAt: LATER,
      dueDate: "2022-01-01",
    });
    const said = {
      comment: { externalId: "c1", issue: "OLD-7", body: "Said", author: { name: "zoe" }, createdAt: AT },
    };
    const answer = { comment: { externalId: "c2", issue: "OLD-7", parent: "c1", body: "Answered", createdAt: LATER } };
    const results = await importRows(space, [row, said, answer]);
    expect(statuses(results)).to.deep.equal(["created", "created", "created"]);
    const query = `query ($id: String!) { issue(id: $id) { identifier title description createdAt updatedAt startedAt dueDate priority
      estimate previousIdentifiers externalIds state { name } labels { nodes { name } } creator { id } assignee { email }
      externalUserCreator { name email } externalUserAssignee { name }
      comments { nodes { body createdAt externalIds user { id } externalUser { name email } parent { body } } } } }`;
    const { issue: found } = await space.gql(query, { id: "old-7" });
    expect(found).to.deep.include({
      identifier: "ENG-1",
      title: "A title",
      description: "Some text",
      createdAt: AT,
      updatedAt: LATER,
      startedAt: LATER,
      dueDate: "2022-01-01",
      previousIdentifiers: ["OLD-7"],
      externalIds: ["site:OLD-7"],
      state: { name: "In Progress" },
      creator: null,
      externalUserCreator: { name: "Zoe Elsewhere", email: "zoe@example.com" },
      externalUserAssignee: null,
    });
    expect(found.assignee.email).to.equal(space.email);
    expect(found.labels.nodes.map(({ name }: any) => name).sort()).to.deep.equal(["bug", "fresh"]);
    expect(found.comments.nodes).to.deep.equal([
      { ...comment("Answered", LATER, "c2"), externalUser: null, parent: { body: "Said" } },
      { ...comment("Said", AT, "c1"), externalUser: { name: "zoe", email: null }, parent: null },
    ]);
    const again = await space.gql(query, { id: "site:OLD-7" });
    expect(again.issue).to.deep.equal(found);
    const search = await space.gql(`{ searchIssues(term: "OLD-7") { nodes { identifier } } }`);
    expect(search.searchIssues.nodes).to.deep.equal([{ identifier: "ENG-1" }]);
  });

  it("are found by searchIssues with their external id: first, in any case, with or without the source", async () => {
    const space = await createWorkspace();
    await importRows(space, [
      issue("OLD-7", { title: "Round prices" }),
      issue("bd_a1", { title: "From beads" }),
      issue("bd-xa1"),
    ]);
    await space.issue({ title: "OLD-7 and site:BD_A1 again" });
    const found = async (term: string) => {
      const query = "query ($term: String!) { searchIssues(term: $term) { nodes { title } } }";
      return (await space.gql(query, { term })).searchIssues.nodes.map(({ title }: { title: string }) => title);
    };
    const later = "OLD-7 and site:BD_A1 again";
    expect(await found("old-7")).to.deep.equal(["Round prices", later]);
    expect(await found("Site:Bd_A1")).to.deep.equal(["From beads", later]);
    expect(await found("bd_a1")).to.deep.equal(["From beads", later]);
    expect(await found("prices OLD-7")).to.deep.equal(["Round prices"]);
    expect(await found("other:OLD-7")).to.deep.equal([]);
    expect(await found("OLD-8")).to.deep.equal([]);
    expect(await found("old-7\0")).to.deep.equal([]);
  });

  const comment = (body: string, createdAt: string, id: string) => ({
    ...{ body, createdAt, externalIds: [`site:${id}`], user: null },
  });

  it("create one issue when imported twice, and change nothing the second time", async () => {
    const space = await createWorkspace();
    const rows = [
      issue("A-1"),
      issue("A-2"),
      { comment: { externalId: "c", issue: "A-1", body: "x", createdAt: AT } },
      { parent: { issue: "A-2", parent: "A-1" } },
      { relation: { type: "blocks", issue: "A-1", relatedIssue: "A-2" } },
      { relation: { type: "related", issue: "A-2", relatedIssue: "A-1" } },
      { label: { name: "one" } },
      { team: { key: "NEW", name: "New" } },
      { cycle: { team: "NEW", number: 4, startsAt: AT, endsAt: LATER } },
      { project: { name: "Plan", teams: ["NEW"] } },
    ];
    expect(new Set(statuses(await importRows(space, rows)))).to.deep.equal(new Set(["created"]));
    const before = await space.last();
    expect(new Set(statuses(await importRows(space, rows)))).to.deep.equal(new Set(["exists"]));
    expect(await space.last()).to.equal(before);
    const { issue: blocked } = await space.gql(`{ issue(id: "A-2") { ready parent { identifier } updatedAt } }`);
    expect(blocked).to.deep.equal({ ready: false, parent: { identifier: "ENG-1" }, updatedAt: AT });
  });

  it("keep the number of their identifier if the team has its key and the number is free", async () => {
    const space = await createWorkspace();
    await space.issue();
    const results = await importRows(space, [issue("ENG-1"), issue("ENG-9"), issue("ENG-2"), issue("eng-9b")]);
    expect(results.map(({ identifier }) => identifier)).to.deep.equal(["ENG-2", "ENG-9", "ENG-10", "ENG-11"]);
    expect((await space.issue()).identifier).to.equal("ENG-12");
    expect((await space.read("ENG-1")).title, "the issue that was there").to.equal("An issue");
    expect((await space.read("site:ENG-1")).title).to.equal("Issue ENG-1");
  });

  it("are refused individually when invalid, with the field and the fix, and without effect on other rows", async () => {
    const space = await createWorkspace();
    const rows = [
      issue("B-1"),
      issue("B-2", { createdAt: "yesterday" }),
      issue("B-3", { description: "x".repeat(1024 * 1024) }),
      issue("B-4", { state: "Nirvana" }),
      issue("B-5", { team: "NOPE" }),
      issue("B-6", { title: "half \ud800" }),
      issue("B-7", { cycle: 3 }),
      issue("B-8", { unheardOf: 1 }),
      { nonsense: {} },
      { comment: { externalId: "c", issue: "B-2", body: "x", createdAt: AT } },
      { issue: { team: "ENG", title: "nameless", createdAt: AT } },
      issue("B-9"),
      { parent: { issue: "B-1", parent: "B-9" } },
      { parent: { issue: "B-9", parent: "B-1" } },
      { relation: { type: "blocks", issue: "B-1", relatedIssue: "B-9" } },
      { relation: { type: "blocks", issue: "B-9", relatedIssue: "B-1" } },
      { relation: { type: "loves", issue: "B-9", relatedIssue: "B-1" } },
    ];
    const results = await importRows(space, rows);
    expect(results.map(({ status, field }) => `${status} ${field ?? ""}`.trim())).to.deep.equal([
      "created",
      "refused createdAt",
      "refused description",
      "refused state",
      "refused team",
      "refused title",
      "refused cycle",
      "refused",
      "refused",
      "refused issue",
      "refused externalId",
      "created",
      "created",
      "refused parent",
      "created",
      "refused relatedIssue",
      "refused type",
    ]);
    expect(results[2]?.message).to.equal("must be at most 256 KiB");
    expect(results[3]?.message).to.match(/^ENG has no state "Nirvana"; use one of .*Todo/);
    const { issues } = await space.gql("{ issues { nodes { previousIdentifiers } } }");
    expect(issues.nodes.map(({ previousIdentifiers: [one] }: any) => one).sort()).to.deep.equal(["B-1", "B-9"]);
  });

  it("of a dry run are reported and not written", async () => {
    const space = await createWorkspace();
    const before = await space.last();
    const rows = [
      { team: { key: "DRY" } },
      issue("D-1", { team: "DRY", labels: ["dry"] }),
      issue("D-2", { state: "no" }),
    ];
    expect(statuses(await importRows(space, rows, { dryRun: true }))).to.deep.equal(["created", "created", "refused"]);
    expect(await space.last()).to.equal(before);
    const { teams, issueLabels } = await space.gql("{ teams { nodes { key } } issueLabels { nodes { name } } }");
    expect([teams.nodes, issueLabels.nodes]).to.deep.equal([[{ key: "ENG" }], []]);
    expect(statuses(await importRows(space, rows)), "nothing of the dry run is remembered").to.include("created");
    expect((await space.read("D-1")).team.key).to.equal("DRY");
  });

  it("are importable only by owners, and the refusal says so", async () => {
    const space = await createWorkspace();
    const { accessToken } = await inviteGuest(space);
    const variables = { input: { source: "site", rows: [issue("O-1")] } };
    const { errors } = await sendGraphQL(space.url, `Bearer ${accessToken}`, { query: MUTATION, variables });
    expect([errors?.[0]?.extensions.code, errors?.[0]?.message]).to.deep.equal([
      "FORBIDDEN",
      "only owners of the organization can do this",
    ]);
  });

  it("appear in the change log, with their external authors", async () => {
    const space = await createWorkspace();
    const before = await space.last();
    await importRows(space, [issue("L-1", { creator: { name: "Ann" } })]);
    const events = (await space.log(before)).map(({ event, data }) => [event, data.createdAt === AT, data.name]);
    expect(events).to.deep.equal([
      ["externalUser.created", false, "Ann"],
      ["issue.created", true, undefined],
    ]);
  });

  it("are limited to 500 per call, counting all kinds together", async () => {
    const space = await createWorkspace();
    const most = Array.from({ length: 500 }, (_, at) => issue(`M-${at}`, { labels: [`l${at % 7}`], cycle: null }));
    const { errors } = await space.graphql(MUTATION, { input: { source: "site", rows: [...most, issue("M")] } });
    expect(errors?.[0]?.message).to.match(/at most 500 rows/);
    const reply = await space.graphql(MUTATION, { input: { source: "site", rows: most } });
    expect(new Set(statuses(reply.data.issueBatchImport.results))).to.deep.equal(new Set(["created"]));
    expect(Number(reply.headers.get("x-complexity")), "points are those of the answer").to.equal(802);
    expect((await space.read("M-499")).labelIds).to.have.length(1);
  });

  it("do not find or change rows of another organization with the same ids", async () => {
    const [own, foreign] = [await createWorkspace(), await createWorkspace()];
    const id = randomUUID();
    const rows = [issue("X-1", { id }), { comment: { externalId: "c", issue: "X-1", body: "x", createdAt: AT } }];
    await importRows(own, rows);
    const lost = await importRows(foreign, [{ comment: { externalId: "c", issue: "X-1", body: "x", createdAt: AT } }]);
    expect(statuses(lost)).to.deep.equal(["refused"]);
    expect(statuses(await importRows(foreign, rows))).to.deep.equal(["created", "created"]);
    const found = await own.gql(`{ issue(id: "X-1") { id comments { nodes { body } } } }`);
    expect(found.issue).to.deep.equal({ id, comments: { nodes: [{ body: "x" }] } });
  });

  it("are imported again after the created issues are deleted permanently", async () => {
    const space = await createWorkspace();
    const rows = [issue("G-1"), { comment: { externalId: "c", issue: "G-1", body: "x", createdAt: AT } }];
    const [made] = await importRows(space, rows);
    await space.does("issueDelete", { id: made?.entityId, permanentlyDelete: true });
    expect((await space.graphql(`{ issue(id: "G-1") { id } }`)).errors?.[0]?.message).to.match(/not found/i);
    expect(statuses(await importRows(space, rows))).to.deep.equal(["created", "created"]);
  });

  it("create milestones, templates and views, each once, and none in a dry run", async () => {
    const space = await createWorkspace();
    const project = { id: randomUUID(), name: "P", teams: ["ENG"] };
    const view = { id: randomUUID(), name: "V", filterData: { priority: { eq: 1 } }, project: "p" };
    const template = { id: randomUUID(), name: "T", team: "ENG", state: "Todo", labels: ["bug"], templateData: {} };
    const milestone = { id: randomUUID(), name: "M", project: project.id };
    const rows = [{ project }, { milestone }, { template }, { view }];
    const created = rows.map(() => "created");
    expect(statuses(await importRows(space, rows, { dryRun: true }))).to.deep.equal(created);
    expect(statuses(await importRows(space, rows))).to.deep.equal(created);
    expect(statuses(await importRows(space, rows))).to.deep.equal(rows.map(() => "exists"));
    const { templates } = await space.gql("{ templates { templateData } }");
    expect(templates[0].templateData.stateId).to.equal(space.states["Todo"]);
    const wrong: [row: object, field: string][] = [
      [{ milestone: { name: "M", project: "none" } }, "project"],
      [{ template: { name: "T", team: "ENG", state: "none", templateData: {} } }, "state"],
      [{ template: { name: "T", templateData: { labelIds: [] } } }, "templateData"],
      [{ view: { name: "V", filterData: { nothing: { eq: 1 } } } }, "filterData.nothing"],
      [{ view: { name: "V", filterData: { and: 1 } } }, "filterData"],
    ];
    const refused = await importRows(
      space,
      wrong.map(([row]) => row),
    );
    expect(refused.map(({ field }) => field)).to.deep.equal(wrong.map(([, field]) => field));
  });

  it("assign an issue to a milestone of its project only", async () => {
    const space = await createWorkspace();
    const project = { id: randomUUID(), name: "P", teams: ["ENG"] };
    const milestone = { id: randomUUID(), name: "M", project: project.id };
    const made = (more: object) => ({
      issue: { id: randomUUID(), team: "ENG", title: "T", createdAt: "2026-01-01T00:00:00.000Z", ...more },
    });
    const planned = made({ project: project.id, milestone: milestone.id });
    const rows = [{ project }, { milestone }, planned, made({ project: project.id, milestone: randomUUID() })];
    const refused = await importRows(space, [...rows, made({ milestone: milestone.id })]);
    expect(refused.map(({ status, field }) => field ?? status)).to.deep.equal([
      ...["created", "created", "created", "milestone", "milestone"],
    ]);
    const later = made({ project: project.id, milestone: milestone.id });
    expect(statuses(await importRows(space, [later]))).to.deep.equal(["created"]);
    const { issues } = await space.gql("{ issues { nodes { projectMilestone { id } } } }");
    expect(issues.nodes).to.deep.equal([planned, later].map(() => ({ projectMilestone: { id: milestone.id } })));
  });
});
