import { expect } from "chai";
import type { Page } from "playwright-core";
import { inBrowser } from "../support/web/web.ts";

const MINUTE_MS = 60_000;

describe("a read that the server has no time for", function () {
  this.timeout(120_000);
  const web = inBrowser();

  /** Opens the tools while the server answers their reads with 429 and this header, until it is let go. */
  async function refused(retryAfter: string) {
    const { page } = await web.open("/connect");
    await page.clock.install();
    let [asked, busy] = [0, true];
    await page.route("**/graphql", (route) => {
      if (!(route.request().postData() ?? "").includes("recordedToolStats")) return route.fallback();
      asked += 1;
      const errors = [{ message: "All of the hour is used." }];
      return busy
        ? route.fulfill({ status: 429, headers: { "Retry-After": retryAfter }, json: { errors } })
        : route.fallback();
    });
    await page.goto(`${web.tenant.url}/tools`);
    await page.getByRole("alert").filter({ hasText: "All of the hour is used." }).first().waitFor();
    await passes(page, 0); // All that the page asked for together with that has reached the network too.
    const first = asked;
    return {
      page,
      again: () => asked - first,
      letGo: () => {
        busy = false;
      },
    };
  }
  /** Lets time pass on the page, and what it asks for then reach the network. */
  const passes = async (page: Page, ms: number) => {
    await page.clock.fastForward(ms);
    await page.evaluate("fetch('/health').then(() => undefined)");
  };
  const nothingYet = (page: Page) => page.getByRole("alert").waitFor({ state: "detached" });

  it("is asked for again once the pause is over that the server asks for, and not before", async () => {
    const { page, again, letGo } = await refused("120");
    letGo();
    await passes(page, 1.5 * MINUTE_MS);
    expect(again()).to.equal(0);
    await passes(page, MINUTE_MS);
    await nothingYet(page);
    expect(again()).to.be.at.least(1);
  });

  it("is asked for again after ten minutes, however long a pause the server asks for", async () => {
    const { page, again, letGo } = await refused("86400");
    letGo();
    await passes(page, 9 * MINUTE_MS);
    expect(again()).to.equal(0);
    await passes(page, 2 * MINUTE_MS);
    await nothingYet(page);
    expect(again()).to.be.at.least(1);
  });
});
