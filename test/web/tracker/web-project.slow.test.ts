import { expect } from "chai";
import type { Page } from "playwright-core";
import { served } from "../../support/db/busy.ts";
import { clicked, entered, tapped } from "../../support/web/pointer.ts";
import { inBrowser } from "../../support/web/web.ts";
import { type Workspace, workspaceOf } from "../../support/workspace.ts";

const DONE = "2 of 5 issues, 40 %";

describe("a project in the web app", function () {
  this.timeout(180_000);
  let space: Workspace;
  let project: { id: string; url: string };
  let open: Record<string, any>;
  const web = inBrowser(async (tenant) => {
    space = await workspaceOf(tenant);
    const { states, issue } = space;
    const [checkout, ledger] = [await makeProject("Checkout"), await makeProject("Ledger")];
    project = checkout.project;
    const of = (milestone: string, state: string, title: string) =>
      issue({
        title,
        projectId: checkout.project.id,
        projectMilestoneId: checkout.milestones[milestone] ?? null,
        stateId: states[state],
      });
    for (const title of ["Keys are kept", "Keys are sent"]) await of("Beta", "Done", title);
    await of("Beta", "Canceled", "Given up");
    open = {
      beta: await of("Beta", "In Progress", "Refund is booked twice"),
      freeze: await of("Code freeze", "Todo", "Release 4.18.1"),
      none: await of("", "Backlog", "Write it down"),
    };
    await issue({
      title: "Of another project",
      projectId: ledger.project.id,
      projectMilestoneId: ledger.milestones["Beta"],
    });
  });

  async function makeProject(name: string) {
    const input = { name, teamIds: [space.teamId] };
    const made = (await space.does("projectCreate", { input }, "project { id url }")).project;
    const milestones: Record<string, string> = {};
    for (const [milestone, targetDate] of [
      ["Beta", "2026-11-06"],
      ["Code freeze", "2026-12-04"],
    ] as const) {
      const planned = { name: milestone, targetDate, projectId: made.id };
      const { projectMilestone } = await space.does(
        "projectMilestoneCreate",
        { input: planned },
        "projectMilestone { id }",
      );
      milestones[milestone] = projectMilestone.id;
    }
    return { project: made, milestones };
  }

  const visit = async () => {
    const opened = await web.open(new URL(project.url).pathname);
    await opened.page.setViewportSize({ width: 1440, height: 900 });
    return opened;
  };
  const done = (page: Page, milestone: string) => page.getByRole("meter", { name: `Done of ${milestone}` });
  const group = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

  it("shows how far it and each milestone are, without canceled issues, and counts again as issues change", async () => {
    const { page, problems } = await visit();
    // The states come late, and nothing is shown in another order until then.
    await page.route("**/graphql", async (route) => {
      if (route.request().postData()?.includes("query States")) await page.waitForTimeout(500);
      await route.continue();
    });
    await page.reload();
    await page.getByText(DONE).waitFor();
    expect(await done(page, "Beta").getAttribute("aria-valuenow")).to.equal("66");
    expect(await done(page, "Code freeze").getAttribute("aria-valuenow")).to.equal("0");
    await page.getByRole("listitem").filter({ hasText: "Beta" }).getByText("2 of 3").waitFor();
    const legend = await page.getByRole("list", { name: "Issues by state" }).getByRole("listitem").allInnerTexts();
    expect(legend.map((text) => text.replaceAll(/\s+/g, " ").trim())).to.deep.equal([
      "Done 2",
      "In Progress 1",
      "Todo 1",
      "Backlog 1",
      "Canceled 1",
    ]);
    await space.does("issueUpdate", { id: open["freeze"].id, input: { stateId: space.states["Done"] } });
    await page.getByText("3 of 5 issues, 60 %").waitFor();
    await group(page, "Code freeze").waitFor({ state: "detached" });
    await space.does("issueUpdate", { id: open["freeze"].id, input: { stateId: space.states["Todo"] } });
    await page.getByText(DONE).waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("has its open issues by milestone, and leads to those of one milestone, not of one called the same", async () => {
    const { page, problems } = await visit();
    await group(page, "Beta").getByRole("link", { name: "Refund is booked twice" }).waitFor();
    await group(page, "No milestone").getByRole("link", { name: "Write it down" }).waitFor();
    expect(await group(page, "Beta").getByRole("link").count()).to.equal(2);
    await clicked(page, group(page, "Beta").getByRole("link", { name: "1 open" }));
    await page.getByRole("table", { name: "Issues" }).getByRole("link", { name: "Refund is booked twice" }).waitFor();
    expect(await page.locator("[data-row]").allInnerTexts()).to.deep.equal(["Refund is booked twice"]);
    await page.goto(`${space.url}/issues?group=projectMilestone`);
    const head = (name: string) => page.getByRole("button", { name, exact: true });
    await head("Beta of Checkout, 1").waitFor();
    await head("Beta of Ledger, 1").waitFor();
    await page.keyboard.press("f");
    await page.keyboard.type("milestone:");
    const offered = page.getByRole("option", { name: /Ledger\/Beta/ });
    await clicked(page, offered);
    await page.getByRole("link", { name: "Refund is booked twice" }).waitFor({ state: "detached" });
    expect(new URL(page.url()).searchParams.get("milestone")).to.equal("Ledger/Beta");
    await page.getByRole("link", { name: "Of another project" }).waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("changes lead, days and teams beside it by keys", async () => {
    const { page, problems } = await visit();
    const side = page.getByRole("complementary", { name: "Properties" });
    await entered(side.getByRole("button", { name: "Lead: Nobody" }));
    await page.keyboard.type("Olive");
    await page.getByRole("option", { name: "Olive Owner" }).waitFor();
    await page.keyboard.press("Enter");
    await side.getByRole("button", { name: "Lead: Olive Owner" }).waitFor();
    await side.getByLabel("Target", { exact: true }).fill("2026-12-24");
    const stands = async () =>
      (
        await served(() =>
          space.gql(`{ project(id: "${project.id}") { targetDate lead { name } teams { nodes { key } } } }`),
        )
      ).project;
    await expectSoon(stands, {
      targetDate: "2026-12-24",
      lead: { name: "Olive Owner" },
      teams: { nodes: [{ key: "ENG" }] },
    });
    expect(problems).to.deep.equal([]);
  });

  it("leads to an issue by a finger on a small screen, where nothing moves sideways", async () => {
    const { page, problems } = await web.onPhone(new URL(project.url).pathname);
    const row = group(page, "Beta").getByRole("link", { name: "Refund is booked twice" });
    await row.waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).to.equal(375);
    await tapped(page, row);
    await page.getByRole("heading", { level: 1, name: /^Refund is booked twice/ }).waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("with more than a hundred milestones says which are shown, here and in the list of issues", async () => {
    const wide = (
      await space.does("projectCreate", { input: { name: "Wide", teamIds: [space.teamId] } }, "project { id url }")
    ).project;
    const all = Array.from({ length: 101 }, (_, n) => n);
    for (const some of [all.slice(0, 50), all.slice(50, 100), all.slice(100)]) {
      const creates = some.map(
        (n) =>
          `m${n}: projectMilestoneCreate(input: { name: "Mile ${n}", projectId: "${wide.id}" }) { projectMilestone { id } }`,
      );
      const milestones = await space.gql(`mutation { ${creates.join(" ")} }`);
      const issues = some.map((n) => ({
        teamId: space.teamId,
        title: `On mile ${n}`,
        projectId: wide.id,
        projectMilestoneId: milestones[`m${n}`].projectMilestone.id,
      }));
      await space.gql("mutation ($input: IssueBatchCreateInput!) { issueBatchCreate(input: $input) { success } }", {
        input: { issues },
      });
    }
    const { page, problems } = await web.open(new URL(wide.url).pathname);
    await page.getByText("the first 100", { exact: true }).waitFor();
    await clicked(page, page.getByRole("link", { name: "All of them in the list of issues" }));
    await page.getByText("101 issues: 100 of 101 milestones shown, filter to see the others").waitFor();
    expect(problems).to.deep.equal([]);
  });
});

/** Reads until it is so: nothing on the page says that a field was saved. */
async function expectSoon(read: () => Promise<unknown>, expected: unknown): Promise<void> {
  const wanted = JSON.stringify(expected);
  for (let tries = 0; tries < 100; tries += 1) {
    if (JSON.stringify(await read()) === wanted) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(await read()).to.deep.equal(expected);
}
