import { expect } from "chai";
import { findViolations } from "../../support/web/axe.ts";
import { HOSTILE_MARKUP, setUpSessionListTests } from "../../support/web/session-list.ts";
import { navigateWithin } from "../../support/web/web-visit.ts";

describe("the list of sessions", () => {
  const { web, begin, record, shows } = setUpSessionListTests();
  const { open } = web;

  it("sorts by its column heads in both directions, with the sort in the address, and returns to newest first", async () => {
    const { page, problems } = await open("/sessions");
    await shows(page, [4, 3, 2, 1, 0]);
    const head = (name: string) => page.getByRole("columnheader", { name }).getByRole("button");
    await head("Cost").click();
    await shows(page, [1, 3, 4, 0, 2]);
    await page.waitForURL((at) => at.search === "?sort=cost");
    await head("Cost").focus();
    await page.keyboard.press("Enter");
    await shows(page, [2, 0, 4, 3, 1]);
    expect(await page.getByRole("columnheader", { name: "Cost" }).getAttribute("aria-sort")).to.equal("ascending");
    await head("Failures").click();
    await shows(page, [4, 3, 2, 1, 0]);
    await navigateWithin(page, "/sessions?sort=duration.up");
    await shows(page, [0, 1, 2, 3, 4]);
    await head("Started").click();
    await shows(page, [4, 3, 2, 1, 0]);
    await page.goBack();
    await shows(page, [0, 1, 2, 3, 4]);
    expect(problems).to.deep.equal([]);
  });

  const filters: [search: string, sessions: number[]][] = [
    ["agent=other-agent", [4]],
    ["tool=Grep", [1]],
    ["user=user-2", [2]],
    ["trait.plan=pro", [3, 1]],
    ["meta.branch=main", [3]],
    ["failed=1", [4, 3, 2, 1]],
    ["failed=1&trait.plan=free&sort=cost", [4, 2]],
    [`from=${new Date(begin + 90_000).toISOString()}&to=${new Date(begin + 200_000).toISOString()}`, [3, 2]],
  ];
  it("reads every filter from the address, also after a reload", async () => {
    const { page, problems } = await open("/connect");
    for (const [search, expected] of filters) {
      await navigateWithin(page, `/sessions?${search}`);
      await shows(page, expected);
    }
    await page.reload();
    await shows(page, filters.at(-1)?.[1] ?? []);
    expect(problems).to.deep.equal([]);
  });

  it("finds a text in events of a time range, marks it, opens the event by keyboard, and shows the searched range", async () => {
    const { page, problems } = await open("/sessions");
    // Keys pressed before the page has rendered have no effect.
    await shows(page, [4, 3, 2, 1, 0]);
    await page.keyboard.press("/");
    await page.keyboard.type("needle");
    await page.keyboard.press("Enter");
    await page.getByText(/1 hit in \d+ events?, whole time range searched\./).waitFor();
    expect(await page.locator(".snippet mark").innerText()).to.equal("needle");
    expect(await page.locator(".snippet").innerText()).to.contain(HOSTILE_MARKUP);
    expect(await findViolations(page)).to.deep.equal([]);
    await page.locator("h1").click();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/sessions\/[0-9a-f-]+\/events\//);
    await navigateWithin(page, "/sessions?q=nowhere-at-all");
    await page.getByRole("heading", { name: "No matching events in this time range" }).waitFor();
    await navigateWithin(page, "/sessions?q=Question&user=user-3");
    await page.getByText(/^1 hit in/).waitFor();
    expect([await page.evaluate("window.__hit"), problems]).to.deep.equal([undefined, []]);
  });

  it("holds back a new session while the list is sorted, and shows it in place on request", async () => {
    const { page, problems } = await open("/sessions?sort=cost&user=user-9");
    await page.getByRole("heading", { name: "No matching sessions" }).waitFor();
    await record(9, Date.now() - 1_000);
    await page.getByRole("button", { name: /1 new session/ }).click();
    await shows(page, [9]);
    expect(problems).to.deep.equal([]);
  });
});
