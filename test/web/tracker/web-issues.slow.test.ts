import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { Page, Route } from "playwright-core";
import { retryWhileBusy } from "../../support/db/busy.ts";
import { createOrganization } from "../../support/server.ts";
import { pickOption, setUpBrowserTests } from "../../support/web/web.ts";
import { createWorld, type WebWorld } from "../../support/web/web-world.ts";

describe("issues in the web app", () => {
  let world: WebWorld;
  const web = setUpBrowserTests(async (tenant) => {
    world = await createWorld(tenant);
  });
  const title = (page: Page) => page.getByRole("heading", { level: 1, name: /^Build fails on main/ });
  const stored = async (fields: string) =>
    (
      await retryWhileBusy(() =>
        web.tenant.gql(`query($id: String!) { issue(id: $id) { ${fields} } }`, { id: world.issueId }),
      )
    ).issue;

  it("are found by words and opened, by keyboard alone", async () => {
    const { page, problems } = await web.open("/issues");
    await page.getByRole("link", { name: "Release 4.18.1" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("cannot find module");
    await page.keyboard.press("Enter");
    await page.getByText("1 issue", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await title(page).waitFor();
    await page.waitForURL((at) => at.pathname === world.path);
    expect(problems).to.deep.equal([]);
  });

  it("show their description as Markdown, with safe links", async () => {
    const { page } = await web.open(world.path);
    const link = page.getByRole("link", { name: "The runbook" });
    expect(await link.getAttribute("rel")).to.contain("noopener");
    expect(await page.getByRole("region", { name: "Issue" }).locator("code").first().innerText()).to.equal(
      "npm run build",
    );
  });

  it("get a comment by keyboard, which another browser shows without a reload", async () => {
    const [{ page, problems }, { page: other }] = [await web.open(world.path), await web.open(world.path)];
    await Promise.all([title(page).waitFor(), title(other).waitFor()]);
    await page.keyboard.press("m");
    await page.keyboard.type("Two more callers **rely** on it.");
    await page.keyboard.press("Control+Enter");
    await page.locator("strong", { hasText: "rely" }).waitFor();
    await other.locator("strong", { hasText: "rely" }).waitFor();
    expect(await page.getByLabel("Comment", { exact: true }).inputValue()).to.equal("");
    expect(problems).to.deep.equal([]);
  });

  it("change state, priority, assignee and labels in place, which another browser shows without a reload", async () => {
    const [{ page, problems }, { page: other }] = [await web.open(world.path), await web.open(world.path)];
    await Promise.all([title(page).waitFor(), title(other).waitFor()]);
    const shown = (on: Page, name: string, value: string) => on.getByRole("button", { name: `${name}: ${value}` });
    const choose = async (name: string, label: string) => {
      await pickOption(page, name, label);
      await shown(other, name, label).waitFor();
      await shown(page, name, label).waitFor();
    };
    await choose("State", "In Progress");
    await choose("Priority", "Low");
    await choose("Assignee", "Olive Owner");
    await page.getByRole("button", { name: "Remove label regression" }).click();
    await other.getByRole("button", { name: "Remove label regression" }).waitFor({ state: "detached" });
    expect(await stored("priority state { name } assignee { name } labelIds")).to.deep.equal({
      priority: 4,
      state: { name: "In Progress" },
      assignee: { name: "Olive Owner" },
      labelIds: [],
    });
    await page.keyboard.press("l");
    await page.getByRole("option", { name: "regression" }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Remove label regression" }).waitFor();
    await choose("Assignee", "No assignee");
    expect(await stored("assignee { name } labelIds")).to.deep.equal({ assignee: null, labelIds: [world.labelId] });
    expect(problems).to.deep.equal([]);
  });

  it("show the chosen value until the server responds, and the old value if the server refuses", async () => {
    const { page } = await web.open(world.path);
    await title(page).waitFor();
    const held: Route[] = [];
    await page.route("**/graphql", async (route) => {
      if (/mutation/.test(route.request().postData() ?? "")) held.push(route);
      else await route.continue();
    });
    for (const [name, label] of Object.entries({ State: "Done", Priority: "High", Assignee: "Olive Owner" })) {
      const button = page.getByRole("button", { name: new RegExp(`^${name}: `) });
      const before = await button.innerText();
      expect(before, name).not.to.contain(label);
      await pickOption(page, name, label);
      await page.locator("aside[aria-busy=true]").waitFor();
      await button.filter({ hasText: label }).waitFor();
      while (held.length === 0) await sleep(20);
      await held.pop()?.abort();
      await page.getByRole("alert").waitFor();
      await button.filter({ hasNotText: label }).waitFor();
      expect(await button.innerText(), name).to.equal(before);
    }
  });

  it("open from every address that the API returns", async () => {
    const { page, problems } = await web.open(world.path);
    const { viewer, issue, team, comments } = await web.tenant.gql(
      `query($id: String!) { viewer { url name } comments(first: 1) { nodes { url } }
        issue(id: $id) { url project { url name } state { id name } } team(id: "ENG") { name } }`,
      { id: world.issueId },
    );
    const of = `${web.tenant.url}/${web.tenant.urlKey}`;
    const addresses: [url: string, heading: string][] = [
      [issue.url, "Build fails on main"],
      [comments.nodes[0].url, "Build fails on main"],
      [issue.url.replace(/\/[^/]+$/, ""), "Build fails on main"],
      [`${web.tenant.url}/issues/ENG-1`, "Build fails on main"],
      [issue.project.url, issue.project.name],
      [viewer.url, viewer.name],
      [`${of}/team/ENG`, team.name],
      [`${of}/settings/labels/${world.labelId}`, "regression"],
      [`${of}/settings/states/${issue.state.id}`, issue.state.name],
    ];
    for (const [url, heading] of addresses) {
      await page.goto(new URL(new URL(url).pathname, web.tenant.url).href);
      await page.getByRole("heading", { level: 1, name: new RegExp(`^${heading}`) }).waitFor();
    }
    expect(problems).to.deep.equal([]);
  });

  it("show a message when they do not exist or the address belongs to another organization", async () => {
    const { page } = await web.open(`/${web.tenant.urlKey}/issue/ENG-999`);
    await page.getByRole("heading", { name: "Issue not found" }).waitFor();
    const elsewhere = await createOrganization();
    await page.goto(`${web.tenant.url}/${elsewhere.urlKey}/issue/ENG-1`);
    await page.getByRole("button", { name: `Switch to ${elsewhere.urlKey}` }).click();
    await page.getByRole("alert").waitFor();
  });
});
