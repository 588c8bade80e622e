import { expect } from "chai";
import type { Page } from "playwright-core";
import { retryWhileBusy } from "../../support/db/busy.ts";
import { createAgent } from "../../support/tracker/work.ts";
import { clickElement, dragElement, tapElement } from "../../support/web/pointer.ts";
import { pickOption, setUpBrowserTests } from "../../support/web/web.ts";
import { createWorkspaceIn, type Workspace } from "../../support/workspace.ts";

describe("the list of issues", () => {
  let space: Workspace;
  const labels: Record<string, string> = {};
  const web = setUpBrowserTests(async (tenant) => {
    space = await createWorkspaceIn(tenant);
    for (const name of ["bug", "feature"]) {
      const input = { name, color: "#cc2222" };
      labels[name] = (await space.does("issueLabelCreate", { input }, "issueLabel { id }")).issueLabel.id;
    }
  });
  const rows = (page: Page) => page.getByRole("table", { name: "Issues" }).locator("[data-row]");
  const sum = (page: Page, words: string) => page.locator(".sum", { hasText: words }).waitFor();
  const stateOf = async (id: string) => (await retryWhileBusy(() => space.read(id))).state.name;
  const open = async (path: string) => {
    const opened = await web.open(path);
    await opened.page.setViewportSize({ width: 1440, height: 900 });
    return opened;
  };

  /** Creates issues of a team, fifty per request. */
  async function make(count: number, inputOf: (n: number) => object): Promise<{ id: string; title: string }[]> {
    const made: { id: string; title: string }[] = [];
    for (let at = 0; at < count; at += 50) {
      const issues = Array.from({ length: Math.min(50, count - at) }, (_, n) => inputOf(at + n));
      const input = { input: { issues } };
      made.push(...(await space.does("issueBatchCreate", input, "issues { id title }")).issues);
    }
    return made;
  }

  it("shows a team's urgent bugs without a holder among 400 issues, after one typed line", async () => {
    const other = await createWorkspaceIn(web.tenant, "OPS");
    const teams = [space.teamId, other.teamId];
    const made = await make(400, (n) => ({
      title: `Issue ${n}`,
      teamId: teams[n % 2],
      priority: n % 4,
      labelIds: [n % 8 < 4 ? labels["bug"] : labels["feature"]],
    }));
    const urgent = made.filter((_, n) => n % 2 === 1 && n % 4 === 1 && n % 8 < 4);
    const agent = await createAgent(space);
    const [held, ...free] = urgent;
    await agent.claim({ id: held?.id });
    const { page, problems } = await open("/issues");
    await sum(page, "400 issues");
    await page.keyboard.press("f");
    await page.keyboard.type("team:OPS label:bug priority:urgent holder:nobody");
    await page.keyboard.press("Enter");
    await sum(page, `${free.length} issues`);
    expect(Object.fromEntries(new URL(page.url()).searchParams)).to.deep.equal({
      team: "OPS",
      label: "bug",
      priority: "urgent",
      holder: "nobody",
    });
    await rows(page)
      .nth(free.length - 1)
      .waitFor();
    expect(new Set(await rows(page).allInnerTexts())).to.deep.equal(new Set(free.map(({ title }) => title)));
    await page.getByRole("button", { name: "Remove filter: holder" }).click();
    await sum(page, `${urgent.length} issues`);
    expect(problems).to.deep.equal([]);
  });

  it("suggests filter keys and values with the number of issues, by touch too", async () => {
    const tiny = await createWorkspaceIn(web.tenant, "TINY");
    await tiny.issue({ title: "One of two", labelIds: [labels["bug"]] });
    await tiny.issue({ title: "Two of two" });
    const { page: phone, problems } = await web.onPhone("/issues?team=TINY");
    await rows(phone).nth(1).waitFor();
    const field = phone.getByRole("combobox", { name: "Filter issues" });
    await tapElement(phone, field);
    await tapElement(phone, phone.getByRole("option", { name: /^label:/ }));
    const bug = phone.getByRole("option", { name: /label: bug/ });
    await bug.getByText("1").waitFor();
    await tapElement(phone, bug);
    await phone.getByRole("link", { name: "Two of two" }).waitFor({ state: "detached" });
    expect(new URL(phone.url()).search).to.equal("?team=TINY&label=bug");
    await field.fill("-label:bug");
    await phone.keyboard.press("Enter");
    await phone.getByText("No matching issues").waitFor();
    await phone.getByRole("button", { name: "Remove filter: label" }).first().click();
    await phone.getByRole("link", { name: "Two of two" }).waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("reports an invalid filter value with the valid values, and ignores the filter", async () => {
    const { page } = await open("/issues?team=TINY&created=soon");
    await page.getByRole("alert").filter({ hasText: "soon" }).waitFor();
    await sum(page, "2 issues");
  });

  it("groups, sorts and folds according to the address", async () => {
    const sorted = await createWorkspaceIn(web.tenant, "SORT");
    await make(3, (n) => ({ title: `Sorted ${n}`, teamId: sorted.teamId, priority: [3, 1, 0][n] }));
    const { page, problems } = await open("/issues?team=SORT&sort=priority&group=priority&created=1d");
    const heads = page.getByRole("table", { name: "Issues" }).getByRole("rowheader");
    await heads.nth(2).waitFor();
    const names = (await heads.allInnerTexts()).map((text) => text.replace(/\s*\d+\s*$/, "").trim());
    expect(names).to.deep.equal(["Urgent", "Medium", "No priority"]);
    const fold = page.getByRole("button", { name: /^Urgent, / });
    await page.getByRole("link", { name: "Sorted 1" }).waitFor();
    await clickElement(page, fold);
    await page.getByRole("link", { name: "Sorted 1" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Display" }).click();
    await pickOption(page, "Group by", "No grouping");
    await page.keyboard.press("Escape");
    await heads.first().waitFor({ state: "detached" });
    await rows(page).nth(2).waitFor();
    expect(await rows(page).allInnerTexts()).to.deep.equal(["Sorted 1", "Sorted 0", "Sorted 2"]);
    expect(problems).to.deep.equal([]);
  });

  it("moves a card of the board by pointer and by keyboard, and undoes the move", async () => {
    const board = await createWorkspaceIn(web.tenant, "BRD");
    const { id } = await board.issue({ title: "A card" });
    await board.issue({ title: "Another card", stateId: board.states["Todo"] });
    const { page, problems } = await open("/issues?team=BRD&layout=board");
    const lane = (name: string) => page.getByRole("region", { name, exact: true });
    const card = (name: string) => lane(name).locator(".icard", { hasText: "A card" });
    await card("Backlog").waitFor();
    await dragElement(page, card("Backlog"), lane("In Progress"));
    await card("In Progress").waitFor();
    await page.getByText(/BRD-1 moved to In Progress/).waitFor();
    expect(await stateOf(id)).to.equal("In Progress");
    await page.getByRole("button", { name: "Undo" }).click();
    await card("Backlog").waitFor();
    await page.getByText("1 issue restored.").waitFor();
    expect(await stateOf(id)).to.equal("Backlog");
    await card("Backlog").getByRole("link").focus();
    await page.keyboard.press("Shift+ArrowRight");
    await card("Todo").waitFor();
    await page.getByText(/BRD-1 moved to Todo/).waitFor();
    await page.keyboard.press("z");
    await card("Backlog").waitFor();
    expect(await stateOf(id)).to.equal("Backlog");
    expect(problems).to.deep.equal([]);
  });

  it("moves from an issue to the next in its list by pointer and keyboard, and back to the last read row", async () => {
    const trail = await createWorkspaceIn(web.tenant, "TRL");
    for (const title of ["One", "Two", "Three"]) await trail.issue({ title });
    const { page, problems } = await open("/issues?team=TRL&sort=title.up");
    await rows(page).nth(2).waitFor();
    const order = await rows(page).allInnerTexts();
    const reads = (at: number) => page.getByRole("heading", { level: 1, name: new RegExp(`^${order[at]}`) }).waitFor();
    const step = (name: string) => page.getByRole("button", { name, exact: true });
    await clickElement(page, rows(page).first());
    await reads(0);
    await page.getByText("1 of 3", { exact: true }).waitFor();
    await page.getByText(/Olive Owner created the issue .*\.$/).waitFor();
    expect(await step("Previous issue").isDisabled()).to.equal(true);
    await clickElement(page, step("Next issue"));
    await reads(1);
    await page.keyboard.press("j");
    await reads(2);
    expect(await step("Next issue").isDisabled()).to.equal(true);
    await page.keyboard.press("k");
    await reads(1);
    await page.keyboard.press("Escape");
    await page.waitForURL("**/issues?team=TRL&sort=title.up");
    await page.locator('tr[aria-selected="true"]', { hasText: order[1] as string }).waitFor();
    await page.keyboard.press("Enter");
    await reads(1);
    await page.getByText("2 of 3", { exact: true }).waitFor();
    await page.goto(web.tenant.url + new URL((await trail.read("TRL-1")).url).pathname);
    await reads(order.indexOf("One"));
    expect(await step("Next issue").count()).to.equal(0);
    expect(problems).to.deep.equal([]);
  });

  it("changes all selected issues at once, and undoes only what nobody has changed since", async () => {
    const bulk = await createWorkspaceIn(web.tenant, "BULK");
    const ids: string[] = [];
    for (let n = 0; n < 4; n += 1) ids.push((await bulk.issue({ title: `Bulk ${n}`, priority: n })).id);
    const { page, problems } = await open("/issues?team=BULK&sort=title");
    await page.getByRole("link", { name: "Bulk 3" }).waitFor();
    await page.getByLabel("Select BULK-1").check();
    await page.keyboard.press("Shift+X");
    await page.getByText("2 selected").waitFor();
    await page.getByLabel("Select BULK-4").check();
    await page.keyboard.press("p");
    await page.getByRole("option", { name: "Urgent" }).click();
    await page.getByText("3 issues set to Urgent.").waitFor();
    const priorities = async () =>
      Promise.all(ids.map(async (id) => (await retryWhileBusy(() => space.read(id))).priority));
    expect(await priorities()).to.deep.equal([1, 1, 2, 1]);
    await bulk.does("issueUpdate", { id: ids[3], input: { title: "Bulk 3, changed" } });
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("2 issues restored; BULK-4 was changed in the meantime.").waitFor();
    expect(await priorities()).to.deep.equal([0, 1, 2, 1]);
    await page.keyboard.press("Escape");
    await page.getByRole("toolbar").waitFor({ state: "detached" });
    expect(problems).to.deep.equal([]);
  });

  it("names the changed and the unchanged issues when the connection to the server is lost during a change", async () => {
    const cut = await createWorkspaceIn(web.tenant, "CUT");
    const ids: string[] = [];
    for (const name of ["Done", "Todo", "Todo"]) {
      ids.push((await cut.issue({ title: `Cut ${ids.length}`, stateId: cut.states[name] })).id);
    }
    const proof = { commands: ["npm test"], required: true };
    await cut.does("teamUpdate", { id: cut.teamId, input: { proof } });
    const { page } = await open("/issues?team=CUT&state=all&sort=title&group=none");
    await rows(page).nth(2).waitFor();
    await page.getByLabel("Select CUT-1").check();
    await page.keyboard.press("Shift+X");
    await page.keyboard.press("Shift+X");
    await page.getByText("3 selected").waitFor();
    let sent = 0;
    await page.route("**/graphql", (route) => {
      const last = route.request().postData()?.includes("issueUpdate(") && ++sent === 3;
      return last ? route.abort() : route.continue();
    });
    await page.keyboard.press("s");
    await clickElement(page, page.getByRole("option", { name: "Done" }));
    await page.getByText(/^CUT-1 moved to Done; CUT-2, CUT-3 not: /).waitFor();
    expect(await Promise.all(ids.map(stateOf))).to.deep.equal(["Done", "Todo", "Todo"]);
  });

  it("shows a message for an empty list, and for more issues than can be changed at once", async () => {
    const { page } = await open("/issues?team=NONE");
    await page.getByText("No matching issues").waitFor();
    await page.goto(`${web.tenant.url}/issues?team=OPS&group=none`);
    await rows(page).nth(49).waitFor();
    await page.getByRole("button", { name: /^Show \d+ more/ }).click();
    await rows(page).nth(99).waitFor();
    await page.keyboard.press("j");
    for (let n = 0; n < 51; n += 1) await page.keyboard.press("Shift+X");
    await page.getByText("52 selected").waitFor();
    expect(await page.getByRole("toolbar").getByRole("button", { name: "Priority" }).isDisabled()).to.equal(true);
    await page.keyboard.press("p");
    await page.getByText("You can change up to 50 issues at once").waitFor();
  });
});
