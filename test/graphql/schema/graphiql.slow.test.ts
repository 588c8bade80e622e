import { expect } from "chai";
import type { Browser } from "playwright-core";
import { hasBrowser, openWatchedPage, releaseContexts, startSharedBrowser } from "../../support/web/browser.ts";
import { createWorkspace, type Workspace } from "../../support/workspace.ts";

/**
 * Each test uses a separate browser. GraphiQL stores its tabs when the page closes, and another test would see them.
 */
describe("GraphiQL", () => {
  let browser: Browser | undefined;
  let space: Workspace;
  before(async () => {
    space = await createWorkspace();
  });
  after(() => releaseContexts(browser));

  it("is served to browsers at GET /graphql, from this server alone, with the budget's headers", async () => {
    const page = await fetch(`${space.url}/graphql`, {
      headers: { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" },
    });
    const html = await page.text();
    const assets = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path);
    const statuses = await Promise.all(assets.map(async (path) => (await fetch(space.url + path)).status));
    expect([page.status, page.headers.get("X-RateLimit-Requests-Remaining")]).to.deep.equal([200, "5000"]);
    expect(page.headers.get("Content-Security-Policy")).to.match(/^default-src 'none'; script-src 'self';/);
    expect(html).not.to.match(/https?:\/\//);
    expect(statuses).to.deep.equal(assets.map(() => 200));
  });

  it("is not served to clients: GET with a query gets a response for any Accept header", async () => {
    const headers = { Accept: "text/html", Authorization: space.apiKey };
    const response = await fetch(`${space.url}/graphql?query={__typename}`, { headers });
    expect(await response.json()).to.deep.equal({ data: { __typename: "Query" } });
  });

  it("signs in with a key, shows the schema and runs a query", async function () {
    if (!hasBrowser()) return this.skip();
    await space.issue({ title: "Seen in a browser" });
    browser = await startSharedBrowser();
    const { page, problems } = await openWatchedPage(await browser.newContext(), space.url);
    await page.goto(`${space.url}/graphql`);
    await page.getByLabel("Personal key or access token").fill(space.apiKey);
    await page.getByRole("button", { name: "Use" }).click();
    await page.getByText("Signed in as Olive Owner").waitFor();
    // GraphiQL loads its editors last and runs nothing before.
    await page.locator(".graphiql-query-editor .CodeMirror").getByText("viewer").first().waitFor();
    await page.locator(".result-window .CodeMirror").waitFor();
    await page.getByRole("button", { name: /Execute query/ }).click();
    await page.locator(".result-window").getByText("Seen in a browser").waitFor();
    await page.getByRole("button", { name: "Show Documentation Explorer" }).click();
    await page.getByRole("link", { name: "Query" }).first().waitFor();
    expect(problems).to.deep.equal([]);
  });

  for (const [path, shows] of [
    ["/graphql", false],
    ["/graphql?schema=linear", true],
  ] as const) {
    it(`${shows ? "shows" : "does not show"} the names of Linear's API at ${path}`, async function () {
      if (!hasBrowser()) return this.skip();
      browser ??= await startSharedBrowser();
      const { page, problems } = await openWatchedPage(await browser.newContext(), space.url);
      const told = page.waitForResponse((response) => response.request().postData()?.includes("__schema") === true);
      await page.goto(space.url + path);
      await page.getByLabel("Personal key or access token").fill(space.apiKey);
      await page.getByRole("button", { name: "Use" }).click();
      const types: { name: string }[] = (await (await told).json()).data.__schema.types;
      expect(types.some(({ name }) => name === "Issue")).to.equal(true);
      expect(types.some(({ name }) => name === "ActorBot")).to.equal(shows);
      await page.close();
      expect(problems).to.deep.equal([]);
    });
  }
});
