import { expect } from "chai";
import type { Page } from "playwright-core";
import { retryWhileBusy } from "../../support/db/busy.ts";
import { clickElement, dragElement } from "../../support/web/pointer.ts";
import { pickOption, setUpBrowserTests } from "../../support/web/web.ts";
import { createWorld, type WebWorld } from "../../support/web/web-world.ts";
import { createWorkspaceIn } from "../../support/workspace.ts";

describe("planning in the web app", () => {
  let world: WebWorld;
  const web = setUpBrowserTests(async (tenant) => {
    world = await createWorld(tenant);
  });
  const rail = (page: Page, name: string) =>
    page.getByRole("navigation", { name: "Main", exact: true }).getByText(name);
  const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
  const views = async () =>
    (await retryWhileBusy(() => web.tenant.gql("{ customViews { nodes { name shared filterData } } }"))).customViews
      .nodes;

  it("saves the current filter as a view, opens, shares and deletes the view", async () => {
    const { page, problems } = await web.open("/issues?state=all&assignee=me");
    await page.getByRole("button", { name: "Save view" }).click();
    await page.getByLabel("Name").fill("Mine, all");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await heading(page, "Mine, all");
    const filterData = { assignee: { isMe: { eq: true } } };
    expect(await views()).to.deep.equal([{ name: "Mine, all", shared: false, filterData }]);
    await page.goto(new URL("/issues", page.url()).href);
    await page.getByRole("link", { name: "Release 4.18.1" }).waitFor();
    await rail(page, "Mine, all").click();
    await heading(page, "Mine, all");
    await page.getByText("No matching issues").waitFor();
    await page.getByRole("button", { name: "Edit view" }).click();
    await page.getByLabel("Name").fill("Ours");
    await page.getByLabel("Share with all members").check();
    await page.keyboard.press("Enter");
    await heading(page, "Ours");
    await page.locator("dialog").waitFor({ state: "detached" });
    expect(await views()).to.deep.equal([{ name: "Ours", shared: true, filterData }]);
    const address = page.url();
    await page.getByRole("button", { name: "Delete view" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete view" }).click();
    await heading(page, "Issues");
    await rail(page, "Ours").waitFor({ state: "detached" });
    expect(await views()).to.deep.equal([]);
    await page.goto(address);
    await page.getByText("View not found").waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("creates an issue by keyboard alone, and keeps the draft of an unsent issue", async () => {
    const { page, problems } = await web.open("/sessions");
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.keyboard.press("c");
    await page.getByRole("dialog", { name: "New issue" }).waitFor();
    await page.keyboard.type("Refund is booked twice");
    await page.keyboard.press("Tab");
    await page.keyboard.type("c is a letter here");
    await page.keyboard.press("Escape");
    await page.reload();
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.keyboard.press("c");
    expect(await page.getByLabel("Title").inputValue()).to.equal("Refund is booked twice");
    await page.getByText("Your draft from just now").waitFor();
    await page.keyboard.press("Control+Enter");
    await page.getByText(/^ENG-\d+ was created/).waitFor();
    await page.keyboard.press("c");
    await page.getByLabel("Title").fill("Refunds are booked two times");
    const similar = page.getByRole("region", { name: "Similar issues" }).getByRole("link");
    await similar.filter({ hasText: "Refund is booked twice" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "New issue" }).waitFor({ state: "detached" });
    await page.keyboard.press("c");
    await clickElement(page, page.getByRole("button", { name: "Discard draft" }));
    await page.getByText("Your draft is saved in this browser.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "New issue" }).waitFor({ state: "detached" });
    await page.keyboard.press("c");
    expect(await page.getByText("Your draft from").count()).to.equal(0);
    expect(await page.getByLabel("Title").inputValue()).to.equal("");
    const made = await retryWhileBusy(() =>
      web.tenant.gql(`{ issues(filter: { title: { eq: "Refund is booked twice" } }) { nodes { description } } }`),
    );
    expect(made.issues.nodes).to.deep.equal([{ description: "c is a letter here" }]);
    expect(problems).to.deep.equal([]);
  });

  it("creates an issue from a template by pointer, with changed values", async () => {
    const templateData = { title: "A bug", description: "**Seen:**", priority: 2, labelIds: [world.labelId] };
    await web.tenant.gql(`mutation ($input: TemplateCreateInput!) { templateCreate(input: $input) { success } }`, {
      input: { name: "Bug", type: "issue", templateData },
    });
    const { page, problems } = await web.open("/issues");
    await page.getByRole("button", { name: "New issue", exact: true }).click();
    await pickOption(page, "Template", "Bug");
    await pickOption(page, "Priority", "Low");
    await pickOption(page, "Assignee", "Olive Owner");
    expect(await page.getByLabel("Description").inputValue()).to.equal("**Seen:**");
    await page.getByLabel("Title").fill("A bug in refunds");
    await page.getByRole("button", { name: "Create issue" }).click();
    await page.getByRole("link", { name: "A bug in refunds" }).waitFor();
    const made = await retryWhileBusy(() =>
      web.tenant.gql(`{ issues(filter: { title: { eq: "A bug in refunds" } }) {
        nodes { description priority labelIds assignee { name } } } }`),
    );
    expect(made.issues.nodes).to.deep.equal([
      { description: "**Seen:**", priority: 4, labelIds: [world.labelId], assignee: { name: "Olive Owner" } },
    ]);
    expect(problems).to.deep.equal([]);
  });

  it("plans issues for a milestone on a page and in the dialog, filters by it, and restores it with its project", async () => {
    const plan = await createWorkspaceIn(web.tenant, "PLN");
    const make = async (what: string, input: object): Promise<string> =>
      (await plan.does(`${what}Create`, { input }, `${what} { id }`))[what].id;
    const rounding = await make("project", { name: "Rounding", teamIds: [plan.teamId] });
    const website = await make("project", { name: "Website", teamIds: [plan.teamId] });
    const milestone = await make("projectMilestone", { name: "Beta", projectId: rounding });
    const issue = await plan.issue({ title: "Half to even", projectId: rounding });
    await plan.issue({ title: "Elsewhere", projectId: website });
    const milestoneOf = async (title: string) =>
      (
        await retryWhileBusy(() =>
          web.tenant.gql(`{ issues(filter: { title: { eq: "${title}" } }) { nodes { projectMilestone { id } } } }`),
        )
      ).issues.nodes[0].projectMilestone?.id;
    const { page, problems } = await web.open(new URL(issue.url).pathname);
    await page.setViewportSize({ width: 1440, height: 900 });
    await clickElement(page, page.getByRole("button", { name: /^Milestone/ }));
    await clickElement(page, page.getByRole("option", { name: "Beta" }));
    await page.getByRole("button", { name: "Milestone: Beta" }).waitFor();

    await page.goto(`${web.tenant.url}/issues`);
    await page.getByRole("link", { name: "Elsewhere" }).waitFor();
    await page.keyboard.press("f");
    await page.keyboard.type("milestone:Beta");
    await page.keyboard.press("Enter");
    const chip = page.locator(".chip", { hasText: "milestone" });
    await chip.waitFor();
    await page.getByRole("link", { name: "Elsewhere" }).waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Half to even" }).waitFor();
    await clickElement(page, chip.getByRole("button"));
    await page.getByRole("link", { name: "Elsewhere" }).waitFor();

    await page.getByRole("heading", { level: 1 }).click();
    await page.keyboard.press("c");
    await page.getByLabel("Title").fill("Half up");
    await pickOption(page, "Project", "Rounding");
    await pickOption(page, "Milestone", "Beta");
    await pickOption(page, "Project", "Website");
    await page.getByRole("button", { name: "Milestone", exact: true }).waitFor();
    await pickOption(page, "Project", "Rounding");
    await pickOption(page, "Milestone", "Beta");
    await page.keyboard.press("Escape");
    await page.reload();
    await page.getByRole("link", { name: "Elsewhere" }).waitFor();
    await page.keyboard.press("c");
    await page.getByRole("button", { name: "Milestone: Beta" }).waitFor();
    await page.keyboard.press("Control+Enter");
    await page.getByText(/^\w+-\d+ was created/).waitFor();
    expect(await milestoneOf("Half up")).to.equal(milestone);

    await page.goto(`${web.tenant.url}/issues?team=PLN&layout=board&group=project`);
    const lane = (name: string) => page.getByRole("region", { name, exact: true });
    const card = (name: string) => lane(name).locator(".icard", { hasText: "Half to even" });
    await card("Rounding").waitFor();
    await dragElement(page, card("Rounding"), lane("Website"));
    await page.getByText(/moved to Website/).waitFor();
    expect(await milestoneOf("Half to even")).to.equal(undefined);
    await page.keyboard.press("z");
    await page.getByText("1 issue restored.").waitFor();
    expect(await milestoneOf("Half to even")).to.equal(milestone);
    expect(problems).to.deep.equal([]);
  });

  it("creates a project with a milestone and a cycle, and edits a team and a label in place", async () => {
    const { page, problems } = await web.open("/projects");
    await page.getByRole("button", { name: "New project" }).click();
    await page.getByLabel("Name").fill("Ledger 2");
    await page.getByRole("button", { name: "Create project" }).click();
    await heading(page, "Ledger 2");
    await page.getByRole("button", { name: "New milestone" }).click();
    await page.getByLabel("Name").fill("Code freeze");
    await page.getByLabel("Target date").fill("2026-12-01");
    await page.getByRole("button", { name: "Create milestone" }).click();
    await page.getByRole("listitem").filter({ hasText: "Code freeze" }).getByText("December 1").waitFor();
    await pickOption(page, "Lead", "Olive Owner");
    await page.getByRole("button", { name: "Lead: Olive Owner" }).waitFor();
    await page.goto(`${web.tenant.url}/cycles`);
    await page.getByRole("button", { name: "New cycle" }).click();
    await page.getByLabel("Start date").fill("2026-12-01");
    await page.getByLabel("End date").fill("2026-12-15");
    await page.getByRole("button", { name: "Create cycle" }).click();
    await heading(page, "Cycle 1");
    await page.getByText("2026-12-01 to 2026-12-15").waitFor();
    await page.goto(`${web.tenant.url}/${web.tenant.urlKey}/team/ENG`);
    await page.getByRole("button", { name: "Edit team" }).click();
    await page.getByLabel("Name").fill("Engineers");
    await page.keyboard.press("Enter");
    await heading(page, "Engineers");
    await page.goto(`${web.tenant.url}/${web.tenant.urlKey}/settings/labels/${world.labelId}`);
    await page.getByRole("button", { name: "Edit label" }).click();
    await page.getByLabel("Name").fill("regressed");
    await page.keyboard.press("Enter");
    await heading(page, "regressed");
    expect(problems).to.deep.equal([]);
  });
});
