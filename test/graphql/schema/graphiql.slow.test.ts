import { expect } from "chai";
import type { Browser } from "playwright-core";
import { closePages, hasBrowser, sharedBrowser, watchedPage } from "../../support/web/browser.ts";
import { freshWorkspace, type Workspace } from "../../support/workspace.ts";

/** Each test has a browser of its own: GraphiQL writes its tabs once more when it is left, and another test would find them. */
describe("GraphiQL", function () {
  this.timeout(180_000);
  let browser: Browser | undefined;
  let space: Workspace;
  before(async () => {
    space = await freshWorkspace();
  });
  after(() => closePages(browser));

  it("is shown to browsers at GET /graphql, whole from this server, with the budget's headers", async () => {
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

  it("stays out of the way of clients: a GET with a query is answered, whatever it accepts", async () => {
    const headers = { Accept: "text/html", Authorization: space.apiKey };
    const response = await fetch(`${space.url}/graphql?query={__typename}`, { headers });
    expect(await response.json()).to.deep.equal({ data: { __typename: "Query" } });
  });

  it("signs in with a key, shows the schema and runs a query", async function () {
    if (!hasBrowser()) return this.skip();
    await space.issue({ title: "Seen in a browser" });
    browser = await sharedBrowser();
    const { page, problems } = await watchedPage(await browser.newContext(), space.url);
    await page.goto(`${space.url}/graphql`);
    await page.getByLabel("Personal key or access token").fill(space.apiKey);
    await page.getByRole("button", { name: "Use" }).click();
    await page.getByText("Signed in as Olive Owner").waitFor();
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
    it(`${shows ? "shows" : "does not show"} the names that only Linear's clients ask for at ${path}`, async function () {
      if (!hasBrowser()) return this.skip();
      browser ??= await sharedBrowser();
      const { page, problems } = await watchedPage(await browser.newContext(), space.url);
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
