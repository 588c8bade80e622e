import { expect } from "chai";
import type { Page } from "playwright-core";
import { generateSession, sendEvents } from "../../../bench/web/sessions.ts";
import { APPEARANCES, findViolations, setAppearance } from "../../support/web/axe.ts";
import { clickElement, tapElement } from "../../support/web/pointer.ts";
import { setUpBrowserTests } from "../../support/web/web.ts";

const EVENTS = 1_500;
const NEEDLES = [200, 700, 1_400];

describe("a session's log", () => {
  const events = generateSession({ seed: "log", events: EVENTS, begin: Date.now() - 7_200_000, failEvery: 100 });
  for (const at of NEEDLES) Object.assign(events[at] as object, { result: "a Needle in the hay" });
  const web = setUpBrowserTests(({ url, ingestKey }) => sendEvents(url, ingestKey, events));
  const path = `/sessions/${events[0]?.session_id}/log`;
  const bar = (page: Page) => page.getByRole("search", { name: "Find and filter" });
  const logOf = (page: Page, rows: number) => page.locator(`.log[aria-rowcount="${rows + 1}"]`);
  const rowsOf = async (page: Page) =>
    Number(await page.getByRole("table", { name: "Log" }).getAttribute("aria-rowcount")) - 1;
  const chosen = (page: Page) => page.locator('.log tr[aria-selected="true"] a').getAttribute("href");
  const opened = async (page: Page, query = "") => {
    await page.goto(`${web.tenant.url}${path}${query}`);
    await logOf(page, EVENTS).waitFor();
  };

  it("finds a text, and steps through its matches by keyboard alone, wrapping around both ends", async () => {
    const { page, problems } = await web.open("/connect");
    await opened(page);
    await page.keyboard.press("/");
    await page.keyboard.type("needle");
    await bar(page).getByText("0 of 3", { exact: true }).waitFor();
    const hrefs: (string | null)[] = [];
    for (const place of ["1 of 3", "2 of 3", "3 of 3", "1 of 3"]) {
      await page.keyboard.press("Enter");
      await bar(page).getByText(place, { exact: true }).waitFor();
      hrefs.push(await chosen(page));
    }
    const hrefOf = (at: number | undefined) =>
      `/sessions/${events[0]?.session_id}/events/${events[at ?? -1]?.event_id}`;
    expect(hrefs).to.deep.equal([...NEEDLES, NEEDLES[0]].map(hrefOf));
    await page.keyboard.press("Shift+Enter");
    await bar(page).getByText("3 of 3", { exact: true }).waitFor();
    expect(await page.locator('.log tr[aria-selected="true"]').isVisible()).to.equal(true);
    await clickElement(page, bar(page).getByRole("button", { name: "Only matches" }));
    await logOf(page, NEEDLES.length).waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("filters by kind, tool, failure and words in the address, and restores the filter when reopened", async () => {
    const { page, problems } = await web.open("/connect");
    await opened(page);
    const count = (fits: (event: (typeof events)[number]) => boolean) => events.filter(fits).length;
    await clickElement(page, bar(page).getByRole("button", { name: /^Tool:/ }));
    await page.getByRole("dialog", { name: "Tool" }).getByRole("combobox").fill("bash");
    await page.keyboard.press("Enter");
    await page.waitForURL(/tool=Bash/);
    expect(await rowsOf(page)).to.equal(count(({ primitive_name }) => primitive_name === "Bash"));
    await page.keyboard.press("x");
    await page.waitForURL(/failed=1/);
    const failed = count(({ primitive_name, success }) => primitive_name === "Bash" && !success);
    expect(await rowsOf(page)).to.equal(failed);
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    const before = await chosen(page);
    await page.keyboard.press("Enter");
    await page.getByRole("complementary", { name: "Event" }).waitFor();
    await page.goBack();
    await page.locator('.log tr[aria-selected="true"]').waitFor();
    expect([await chosen(page), await rowsOf(page)]).to.deep.equal([before, failed]);
    await page.setViewportSize({ width: 375, height: 812 });
    await tapElement(page, bar(page).getByRole("button", { name: "Model" }));
    await page.waitForURL(/kind=turn%2Ctool%2Csubagent/);
    await page.goto(`${web.tenant.url}${path}?tool=nothing&kind=bogus&q=`);
    await tapElement(page, page.getByRole("button", { name: "Show all events" }));
    await logOf(page, EVENTS).waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("has no axe violations and no horizontal scrolling", async () => {
    const { page, problems } = await web.open("/connect");
    for (const look of APPEARANCES) {
      await setAppearance(page, look);
      await opened(page, "?q=needle");
      await bar(page).getByText("0 of 3", { exact: true }).waitFor();
      expect(await findViolations(page, look), `${look.width} ${look.theme}`).to.deep.equal([]);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).to.be.at.most(0);
    }
    expect(problems).to.deep.equal([]);
  });
});
