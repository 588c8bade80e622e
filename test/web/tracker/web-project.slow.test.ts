import { expect } from "chai";
import type { Page } from "playwright-core";
import { retryWhileBusy } from "../../support/db/busy.ts";
import { clickElement, pressEnter, tapElement } from "../../support/web/pointer.ts";
import { setUpBrowserTests } from "../../support/web/web.ts";
import { createWorkspaceIn, type Workspace } from "../../support/workspace.ts";

const DONE = "2 of 5 issues, 40 %";

describe("a project's page", () => {
  let space: Workspace;
  let project: { id: string; url: string };
  let open: Record<string, any>;
  const web = setUpBrowserTests(async (tenant) => {
    space = await createWorkspaceIn(tenant);
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
  const done = (page: Page, milestone: string) => page.getByRole("meter", { name: `Completed issues of ${milestone}` });
  const group = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

  it("shows the progress of the project and each milestone without canceled issues, and updates it", async () => {
    const { page, problems } = await visit();
    // The states arrive late. Until then the page must not show issues in a different order.
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

  it("lists open issues by milestone, and links to the issues of that milestone, not of a milestone with the same name", async () => {
    const { page, problems } = await visit();
    await group(page, "Beta").getByRole("link", { name: "Refund is booked twice" }).waitFor();
    await group(page, "No milestone").getByRole("link", { name: "Write it down" }).waitFor();
    expect(await group(page, "Beta").getByRole("link").count()).to.equal(2);
    await clickElement(page, group(page, "Beta").getByRole("link", { name: "1 open" }));
    await page.getByRole("table", { name: "Issues" }).getByRole("link", { name: "Refund is booked twice" }).waitFor();
    expect(await page.locator("[data-row]").allInnerTexts()).to.deep.equal(["Refund is booked twice"]);
    await page.goto(`${space.url}/issues?group=projectMilestone`);
    const head = (name: string) => page.getByRole("button", { name, exact: true });
    await head("Beta of Checkout, 1").waitFor();
    await head("Beta of Ledger, 1").waitFor();
    await page.keyboard.press("f");
    await page.keyboard.type("milestone:");
    const offered = page.getByRole("option", { name: /Ledger\/Beta/ });
    await clickElement(page, offered);
    await page.getByRole("link", { name: "Refund is booked twice" }).waitFor({ state: "detached" });
    expect(new URL(page.url()).searchParams.get("milestone")).to.equal("Ledger/Beta");
    await page.getByRole("link", { name: "Of another project" }).waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("changes lead, dates and teams by keyboard", async () => {
    const { page, problems } = await visit();
    const side = page.getByRole("complementary", { name: "Properties" });
    await pressEnter(side.getByRole("button", { name: "Lead: No lead" }));
    await page.keyboard.type("Olive");
    await page.getByRole("option", { name: "Olive Owner" }).waitFor();
    await page.keyboard.press("Enter");
    await side.getByRole("button", { name: "Lead: Olive Owner" }).waitFor();
    await side.getByLabel("Target", { exact: true }).fill("2026-12-24");
    const stands = async () =>
      (
        await retryWhileBusy(() =>
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

  it("opens an issue by touch on a small screen without horizontal scrolling", async () => {
    const { page, problems } = await web.onPhone(new URL(project.url).pathname);
    const row = group(page, "Beta").getByRole("link", { name: "Refund is booked twice" });
    await row.waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).to.equal(375);
    await tapElement(page, row);
    await page.getByRole("heading", { level: 1, name: /^Refund is booked twice/ }).waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("shows which of more than a hundred milestones are listed, also in the list of issues", async () => {
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
    await page.getByText("first 100", { exact: true }).waitFor();
    await clickElement(page, page.getByRole("link", { name: "Show all in the list of issues" }));
    await page.getByText("101 issues: 100 of 101 milestones shown. Filter to see the others.").waitFor();
    expect(problems).to.deep.equal([]);
  });
});

/** Polls until the value is as expected, because the page does not show when a field has been saved. */
async function expectSoon(read: () => Promise<unknown>, expected: unknown): Promise<void> {
  const wanted = JSON.stringify(expected);
  for (let tries = 0; tries < 100; tries += 1) {
    if (JSON.stringify(await read()) === wanted) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(await read()).to.deep.equal(expected);
}
