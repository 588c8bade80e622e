import { expect } from "chai";
import type { Page } from "playwright-core";
import { setUpBrowserTests } from "../support/web/web.ts";

const MINUTE_MS = 60_000;

describe("a read refused with 429", () => {
  const web = setUpBrowserTests();

  /** Opens the tools page while the server responds to its reads with 429 and this header, until `letGo` is called. */
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
    await passes(page, 0); // Waits until all requests that the page sent with the refused read have reached the network.
    const first = asked;
    return {
      page,
      again: () => asked - first,
      letGo: () => {
        busy = false;
      },
    };
  }
  /** Advances the clock of the page, then waits until the requests that this caused have reached the network. */
  const passes = async (page: Page, ms: number) => {
    await page.clock.fastForward(ms);
    await page.evaluate("fetch('/health').then(() => undefined)");
  };
  const nothingYet = (page: Page) => page.getByRole("alert").waitFor({ state: "detached" });

  it("repeats once the pause of Retry-After is over, and not before", async () => {
    const { page, again, letGo } = await refused("120");
    letGo();
    await passes(page, 1.5 * MINUTE_MS);
    expect(again()).to.equal(0);
    await passes(page, MINUTE_MS);
    await nothingYet(page);
    expect(again()).to.be.at.least(1);
  });

  it("repeats after ten minutes if Retry-After is longer", async () => {
    const { page, again, letGo } = await refused("86400");
    letGo();
    await passes(page, 9 * MINUTE_MS);
    expect(again()).to.equal(0);
    await passes(page, 2 * MINUTE_MS);
    await nothingYet(page);
    expect(again()).to.be.at.least(1);
  });
});
