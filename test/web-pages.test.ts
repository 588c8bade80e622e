import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect } from "chai";
import type { Browser, Page } from "playwright-core";
import { hasBrowser, startBrowser } from "./support/browser.ts";
import { freshOrganization, type Tenant } from "./support/server.ts";
import { openSignedIn } from "./support/web.ts";
import { HOSTILE, makeWorld, type World } from "./support/web-world.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds wrong on a page, a line each. */
async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  return page.evaluate(`axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ html, failureSummary }) =>
      id + ": " + html.slice(0, 140) + " " + failureSummary.replace(/\\s+/g, " ").slice(0, 160))))`);
}

type Shown = [path: string, ready: (page: Page) => Promise<unknown>];

/** The pages of tools, users, issues and settings, and what stands on each of them once it is read. */
function pagesOf({ tool, userId, path, projectPath, labelId }: World, { urlKey }: Tenant): Shown[] {
  const table = (name: string) => (page: Page) => page.getByRole("table", { name, exact: true }).first().waitFor();
  const heading = (name: string) => (page: Page) => page.getByRole("heading", { name, exact: true }).first().waitFor();
  return [
    ["/tools", table("Tools")],
    [`/tools/${tool}`, table("Failure groups")],
    ["/users", table("Users")],
    [`/users/${encodeURIComponent(userId)}`, table("Sessions of the user")],
    ["/issues", table("Issues")],
    [path, (page) => page.getByRole("region", { name: "Issue" }).locator("strong").first().waitFor()],
    [projectPath, table("Issues")],
    [`/${urlKey}/team/ENG`, table("Issues")],
    [`/${urlKey}/settings/labels/${labelId}`, table("Issues")],
    [`/${urlKey}/issue/ENG-9999`, heading("It is not here")],
    ["/nobody-here/issue/ENG-1", heading("Another organization")],
    ["/settings/profile", heading("Profile")],
    ["/settings/keys", table("Personal keys")],
    ["/settings/connections", heading("No program is connected")],
    ["/settings/organization", heading("Organization")],
    ["/settings/members", table("Members")],
    ["/settings/ingest-keys", table("Ingest keys")],
    ["/settings/webhooks", heading("Deliveries")],
    ["/settings/audit", table("Audit log")],
    [
      "/settings/limits",
      (page) =>
        page
          .getByText(/^Requests are not limited|used in/)
          .first()
          .waitFor(),
    ],
  ];
}

const SIZES = [1440, 375].flatMap((width) => (["light", "dark"] as const).map((theme) => ({ width, theme })));

describe("the web app's pages of tools, users, issues and settings", function () {
  this.timeout(180_000);
  let browser: Browser | undefined;
  before(async function () {
    if (!hasBrowser()) this.skip();
    browser = await startBrowser();
  });
  after(() => browser?.close());

  /** Goes through all pages at both widths and in both themes, and says what was wrong, a line each. */
  const walk = async (hostile: readonly string[], look: (page: Page, width: number) => Promise<string[]>) => {
    const tenant = await freshOrganization();
    const world = await makeWorld(tenant, hostile);
    await tenant.rest("POST", "/api/webhooks", { target: "http://127.0.0.1:9/hook", label: hostile[0] ?? "ci" });
    for (const text of hostile.slice(0, 5)) await tenant.rest("POST", "/api/ingest-keys", { name: text });
    const { page, problems } = await openSignedIn(browser as Browser, tenant, "/settings/profile");
    const wrong: string[] = [];
    for (const [path, ready] of pagesOf(world, tenant)) {
      await page.goto(tenant.url + path);
      for (const { width, theme } of SIZES) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
        await ready(page);
        for (const each of await look(page, width)) wrong.push(`${path} ${width} ${theme} ${each}`);
      }
    }
    expect(problems).to.deep.equal([]);
    return wrong;
  };

  it("have nothing that axe finds, in both themes, wide and narrow", async () => {
    expect(await walk([], violations)).to.deep.equal([]);
  });

  it("show hostile texts as texts: nothing runs, nothing breaks the layout", async () => {
    const wrong = await walk(HOSTILE, async (page, width) => {
      const [hit, wide, alien, spilt] = (await page.evaluate(`[window.__hit, document.documentElement.scrollWidth,
        document.querySelectorAll("main :is(script, iframe, style, object, embed, a[href^='javascript:' i], a[href^='data:' i], a[href^='vbscript:' i], img)").length,
        [...document.querySelectorAll("main, .scroll, .page, .body, .props, .card, .cmt, .col")].filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.className || one.tagName)]`)) as [
        unknown,
        number,
        number,
        string[],
      ];
      return [
        ...(hit ? ["something ran"] : []),
        ...(wide > width ? [`is ${wide} px wide`] : []),
        ...spilt.map((place) => `spills out of ${place}`),
        ...(alien > 0 ? [`holds ${alien} elements that no page of ours makes`] : []),
      ];
    });
    expect(wrong).to.deep.equal([]);
  });
});
