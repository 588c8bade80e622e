import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { sendEvents } from "../../bench/web/sessions.ts";
import { HOSTILE_TEXTS } from "../support/hostile/hostile-texts.ts";
import { createOrganization } from "../support/server.ts";
import { APPEARANCES, findViolations, setAppearance } from "../support/web/axe.ts";
import { setUpBrowserTests } from "../support/web/web.ts";
import { addRemainingEntities, findAddressShape, listAddresses } from "../support/web/web-routes.ts";
import { findKeyboardFaults } from "../support/web/web-steps.ts";
import {
  findNotFoundFault,
  findPageFaults,
  loadAddress,
  openCountedPage,
  readLinks,
  visitAddresses,
} from "../support/web/web-visit.ts";
import { createWorld } from "../support/web/web-world.ts";

/**
 * Hostile texts in the address. The page shows each text as a removable condition. A request compares at most 20
 * texts.
 */
const CONDITIONS = [0, 5, 10, 15].map((from) => {
  const texts = HOSTILE_TEXTS.slice(from, from + 5);
  return `/sessions?${new URLSearchParams(texts.map((text, n): [string, string] => [`trait.t${n}`, text.slice(0, 200)]))}`;
});

/**
 * Texts that render as each kind of element: plain text, link, image, code, table, heading and a line that is too
 * long.
 */
const EACH_KIND = HOSTILE_TEXTS.filter((text, at) => at < 3 || /^(\[click|!\[|<https|`|\||#|W)/.test(text));

/** A window of 1280 by 900 at 200 % zoom. */
const TWICE = { width: 640, height: 450 };

describe("every route of the web app, in every theme and width", function () {
  this.timeout(400_000);
  let paths: string[];
  const web = setUpBrowserTests(async (tenant) => {
    const world = await createWorld(tenant, HOSTILE_TEXTS);
    await addRemainingEntities(tenant, world);
    paths = [...(await listAddresses(tenant, world)), ...CONDITIONS];
  });

  it("has no fault with every hostile text, wide, narrow and at 200 % zoom", async () => {
    const { page, problems } = await openCountedPage(web, web.tenant);
    // Only axe distinguishes the themes. Axe checks each page at one width, because most texts render the same
    // elements.
    const light = APPEARANCES.filter(({ theme }) => theme === "light");
    const looks = light.length > 0 ? light : APPEARANCES;
    let at = 0;
    const wrong = await visitAddresses(page, paths, async () => {
      const found: string[] = [];
      const read = looks[at++ % looks.length];
      for (const look of looks) {
        await setAppearance(page, look);
        const faults = [...(await findPageFaults(page)), ...(look === read ? await findViolations(page, look) : [])];
        for (const each of faults) found.push(`${look.width} ${each}`);
      }
      await page.setViewportSize(TWICE);
      return [...found, ...(await findPageFaults(page))];
    });
    expect([wrong, problems], wrong.join("\n")).to.deep.equal([[], []]);
  });

  it("has no axe violations with text of each kind, in both themes, wide and narrow", async () => {
    const tenant = await createOrganization();
    const world = await createWorld(tenant, EACH_KIND);
    await addRemainingEntities(tenant, world);
    const { page, problems } = await openCountedPage(web, tenant);
    const wrong = await visitAddresses(page, await listAddresses(tenant, world), async () => {
      const found: string[] = [];
      for (const look of APPEARANCES) {
        await setAppearance(page, look);
        for (const each of await findViolations(page, look)) found.push(`${look.width} ${look.theme} ${each}`);
      }
      return found;
    });
    expect([wrong, problems], wrong.join("\n")).to.deep.equal([[], []]);
  });

  it("shows hostile texts as plain text in palette results and in a first event", async () => {
    const { page, problems } = await openCountedPage(web, web.tenant);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: /Search/ }).fill("script");
    await page.getByRole("option").filter({ hasText: "script" }).nth(3).waitFor();
    const found = await findPageFaults(page);
    const other = await createOrganization();
    const connect = await openCountedPage(web, other, "/connect");
    await connect.page.getByText("Waiting for the first event").waitFor();
    const common = { event_id: randomUUID(), session_id: randomUUID(), result: "", latency: 1 };
    const args = HOSTILE_TEXTS.join("\n").slice(0, 100_000);
    await sendEvents(other.url, other.ingestKey, [
      { ...common, primitive_name: HOSTILE_TEXTS[1]?.slice(0, 200), args },
    ]);
    await connect.page.getByText("First event received").waitFor();
    found.push(...(await findPageFaults(connect.page)));
    expect([found, problems, connect.problems]).to.deep.equal([[], [], []]);
  });

  it("does not shift its layout during the first load, 375 px wide", async () => {
    const { page, problems } = await openCountedPage(web, web.tenant);
    await page.setViewportSize({ width: 375, height: 800 });
    expect([await arrivals(page, findPageFaults), problems]).to.deep.equal([[], []]);
  });

  // One test for three properties, because loading the page takes the most time.
  it("has a stable layout at 1280 px, a Tab stop for each control, and no dead link of any form", async () => {
    const { page, problems } = await openCountedPage(web, web.tenant);
    await page.setViewportSize({ width: 1280, height: 800 });
    const links = new Map<string, string>();
    const wrong = await arrivals(page, async () => {
      for (const link of await readLinks(page)) links.set(findAddressShape(link), link);
      return [...(await findPageFaults(page)), ...(await findKeyboardFaults(page))];
    });
    const followed = [...links.values()].filter((link) => !link.startsWith("/docs"));
    expect(followed.length).to.be.greaterThan(30);
    expect([wrong, await visitAddresses(page, followed, findNotFoundFault), problems]).to.deep.equal([[], [], []]);
  });

  /** Loads each address anew and returns the findings, one per line. */
  async function arrivals(page: Page, found: (page: Page) => Promise<string[]>): Promise<string[]> {
    const wrong: string[] = [];
    for (const path of paths) {
      await loadAddress(page, web.tenant.url + path);
      for (const fault of await found(page)) wrong.push(`${path} ${fault}`);
    }
    return wrong;
  }

  it("has no fault without recordings and issues", async () => {
    const empty = await createOrganization();
    const { page, problems } = await openCountedPage(web, empty);
    await page.setViewportSize(TWICE);
    const wrong = await visitAddresses(page, await listAddresses(empty), async () => [
      ...(await findPageFaults(page)),
      ...(await findViolations(page)),
    ]);
    expect([wrong, problems]).to.deep.equal([[], []]);
  });
});
