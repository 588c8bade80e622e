import { expect } from "chai";
import { routes } from "../../server/control/routes.ts";
import { callRestApi } from "../support/server.ts";
import { openContext, openWatchedPage } from "../support/web/browser.ts";
import { setUpBrowserTests } from "../support/web/web.ts";

describe("the API reference in a browser", () => {
  const web = setUpBrowserTests();
  const open = async (path: string) => {
    const watched = await openWatchedPage(await openContext(web.browser), web.tenant.url);
    await watched.page.goto(web.tenant.url + path);
    return watched;
  };

  it("shows every endpoint, loaded from this server alone", async () => {
    const { paths } = (await callRestApi(web.tenant.url, "GET", "/api/openapi.json")).body;
    const documented = Object.entries(paths as object).flatMap(([path, verbs]) => Object.keys(verbs).map(() => path));
    const { page, problems } = await open("/api/docs");
    await page
      .locator(".opblock")
      .nth(documented.length - 1)
      .waitFor();
    const shown = await page
      .locator(".opblock-summary-path")
      .evaluateAll((all) => all.map((one) => one.getAttribute("data-path")));
    expect(shown).to.have.members(documented);
    expect(shown).to.include.members(routes.map(({ path }) => path.replace(/:(\w+)/g, "{$1}")));
    expect(problems).to.deep.equal([]);
  });

  it("sends a request and shows the response", async () => {
    const { page, problems } = await open("/api/docs");
    const health = page.locator("#operations-Health-getHealth");
    await health.locator(".opblock-summary").click();
    await health.getByRole("button", { name: "Execute" }).click();
    expect(await health.locator(".live-responses-table .response .response-col_status").first().innerText()).to.contain(
      "200",
    );
    expect(await health.locator(".live-responses-table .highlight-code").first().innerText()).to.contain(
      '"database": "ok"',
    );
    expect(problems).to.deep.equal([]);
  });
});
