import { expect } from "chai";
import { freshScene } from "../../bench/tasks/scene.ts";
import { connectSharedClient, type McpClient } from "../support/mcp.ts";
import type { Tenant } from "../support/server.ts";

const PLAN = {
  team: "eng",
  issues: [
    {
      ref: "Epic",
      title: "Passkeys",
      priority: "high",
      labels: ["UI"],
      children: [
        { ref: "server", title: "Server", blocks: ["PAGE", "ENG-4"], children: [{ title: "Schema" }] },
        { ref: "page", title: "Page" },
      ],
    },
  ],
};

describe("the MCP tools for planning", () => {
  let space: Tenant & McpClient;
  before(async () => {
    const tenant = await freshScene();
    space = { ...tenant, ...(await connectSharedClient(tenant, { "x-mcp-toolsets": "all" })) };
  });

  const total = async () => (await space.gql("{ issueGroups { count } }")).issueGroups.count;

  it("create a tree of issues with its blockers once, however often the call is repeated", async () => {
    const { data } = await space.call("plan_issues", PLAN);
    expect(data.issues.map(({ ref }: { ref: string }) => ref)).to.deep.equal(["Epic", "server", "Schema", "page"]);
    const before = await total();
    expect((await space.call("plan_issues", PLAN)).data).to.deep.equal(data);
    expect(await total()).to.equal(before);
    const [epic, server, schema, page] = data.issues.map(({ id }: { id: string }) => id);
    const { issue } = (await space.call("get_issue", { issue: server })).data;
    expect(issue.parent.id).to.equal(epic);
    expect(issue.children.map(({ id }: { id: string }) => id)).to.deep.equal([schema]);
    const blocked = issue.relations.map(({ type, id }: { type: string; id: string }) => `${type} ${id}`);
    expect(blocked).to.have.members([`blocks ${page}`, "blocks ENG-4"]);
    expect((await space.call("get_issue", { issue: epic })).data.issue).to.deep.include({
      priority: "high",
      labels: ["ui"],
    });
  });

  it("report that the same plan was created before and its issues were deleted", async () => {
    const plan = { team: "ENG", issues: [{ title: "Thrown away" }] };
    const { id } = (await space.call("plan_issues", plan)).data.issues[0];
    await space.gql(`mutation { issueDelete(id: "${id}") { success } }`);
    const again = await space.call("plan_issues", plan);
    expect(again.text).to.equal(`The same plan was made today, and ${id} of it is in the trash. Change the plan.`);
  });

  it("create nothing of a faulty plan, and name the fault", async () => {
    const before = await total();
    const plan = async (...issues: object[]) => (await space.call("plan_issues", { team: "ENG", issues })).text;
    const [a, b] = [
      { ref: "a", title: "A", blocks: ["b"] },
      { ref: "b", title: "B", blocks: ["a"] },
    ];
    expect(await plan(a, b)).to.match(/^they would block each other in a circle: B → A → B\. Remove/);
    expect(await plan(a)).to.match(/^blocks: no issue of the plan has the ref "b"/);
    expect(await plan(a, b, { ref: "A", title: "C" })).to.match(/^issues: the ref "a" comes twice/);
    expect(await plan({ title: "A", labels: ["nothing"] })).to.match(/^There is no label "nothing"/);
    expect(await plan({ title: "A" }, { title: "B", blocks: ["ENG-99"] })).to.match(/ENG-99/);
    const many = Array.from({ length: 6 }, (_, at) => ({
      title: `T ${at}`,
      children: Array(9).fill({ title: "Part" }),
    }));
    expect(await plan(...many)).to.match(/^issues: a plan has at most 50, and this one has 60/);
    expect(await total()).to.equal(before);
  });

  it("remove a relation from either end by its type, and report a missing relation", async () => {
    const { call } = space;
    await call("link_issues", { issue: "ENG-1", type: "blocks", to: "ENG-2" });
    await call("link_issues", { issue: "ENG-1", type: "related", to: "ENG-2" });
    const other = await call("unlink_issues", { issue: "ENG-2", type: "blocks", to: "ENG-1" });
    expect(other.text).to.equal(
      "ENG-2 and ENG-1 have no relation of the type blocks. See get_issue for those that there are.",
    );
    const { removed } = (await call("unlink_issues", { issue: "eng-2", type: "blocked_by", to: "eng-1" })).data;
    expect(removed).to.deep.equal([{ issue: "ENG-1", type: "blocks", to: "ENG-2" }]);
    const rest = await call("unlink_issues", { issue: "ENG-2", to: "ENG-1" });
    expect(rest.data.removed).to.deep.equal([{ issue: "ENG-1", type: "related", to: "ENG-2" }]);
    expect((await call("unlink_issues", { issue: "ENG-2", to: "ENG-99" })).isError).to.equal(true);
  });

  it("apply common changes and each issue's row, and the row wins", async () => {
    const { data } = await space.call("update_issues", {
      issues: ["OPS-1"],
      priority: "low",
      changes: [
        { issue: "ops-2", priority: "urgent", title: "Upgrade the database" },
        { issue: "ENG-99", title: "x" },
      ],
    });
    expect(data).to.include({ updated: 2, failed: 1 });
    const { issues } = (await space.call("list_issues", { team: "OPS" })).data;
    expect(issues.map(({ title, priority }: Record<string, string>) => `${title}: ${priority}`)).to.have.members([
      "Rotate certificates: low",
      "Upgrade the database: urgent",
    ]);
  });

  it("count with every filter, and accept no order or groups with a query", async () => {
    const list = async (args: object) => (await space.call("list_issues", { ...args })).data;
    expect(await list({ creator: "olive owner", assignee: "OLIVE OWNER", team: "ENG", count: true })).to.have.keys(
      "count",
    );
    expect(await list({ state: "Done", group_by: "team" })).to.deep.equal({
      count: 1,
      groups: [{ name: "ENG", count: 1 }],
    });
    expect(
      (await list({ due: "none", cycle: "current", sort: "title" })).issues.map(({ id }: any) => id),
    ).to.deep.equal(["ENG-6", "ENG-2", "ENG-1"]);
    for (const args of [{ sort: "due" }, { group_by: "state" }])
      expect((await space.call("list_issues", { query: "login", ...args })).text).to.match(/Leave out/);
    expect((await space.call("list_issues", { creator: "Nobody", count: true })).text).to.match(
      /^There is no creator "Nobody"/,
    );
    expect((await space.call("list_issues", { state: "Nowhere", count: true })).text).to.match(
      /^There is no state "Nowhere"/,
    );
  });

  it("plan issues for a milestone by name within their project, and list them by the milestone", async () => {
    const { call } = space;
    const planned = async (issue: string) => {
      const { project, milestone } = (await call("get_issue", { issue })).data.issue;
      return `${project}: ${milestone}`;
    };
    const listed = async (args: object) =>
      (await call("list_issues", { ...args, sort: "title" })).data.issues.map(({ id }: { id: string }) => id);
    await call("save_milestone", { project: "Search", name: "Alpha" });
    const { id } = (
      await call("create_issue", { team: "ENG", title: "A cart", project: "checkout", milestone: "ALPHA" })
    ).data.issue;
    expect(await planned(id)).to.equal("Checkout: Alpha");
    await call("update_issue", { issue: "ENG-8", milestone: "alpha" });
    expect(await planned("ENG-8")).to.equal("Search: Alpha");
    expect(await listed({ milestone: "alpha" })).to.deep.equal([id, "ENG-8"]);
    expect(await listed({ milestone: "alpha", project: "search" })).to.deep.equal(["ENG-8"]);
    expect((await call("list_issues", { milestone: "alpha", group_by: "milestone" })).data.groups).to.have.deep.members(
      [
        { name: "Alpha", project: "Checkout", count: 1 },
        { name: "Alpha", project: "Search", count: 1 },
      ],
    );
    const { updated } = (await call("update_issues", { issues: ["ENG-5", "ENG-9"], milestone: "Alpha" })).data;
    expect([updated, await planned("ENG-5"), await planned("ENG-9")]).to.deep.equal([
      2,
      "Checkout: Alpha",
      "Search: Alpha",
    ]);
    await call("update_issue", { issue: id, milestone: "none" });
    expect(await planned(id)).to.equal("Checkout: undefined");
    expect(await listed({ milestone: "none", project: "checkout" }))
      .to.include(id)
      .and.not.include("ENG-5");
    const plan = { team: "ENG", issues: [{ title: "Refunds" }], project: "Checkout", milestone: "alpha" };
    expect(await planned((await call("plan_issues", plan)).data.issues[0].id)).to.equal("Checkout: Alpha");
  });

  it("list the milestones, and require the project for a milestone of another project", async () => {
    const { call } = space;
    await call("save_milestone", { project: "Search", name: "Ranking" });
    const refusal = async (args: object) => {
      const { isError, text } = await call("create_issue", { team: "ENG", title: "Nothing", ...args });
      expect(isError, text).to.equal(true);
      return text;
    };
    expect(await refusal({ milestone: "Omega", project: "Checkout" })).to.equal(
      'There is no milestone "Omega". Call again with one of: Alpha (Checkout).',
    );
    expect(await refusal({ milestone: "Ranking", project: "Checkout" })).to.match(/^There is no milestone "Ranking"/);
    expect(await refusal({ milestone: "Ranking" })).to.equal(
      "milestone: Ranking belongs to another project than the issue; set project too. Correct the input and call again.",
    );
    expect((await call("list_issues", { milestone: "Omega" })).text).to.match(/one of: .*Ranking \(Search\)/);
  });

  it("save projects and labels by names in any case, and name the required values of a new one", async () => {
    const { call } = space;
    const saved = await call("save_project", {
      project: "CHECKOUT",
      state: "Started",
      teams: ["eng", "OPS"],
      target: "none",
    });
    expect(saved.data.project.teams).to.have.members(["ENG", "OPS"]);
    expect((await call("save_label", { label: "BUG", description: "It fails" })).data.label.description).to.equal(
      "It fails",
    );
    expect(
      (await call("save_milestone", { milestone: "ALPHA", project: "checkout", name: "First" })).data.milestone.name,
    ).to.equal("First");
    expect((await call("save_cycle", { cycle: "2", team: "eng", name: "Later" })).data.cycle).to.include({
      number: 2,
      name: "Later",
    });
    expect((await call("save_label", {})).text).to.equal("name: a new one needs it. Add it and call again.");
    expect((await call("save_cycle", { team: "ENG", starts: "P1D" })).text).to.match(/^ends: a new one needs it/);
    expect((await call("save_cycle", { team: "ENG", starts: "P9D", ends: "P2D" })).text).to.match(
      /^ends: must be after starts/,
    );
    expect((await call("save_project", { project: "Checkout", state: "nowhere" })).text).to.match(
      /^There is no status "nowhere"/,
    );
  });
});
