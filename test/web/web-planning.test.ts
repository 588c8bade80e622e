import { expect } from "chai";
import type { Page } from "playwright-core";
import { served } from "../support/busy.ts";
import { inBrowser, pick } from "../support/web.ts";
import { makeWorld, type World } from "../support/web-world.ts";

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
    await page.keyboard.press("Control+Enter");
    await page.getByText(/^ENG-\d+ was created/).waitFor();
    await page.keyboard.press("c");
    await page.getByLabel("Title").fill("Refunds are booked two times");
    const similar = page.getByRole("region", { name: "Similar issues" }).getByRole("link");
    await similar.filter({ hasText: "Refund is booked twice" }).waitFor();
    await page.getByLabel("Title").fill("");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "New issue" }).waitFor({ state: "detached" });
    await page.keyboard.press("c");
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
});
