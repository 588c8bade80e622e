import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { sendEvents } from "../../bench/web/sessions.ts";
import { HOSTILE } from "../support/hostile/hostile-texts.ts";
import { freshOrganization } from "../support/server.ts";
import { LOOKS, lookAt, violations } from "../support/web/axe.ts";
import { inBrowser } from "../support/web/web.ts";
import { addressesOf, furnish, shapeOf } from "../support/web/web-routes.ts";
import { stepsOf } from "../support/web/web-steps.ts";
import { arrive, deadOf, faultsOf, linksOf, openCounted, walk } from "../support/web/web-visit.ts";
import { makeWorld } from "../support/web/web-world.ts";

/** Texts of the address: each is shown as a condition that can be taken off. A request compares 20 texts at most. */
const CONDITIONS = [0, 5, 10, 15].map((from) => {
  const texts = HOSTILE.slice(from, from + 5);
  return `/sessions?${new URLSearchParams(texts.map((text, n): [string, string] => [`trait.t${n}`, text.slice(0, 200)]))}`;
});

/** Texts of which pages make elements of each kind: plain text, links, images, code, a table, a heading and a line too long. */
const EACH_KIND = HOSTILE.filter((text, at) => at < 3 || /^(\[click|!\[|<https|`|\||#|W)/.test(text));

/** A window of 1280 by 900 at twice the size. */
const TWICE = { width: 640, height: 450 };

describe("every route of the web app, in every look", function () {
  this.timeout(400_000);
  let paths: string[];
  const web = inBrowser(async (tenant) => {
    const world = await makeWorld(tenant, HOSTILE);
    await furnish(tenant, world);
    paths = [...(await addressesOf(tenant, world)), ...CONDITIONS];
  });

  it("has no fault where every hostile text stands, wide, narrow and at twice the size", async () => {
    const { page, problems } = await openCounted(web, web.tenant);
    // Axe alone tells the themes apart. It reads each page in one width: most of these texts are the same elements.
    const light = LOOKS.filter(({ theme }) => theme === "light");
    const looks = light.length > 0 ? light : LOOKS;
    let at = 0;
    const wrong = await walk(page, paths, async () => {
      const found: string[] = [];
      const read = looks[at++ % looks.length];
      for (const look of looks) {
        await lookAt(page, look);
        const faults = [...(await faultsOf(page)), ...(look === read ? await violations(page, look) : [])];
        for (const each of faults) found.push(`${look.width} ${each}`);
      }
      await page.setViewportSize(TWICE);
      return [...found, ...(await faultsOf(page))];
    });
    expect([wrong, problems], wrong.join("\n")).to.deep.equal([[], []]);
  });

  it("has nothing that axe finds where a text of each kind stands, in both themes, wide and narrow", async () => {
    const tenant = await freshOrganization();
    const world = await makeWorld(tenant, EACH_KIND);
    await furnish(tenant, world);
    const { page, problems } = await openCounted(web, tenant);
    const wrong = await walk(page, await addressesOf(tenant, world), async () => {
      const found: string[] = [];
      for (const look of LOOKS) {
        await lookAt(page, look);
        for (const each of await violations(page, look)) found.push(`${look.width} ${look.theme} ${each}`);
      }
      return found;
    });
    expect([wrong, problems], wrong.join("\n")).to.deep.equal([[], []]);
  });

  it("shows hostile texts that the palette finds, and a hostile first event, as texts", async () => {
    const { page, problems } = await openCounted(web, web.tenant);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: /Search/ }).fill("script");
    await page.getByRole("option").filter({ hasText: "script" }).nth(3).waitFor();
    const found = await faultsOf(page);
    const other = await freshOrganization();
    const connect = await openCounted(web, other, "/connect");
    await connect.page.getByText("Waiting for the first event").waitFor();
    const common = { event_id: randomUUID(), session_id: randomUUID(), result: "", latency: 1 };
    const args = HOSTILE.join("\n").slice(0, 100_000);
    await sendEvents(other.url, other.ingestKey, [{ ...common, primitive_name: HOSTILE[1]?.slice(0, 200), args }]);
    await connect.page.getByText("First event received").waitFor();
    found.push(...(await faultsOf(connect.page)));
    expect([found, problems, connect.problems]).to.deep.equal([[], [], []]);
  });

  it("stands still while it is read for the first time, 375 px wide", async () => {
    const { page, problems } = await openCounted(web, web.tenant);
    await page.setViewportSize({ width: 375, height: 800 });
    expect([await arrivals(page, faultsOf), problems]).to.deep.equal([[], []]);
  });

  // All three are looked for on a page that was loaded: to load it takes longest.
  it("stands still, 1280 px wide; Tab goes from each control to the next, and a link of each form on each page leads somewhere", async () => {
    const { page, problems } = await openCounted(web, web.tenant);
    await page.setViewportSize({ width: 1280, height: 800 });
    const links = new Map<string, string>();
    const wrong = await arrivals(page, async () => {
      for (const link of await linksOf(page)) links.set(shapeOf(link), link);
      return [...(await faultsOf(page)), ...(await stepsOf(page))];
    });
    const followed = [...links.values()].filter((link) => !link.startsWith("/docs"));
    expect(followed.length).to.be.greaterThan(30);
    expect([wrong, await walk(page, followed, deadOf), problems]).to.deep.equal([[], [], []]);
  });

  /** Loads each address anew, and says what was found, a line each. */
  async function arrivals(page: Page, found: (page: Page) => Promise<string[]>): Promise<string[]> {
    const wrong: string[] = [];
    for (const path of paths) {
      await arrive(page, web.tenant.url + path);
      for (const fault of await found(page)) wrong.push(`${path} ${fault}`);
    }
    return wrong;
  }

  it("has none either where nothing is recorded and nothing planned", async () => {
    const empty = await freshOrganization();
    const { page, problems } = await openCounted(web, empty);
    await page.setViewportSize(TWICE);
    const wrong = await walk(page, await addressesOf(empty), async () => [
      ...(await faultsOf(page)),
      ...(await violations(page)),
    ]);
    expect([wrong, problems]).to.deep.equal([[], []]);
  });
});
