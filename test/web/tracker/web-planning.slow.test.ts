import { expect } from "chai";
import type { Page } from "playwright-core";
import { served } from "../../support/db/busy.ts";
import { clicked, dragged } from "../../support/web/pointer.ts";
import { inBrowser, pick } from "../../support/web/web.ts";
import { makeWorld, type World } from "../../support/web/web-world.ts";
import { workspaceOf } from "../../support/workspace.ts";

describe("planning in the web app", function () {
  this.timeout(180_000);
  let world: World;
  const web = inBrowser(async (tenant) => {
    world = await makeWorld(tenant);
  });
  const rail = (page: Page, name: string) =>
    page.getByRole("navigation", { name: "Main", exact: true }).getByText(name);
  const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
  const views = async () =>
    (await served(() => web.tenant.gql("{ customViews { nodes { name shared filterData } } }"))).customViews.nodes;

  it("saves what the issues are filtered by as a view, opens it, shares it and deletes it", async () => {
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
    await page.getByText("No issue fits").waitFor();
    await page.getByRole("button", { name: "Edit view" }).click();
    await page.getByLabel("Name").fill("Ours");
    await page.getByLabel("Everybody sees it").check();
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
    await page.getByText("This view is not here").waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("creates an issue by keys alone, and keeps the draft of one that is not sent", async () => {
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
    await clicked(page, page.getByRole("button", { name: "Discard it" }));
    await page.getByText("The draft is kept in this browser.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "New issue" }).waitFor({ state: "detached" });
    await page.keyboard.press("c");
    expect(await page.getByText("Your draft from").count()).to.equal(0);
    expect(await page.getByLabel("Title").inputValue()).to.equal("");
    const made = await served(() =>
      web.tenant.gql(`{ issues(filter: { title: { eq: "Refund is booked twice" } }) { nodes { description } } }`),
    );
    expect(made.issues.nodes).to.deep.equal([{ description: "c is a letter here" }]);
    expect(problems).to.deep.equal([]);
  });

  it("creates an issue from a template by pointer, with what was chosen instead", async () => {
    const templateData = { title: "A bug", description: "**Seen:**", priority: 2, labelIds: [world.labelId] };
    await web.tenant.gql(`mutation ($input: TemplateCreateInput!) { templateCreate(input: $input) { success } }`, {
      input: { name: "Bug", type: "issue", templateData },
    });
    const { page, problems } = await web.open("/issues");
    await page.getByRole("button", { name: "New issue", exact: true }).click();
    await pick(page, "Template", "Bug");
    await pick(page, "Priority", "Low");
    await pick(page, "Assignee", "Olive Owner");
    expect(await page.getByLabel("Description").inputValue()).to.equal("**Seen:**");
    await page.getByLabel("Title").fill("A bug in refunds");
    await page.getByRole("button", { name: "Create issue" }).click();
    await page.getByRole("link", { name: "A bug in refunds" }).waitFor();
    const made = await served(() =>
      web.tenant.gql(`{ issues(filter: { title: { eq: "A bug in refunds" } }) {
        nodes { description priority labelIds assignee { name } } } }`),
    );
    expect(made.issues.nodes).to.deep.equal([
      { description: "**Seen:**", priority: 4, labelIds: [world.labelId], assignee: { name: "Olive Owner" } },
    ]);
    expect(problems).to.deep.equal([]);
  });

  it("plans issues for a milestone on a page and in the dialog, filters by it, and puts it back with its project", async () => {
    const plan = await workspaceOf(web.tenant, "PLN");
    const make = async (what: string, input: object): Promise<string> =>
      (await plan.does(`${what}Create`, { input }, `${what} { id }`))[what].id;
    const rounding = await make("project", { name: "Rounding", teamIds: [plan.teamId] });
    const website = await make("project", { name: "Website", teamIds: [plan.teamId] });
    const milestone = await make("projectMilestone", { name: "Beta", projectId: rounding });
    const issue = await plan.issue({ title: "Half to even", projectId: rounding });
    await plan.issue({ title: "Elsewhere", projectId: website });
    const milestoneOf = async (title: string) =>
      (
        await served(() =>
          web.tenant.gql(`{ issues(filter: { title: { eq: "${title}" } }) { nodes { projectMilestone { id } } } }`),
        )
      ).issues.nodes[0].projectMilestone?.id;
    const { page, problems } = await web.open(new URL(issue.url).pathname);
    await page.setViewportSize({ width: 1440, height: 900 });
    await clicked(page, page.getByRole("button", { name: /^Milestone/ }));
    await clicked(page, page.getByRole("option", { name: "Beta" }));
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
    await clicked(page, chip.getByRole("button"));
    await page.getByRole("link", { name: "Elsewhere" }).waitFor();

    await page.getByRole("heading", { level: 1 }).click();
    await page.keyboard.press("c");
    await page.getByLabel("Title").fill("Half up");
    await pick(page, "Project", "Rounding");
    await pick(page, "Milestone", "Beta");
    await pick(page, "Project", "Website");
    await page.getByRole("button", { name: "Milestone", exact: true }).waitFor();
    await pick(page, "Project", "Rounding");
    await pick(page, "Milestone", "Beta");
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
    await dragged(page, card("Rounding"), lane("Website"));
    await page.getByText(/moved to Website/).waitFor();
    expect(await milestoneOf("Half to even")).to.equal(undefined);
    await page.keyboard.press("z");
    await page.getByText("1 issue put back.").waitFor();
    expect(await milestoneOf("Half to even")).to.equal(milestone);
    expect(problems).to.deep.equal([]);
  });

  it("makes a project with a milestone and a cycle, and changes a team and a label where they are used", async () => {
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
    await pick(page, "Lead", "Olive Owner");
    await page.getByRole("button", { name: "Lead: Olive Owner" }).waitFor();
    await page.goto(`${web.tenant.url}/cycles`);
    await page.getByRole("button", { name: "New cycle" }).click();
    await page.getByLabel("First day").fill("2026-12-01");
    await page.getByLabel("End").fill("2026-12-15");
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
