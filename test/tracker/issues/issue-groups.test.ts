import { expect } from "chai";
import { repairDerivedValues } from "../../support/db/derived.ts";
import { createWorkspace, createWorkspaceIn, type Workspace } from "../../support/workspace.ts";

const GROUPS = `query ($groupBy: IssueGroupBy, $filter: IssueFilter, $includeArchived: Boolean) {
  issueGroups(groupBy: $groupBy, filter: $filter, includeArchived: $includeArchived) {
    count groupCount groups { key name count } } }`;

type Groups = Record<string, number>;

describe("counts of issues by group", () => {
  let space: Workspace;

  const counted = async (args: Record<string, unknown>) => (await space.gql(GROUPS, args)).issueGroups;
  const groupsOf = async (groupBy: string, filter?: object): Promise<Groups> =>
    Object.fromEntries((await counted({ groupBy, filter })).groups.map(({ name, count }: any) => [name, count]));

  before(async () => {
    space = await createWorkspace();
    const { does, issue, teamId } = space;
    const ops = await createWorkspaceIn(space, "OPS");
    const of = (kind: string, input: object) => does(`${kind}Create`, { input });
    await of("project", { name: "Billing", teamIds: [teamId] });
    await of("issueLabel", { name: "bug" });
    await of("issueLabel", { name: "urgent care" });
    await of("issueLabel", { name: "own", teamId });
    await of("issueLabel", { name: "own", teamId: ops.teamId });
    await of("cycle", { teamId, startsAt: "2026-03-02T00:00:00Z", endsAt: "2026-03-16T00:00:00Z" });
    const found = await space.gql(
      "{ viewer { id } projects { nodes { id } } cycles { nodes { id } } issueLabels { nodes { id name team { id } } } }",
    );
    const label = (name: string, team?: string) =>
      found.issueLabels.nodes.find((each: any) => each.name === name && (!team || each.team?.id === team)).id;
    const [projectId, cycleId] = [found.projects.nodes[0].id, found.cycles.nodes[0].id];
    await issue({ priority: 1, assigneeId: found.viewer.id, labelIds: [label("bug"), label("own", teamId)], cycleId });
    await issue({ priority: 1, projectId, labelIds: [label("bug")], stateId: space.states["Done"] });
    await issue({ priority: 3, projectId });
    await ops.issue({ labelIds: [label("own", ops.teamId)], stateId: ops.states["Done"] });
    const { id } = await issue({ title: "Archived" });
    await does("issueArchive", { id });
  });

  it("add up to the length of the list, with and without a filter", async () => {
    expect(await counted({})).to.deep.equal({ count: 4, groupCount: 0, groups: [] });
    expect((await counted({ filter: { priority: { eq: 1 } } })).count).to.equal(2);
    expect((await counted({ filter: { title: { eq: "none of them" } } })).count).to.equal(0);
    expect((await counted({ includeArchived: true })).count).to.equal(5);
  });

  it("are grouped by each value; rows with the same name in several teams are one group", async () => {
    expect(await groupsOf("state")).to.deep.equal({ Backlog: 2, Done: 2 });
    expect(await groupsOf("assignee")).to.deep.equal({ "Olive Owner": 1, null: 3 });
    expect(await groupsOf("creator")).to.deep.equal({ "Olive Owner": 4 });
    expect(await groupsOf("label")).to.deep.equal({ bug: 2, own: 2, null: 1 });
    expect(await groupsOf("project")).to.deep.equal({ Billing: 2, null: 2 });
    expect(await groupsOf("priority")).to.deep.equal({ Urgent: 2, Medium: 1, "No priority": 1 });
    expect(await groupsOf("team")).to.deep.equal({ ENG: 3, OPS: 1 });
    expect(await groupsOf("cycle")).to.deep.equal({ "1": 1, null: 3 });
  });

  it("are ordered by size, and count only issues that match the filter", async () => {
    const { groups } = await counted({ groupBy: "label", filter: { team: { key: { eq: "ENG" } } } });
    expect(groups).to.deep.equal([
      { key: "bug", name: "bug", count: 2 },
      { key: "own", name: "own", count: 1 },
      { key: null, name: null, count: 1 },
    ]);
  });

  it("stop at the limit of the caller, and then return no groups", async () => {
    const stopped = async (stopAt: number, groupBy?: string) => {
      const text = `query ($stopAt: Int, $groupBy: IssueGroupBy) { issueGroups(stopAt: $stopAt, groupBy: $groupBy) { count } }`;
      const { data, errors = [] } = await space.graphql(text, { stopAt, groupBy });
      return data?.issueGroups?.count ?? [errors[0]?.extensions["code"], errors[0]?.extensions["field"]];
    };
    expect([await stopped(1), await stopped(3), await stopped(1_000)]).to.deep.equal([1, 3, 4]);
    const refused = ["INPUT_ERROR", "stopAt"];
    for (const wrong of [0, -1, 1_001]) expect(await stopped(wrong)).to.deep.equal(refused);
    expect(await stopped(3, "state")).to.deep.equal(refused);
  });

  it("of milestones name the project, because two projects may have milestones of the same name", async () => {
    const { does, gql, issue, teamId } = await createWorkspace();
    for (const name of ["Checkout", "Ledger"]) {
      const { project } = await does("projectCreate", { input: { name, teamIds: [teamId] } }, "project { id }");
      const input = { name: "Beta", projectId: project.id };
      const made = await does("projectMilestoneCreate", { input }, "projectMilestone { id }");
      await issue({ projectId: project.id, projectMilestoneId: made.projectMilestone.id });
    }
    await issue();
    const asked = "groups { key name count project { name } }";
    const { groups } = (await gql(`{ issueGroups(groupBy: projectMilestone) { ${asked} } }`)).issueGroups;
    const told = groups.map(({ name, count, project }: any) => [name, count, project?.name ?? null]);
    expect(told).to.have.deep.members([
      ["Beta", 1, "Checkout"],
      ["Beta", 1, "Ledger"],
      [null, 1, null],
    ]);
    for (const { key, count } of groups) {
      const filter = { projectMilestone: key ? { id: { eq: key } } : { null: true } };
      expect((await gql(GROUPS, { filter })).issueGroups.count).to.equal(count);
    }
    const states = (await gql(`{ issueGroups(groupBy: state) { ${asked} } }`)).issueGroups.groups;
    expect(states).to.deep.equal([{ key: "Backlog", name: "Backlog", count: 3, project: null }]);
  });

  it("contain at most 100 groups", async () => {
    const { gql, issue } = await createWorkspace();
    const made: string[] = [];
    for (let at = 0; at < 101; at += 50) {
      const names = Array.from({ length: Math.min(50, 101 - at) }, (_, n) => `label${at + n}`);
      const each = names.map((name) => `${name}: issueLabelCreate(input: { name: "${name}" }) { issueLabel { id } }`);
      const labels = await gql(`mutation { ${each.join(" ")} }`);
      made.push(...names.map((name) => labels[name].issueLabel.id));
    }
    await issue({ labelIds: made.slice(0, 100) });
    await issue({ labelIds: made.slice(100) });
    const { groups, groupCount } = (await gql(GROUPS, { groupBy: "label" })).issueGroups;
    expect([groups.length, groupCount]).to.deep.equal([100, 101]);
  });

  it("follow every way to add or remove a label", async () => {
    const { does, issue, gql, organizationId, teamId } = await createWorkspace();
    const ops = (await does("teamCreate", { input: { name: "Ops", key: "OPS" } }, "team { id }")).team.id;
    const label = async (name: string, team?: string) =>
      (await does("issueLabelCreate", { input: { name, teamId: team } }, "issueLabel { id }")).issueLabel.id;
    const [bug, crash, own] = [await label("bug"), await label("crash"), await label("own", teamId)];
    const counts = async (): Promise<Groups> => {
      expect(await repairDerivedValues(organizationId)).to.deep.equal({});
      const { groups } = (await gql(GROUPS, { groupBy: "label" })).issueGroups;
      return Object.fromEntries(groups.map(({ name, count }: any) => [name, count]));
    };
    const { id: first } = await issue({ labelIds: [own, bug] });
    const { id: second } = await issue({});
    expect(await counts()).to.deep.equal({ bug: 1, own: 1, null: 1 });
    await does("issueAddLabel", { id: second, labelId: crash });
    await does("issueUpdate", { id: second, input: { addedLabelIds: [bug] } });
    expect(await counts()).to.deep.equal({ bug: 2, own: 1, crash: 1 });
    await does("issueRemoveLabel", { id: second, labelId: bug });
    await does("issueUpdate", { id: first, input: { teamId: ops } });
    expect(await counts()).to.deep.equal({ bug: 1, crash: 1 });
    await does("issueBatchUpdate", { ids: [first, second], input: { labelIds: [bug, crash] } }, "issues { id }");
    expect(await counts()).to.deep.equal({ bug: 2, crash: 2 });
    await does("issueLabelDelete", { id: bug });
    expect(await counts()).to.deep.equal({ crash: 2 });
    const rows = [
      {
        issue: {
          externalId: "1",
          team: "OPS",
          title: "Imported",
          createdAt: new Date().toISOString(),
          labels: ["crash", "new"],
        },
      },
    ];
    await does("issueBatchImport", { input: { source: "a", rows } }, "results { status }");
    expect(await counts()).to.deep.equal({ crash: 3, new: 1 });
  });

  it("have a key whose filter finds exactly their issues, for every grouping", async () => {
    const { gql, issue } = space;
    const { issues } = await gql(`{ issues(filter: { delegate: { null: true } }) { nodes { id } } }`);
    const { body: agent } = await space.rest("POST", "/api/agents", { name: "codex" });
    await space.does("issueUpdate", { id: issues.nodes[0].id, input: { delegateId: agent.id } });
    await space.does("issueClaim", { input: { id: issues.nodes[1].id } });
    const { id: blocker } = await issue({ title: "Blocks" });
    const relation = { issueId: blocker, relatedIssueId: issues.nodes[2].id, type: "blocks" };
    await space.does("issueRelationCreate", { input: relation });
    const byId = (link: string) => (key: string | null) => ({ [link]: key ? { id: { eq: key } } : { null: true } });
    const filters: Record<string, (key: string | null) => object> = {
      state: (key) => ({ state: { name: { eq: key } } }),
      assignee: byId("assignee"),
      delegate: byId("delegate"),
      holder: (key) => ({ lease: key ? { holder: { id: { eq: key } } } : { null: true } }),
      creator: byId("creator"),
      label: (key) => ({ labels: key ? { some: { name: { eq: key } } } : { length: { eq: 0 } } }),
      project: byId("project"),
      priority: (key) => ({ priority: { eq: Number(key) } }),
      team: (key) => ({ team: { key: { eq: key } } }),
      cycle: byId("cycle"),
    };
    for (const [groupBy, filterOf] of Object.entries(filters)) {
      for (const { key, count } of (await counted({ groupBy })).groups) {
        expect((await counted({ filter: filterOf(key) })).count, `${groupBy} ${key}`).to.equal(count);
      }
    }
    expect((await counted({ groupBy: "holder" })).groups.map(({ count }: any) => count)).to.deep.equal([4, 1]);
    const blocked = await gql(`{ issues(filter: { blocked: { eq: true } }) { nodes { id } } }`);
    expect(blocked.issues.nodes).to.deep.equal([{ id: issues.nodes[2].id }]);
  });
});
