import { expect } from "chai";
import type { Page } from "playwright-core";
import { RailCounts } from "../../../web/data/documents.ts";
import { startSharedServer } from "../../support/server.ts";
import { setUpBrowserTests } from "../../support/web/web.ts";
import { recordRuns } from "../../support/web/web-runs.ts";
import { createWorkspace, createWorkspaceIn, type Workspace } from "../../support/workspace.ts";

/** The first number that the rail shows as 99+, and the maximum number of failures in a response. */
const MOST = 100;

const broken = (tool: string) => ({ tool, args: {}, result: `Error: ${tool} is broken`, fails: true as const });
const failing = (tool: string, age = 0) => ({ prompt: `Run ${tool}`, calls: [broken(tool)], age });

/** Creates issues in batches of the maximum size of a mutation. */
async function fileIssues({ gql, teamId }: Workspace, count: number): Promise<void> {
  for (let at = 0; at < count; at += 50) {
    const issues = Array.from({ length: Math.min(50, count - at) }, (_, n) => ({
      teamId,
      title: `One of many ${at + n}`,
    }));
    await gql("mutation ($input: IssueBatchCreateInput!) { issueBatchCreate(input: $input) { success } }", {
      input: { issues },
    });
  }
}

describe("the query of the counts in the rail", () => {
  let space: Workspace;
  const counts = async () => {
    const { inbox, organization, recordedFailureGroups } = await space.gql(RailCounts);
    return [inbox.nodes.length, organization.openIssueCount, recordedFailureGroups.nodes.length];
  };
  const groups = async (): Promise<Record<string, string>> => {
    const { recordedFailureGroups } = await space.gql("{ recordedFailureGroups { nodes { id tool } } }");
    return Object.fromEntries(recordedFailureGroups.nodes.map(({ id, tool }: any) => [tool, id]));
  };

  before(async () => {
    space = await createWorkspace();
  });

  it("counts open issues without completed, canceled and archived issues", async () => {
    expect(await counts()).to.deep.equal([0, 0, 0]);
    const { issue, does, states } = space;
    await issue();
    await issue({ stateId: states["In Progress"] });
    await issue({ stateId: states["Done"] });
    await issue({ stateId: states["Canceled"] });
    const { id } = await issue();
    expect(await counts()).to.deep.equal([0, 3, 0]);
    await does("issueArchive", { id });
    expect(await counts()).to.deep.equal([0, 2, 0]);
  });

  it("counts failures that are new this week until a user files or ignores them", async () => {
    await recordRuns(space, [failing("Deploy"), failing("Build"), failing("Lint"), failing("Old", 20)]);
    expect((await counts())[2]).to.equal(3);
    const { Deploy, Build } = await groups();
    await space.does("recordedFailureGroupIgnore", { id: Deploy, input: {} });
    await space.does("issueCreateFromFailure", { input: { failureGroupId: Build, teamId: space.teamId } });
    const [inbox, issues, failures] = await counts();
    expect([issues, failures]).to.deep.equal([3, 1]);
    expect(inbox, "the failure that nobody looked at").to.equal(1);
  });

  it("counts issues exactly, and failures up to a hundred", async () => {
    const [, issues = 0] = await counts();
    await fileIssues(space, MOST + 1);
    await recordRuns(space, [
      { prompt: "Run everything", calls: Array.from({ length: MOST + 1 }, (_, n) => broken(`Step${n}`)) },
    ]);
    expect((await counts()).slice(1)).to.deep.equal([issues + MOST + 1, MOST]);
  });
});

describe("the counts in the rail", () => {
  const web = setUpBrowserTests();
  const named = (page: Page, name: string) =>
    page.getByRole("navigation", { name: "Main", exact: true }).getByRole("link", { name, exact: true });

  it("show waiting sessions, open issues and new failures, update without a reload, and end at 99+", async () => {
    const { page, problems } = await web.open("/tools");
    await named(page, "Issues").waitFor();
    const space = await createWorkspaceIn(web.tenant);
    await recordRuns(web.tenant, [failing("Deploy"), failing("Build")]);
    await fileIssues(space, MOST - 1);
    await named(page, "Issues 99").waitFor();
    await named(page, "Failures 2 new").waitFor();
    await named(page, "Inbox 2").waitFor();
    await space.issue();
    await named(page, "Issues 99+").waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("show the open issues of current cycles and of each saved view, and update without a reload", async () => {
    const { issue, does, states, teamId } = await createWorkspaceIn(web.tenant, "CYC");
    const days = (n: number) => new Date(Date.now() + n * 86_400_000).toISOString();
    const cycleOf = async (from: number, to: number) => {
      const input = { teamId, startsAt: days(from), endsAt: days(to) };
      return (await does("cycleCreate", { input }, "cycle { id }")).cycle.id;
    };
    const [current, next] = [await cycleOf(-3, 4), await cycleOf(4, 11)];
    await issue({ cycleId: current, priority: 1 });
    await issue({ cycleId: current, stateId: states["Done"] });
    await issue({ cycleId: next });
    await does("customViewCreate", { input: { name: "Urgent bugs", filterData: { priority: { eq: 1 } } } });
    await does("customViewCreate", { input: { name: "Everything", shared: true, filterData: {} } });
    const { page, problems } = await web.open("/issues");
    await named(page, "Cycles 1").waitFor();
    await named(page, "Urgent bugs private 1").waitFor();
    await named(page, "Everything 99+").waitFor();
    await issue({ cycleId: current, priority: 1 });
    await named(page, "Cycles 2").waitFor();
    await named(page, "Urgent bugs private 2").waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("read each saved view separately: an invalid filter shows no count, and the reason", async () => {
    const { issue, does } = await createWorkspaceIn(web.tenant, "OLD");
    await issue({ title: "Kept in view" });
    const viewOf = async (name: string, filterData: object) =>
      (await does("customViewCreate", { input: { name, filterData } }, "customView { id }")).customView.id;
    await viewOf("Kept", { title: { eq: "Kept in view" } });
    const old = await viewOf("Of another time", {});
    const { db } = (await startSharedServer()).runtime;
    const text = `update "customView" set "filterData" = '{"mood":{"eq":"calm"}}' where id = $1`;
    await db.query({ text, values: [old] });
    const { page } = await web.open("/issues");
    await named(page, "Kept private 1").waitFor();
    const bad = page.getByRole("link", { name: "Of another time private", exact: true });
    await bad.and(page.getByTitle(/^Of another time: .*mood/)).waitFor();
  });
});
