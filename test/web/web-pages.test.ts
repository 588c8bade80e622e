import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { sendEvents } from "../../bench/web/sessions.ts";
import { LOOKS, lookAt, violations } from "../support/axe.ts";
import { HOSTILE } from "../support/hostile-texts.ts";
import { freshOrganization, type Tenant } from "../support/server.ts";
import { inBrowser } from "../support/web.ts";
import { makeWorld, type World } from "../support/web-world.ts";

type Shown = [path: string, ready: (page: Page) => Promise<unknown>];

/** The pages of tools, users, issues and settings, and what stands on each of them once it is read. */
function pagesOf({ tool, userId, path, projectPath, labelId }: World, { urlKey }: Tenant): Shown[] {
  const table = (name: string) => (page: Page) => page.getByRole("table", { name, exact: true }).first().waitFor();
  const heading = (name: string) => (page: Page) => page.getByRole("heading", { name, exact: true }).first().waitFor();
  return [
    ["/tools", table("Tools")],
    [`/tools/${tool}`, table("Failure groups")],
    ["/failures?state=all", table("Failure groups")],
    ["/usage?by=agent", table("Usage")],
    ["/users", table("Users")],
    [`/users/${encodeURIComponent(userId)}`, table("Sessions of the user")],
    ["/issues", table("Issues")],
    [path, (page) => page.getByRole("region", { name: "Issue" }).locator("strong").first().waitFor()],
    [projectPath, table("Issues")],
    ["/issues?layout=board", (page) => page.locator(".icard").first().waitFor()],
    ["/projects", table("Projects")],
    ["/cycles", heading("No cycles")],
    [`/${urlKey}/team/ENG`, table("Issues")],
    [`/${urlKey}/settings/labels/${labelId}`, table("Issues")],
    [`/${urlKey}/issue/ENG-9999`, heading("It is not here")],
    ["/nobody-here/issue/ENG-1", heading("Another organization")],
    ["/settings/profile", heading("Profile")],
    ["/settings/keys", table("Personal keys")],
    ["/settings/connections", heading("No program is connected")],
    ["/settings/organization", heading("Organization")],
    ["/settings/members", table("Members")],
    ["/settings/sign-in", (page) => page.getByLabel("Issuer").waitFor()],
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

/** Texts of the address: each is shown as a condition that can be taken off. */
const conditions = `/sessions?${new URLSearchParams(
  HOSTILE.slice(0, 20).map((text, n): [string, string] => [`trait.t${n}`, text.slice(0, 200)]),
)}`;

/** More pages on which data stands, when it is hostile. */
function hostilePagesOf({ hostile, userId }: World): Shown[] {
  const heading = (page: Page) => page.getByRole("heading", { level: 1 }).first().waitFor();
  const palette = async (page: Page) => {
    const field = page.getByRole("combobox", { name: /Search/ });
    if (!(await field.isVisible())) await page.keyboard.press("Control+k");
    await field.fill("script");
    await page.getByRole("option").filter({ hasText: "script" }).nth(3).waitFor();
  };
  return [
    ["/sessions", (page) => page.getByRole("table", { name: "Sessions" }).waitFor()],
    [conditions, (page) => page.locator(".chip").nth(19).waitFor()],
    [`/users/${encodeURIComponent(hostile?.user ?? userId)}`, (page) => page.getByRole("table").first().waitFor()],
    [`/tools/${encodeURIComponent(hostile?.tool ?? "")}`, heading],
    [`/issues?state=all&q=${encodeURIComponent("script")}`, (page) => page.getByRole("table").first().waitFor()],
    ["/settings/profile", palette],
  ];
}

const STRANGE = `main :is(script, iframe, style, object, embed, img, form[action], base, a[href^="javascript:" i],
  a[href^="data:" i], a[href^="vbscript:" i])`;
const BOXES = "main, .scroll, .page, .body, .props, .card, .cmt, .col";

/** The harm of a hostile text to a page, a line each. */
async function harm(page: Page): Promise<string[]> {
  const [ran, wide, alien, spilt] = (await page.evaluate(`[window.__ran ?? {}.polluted,
    document.documentElement.scrollWidth - innerWidth, document.querySelectorAll(${JSON.stringify(STRANGE)}).length,
    [...document.querySelectorAll("${BOXES}")].filter((one) => one.scrollWidth > one.clientWidth + 1)
      .map((one) => one.className || one.tagName)]`)) as [unknown, number, number, string[]];
  return [
    ...(ran ? ["something ran"] : []),
    ...(wide > 0 ? [`is ${wide} px too wide`] : []),
    ...spilt.map((place) => `spills out of ${place}`),
    ...(alien > 0 ? [`holds ${alien} elements that no page of ours makes`] : []),
  ];
}

describe("the web app's pages of tools, users, issues and settings", function () {
  this.timeout(240_000);
  const web = inBrowser();

  /** Goes through pages in some looks, and says what was wrong, a line each. */
  const walk = async (page: Page, pages: Shown[], looks: typeof LOOKS, found: typeof violations) => {
    const wrong: string[] = [];
    for (const [path, ready] of pages) {
      await page.goto(web.tenant.url + path);
      for (const look of looks) {
        await lookAt(page, look);
        await ready(page);
        for (const each of await found(page, look)) wrong.push(`${path} ${look.width} ${look.theme} ${each}`);
      }
    }
    return wrong;
  };

  it("have nothing that axe finds, in both themes, wide and narrow", async () => {
    const world = await makeWorld(web.tenant);
    await web.tenant.rest("POST", "/api/webhooks", { target: "http://127.0.0.1:9/hook", label: "ci" });
    const { page, problems } = await web.open("/settings/profile");
    const wrong = await walk(page, pagesOf(world, web.tenant), LOOKS, violations);
    expect([wrong, problems]).to.deep.equal([[], []]);
  });

  it("show hostile texts as texts: nothing runs, nothing breaks the layout", async () => {
    const tenant = await freshOrganization();
    const world = await makeWorld(tenant, HOSTILE);
    for (const text of HOSTILE.slice(0, 5))
      await tenant.rest("POST", "/api/webhooks", { target: "http://127.0.0.1:9/hook", label: text });
    const { page, problems } = await web.open("/settings/profile", tenant);
    const looks = LOOKS.filter(({ theme }) => theme === "light");
    const wrong = await walk(page, [...pagesOf(world, tenant), ...hostilePagesOf(world)], looks, harm);
    expect([wrong, problems]).to.deep.equal([[], []]);
  });

  it("show a hostile first event on the page that waits for it", async () => {
    const tenant = await freshOrganization();
    const { page, problems } = await web.open("/connect", tenant);
    await page.getByText("Waiting for the first event").waitFor();
    const common = { event_id: randomUUID(), session_id: randomUUID(), result: "", latency: 1 };
    const args = HOSTILE.join("\n").slice(0, 100_000);
    await sendEvents(tenant.url, tenant.ingestKey, [{ ...common, primitive_name: HOSTILE[1]?.slice(0, 200), args }]);
    await page.getByText("First event received").waitFor();
    expect([await harm(page), problems]).to.deep.equal([[], []]);
  });
});
