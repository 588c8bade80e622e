import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { HOSTILE_TEXTS } from "../support/hostile/hostile-texts.ts";
import { sample } from "../support/run/runs.ts";
import { findViolations } from "../support/web/axe.ts";
import { setUpBrowserTests } from "../support/web/web.ts";
import { addRemainingEntities, listAddresses } from "../support/web/web-routes.ts";
import {
  findNotFoundFault,
  findPageFaults,
  openCountedPage,
  readLinks,
  visitAddresses,
} from "../support/web/web-visit.ts";
import { createWorld } from "../support/web/web-world.ts";

const HTML = { headers: { Accept: "text/html" } };
const isCore = (process.env["TEST_RUN"] ?? "core") === "core";

describe("every route of the web app", () => {
  let paths: string[];
  const web = setUpBrowserTests(async (tenant) => {
    const world = await createWorld(tenant, HOSTILE_TEXTS.slice(0, 3));
    await addRemainingEntities(tenant, world);
    paths = await listAddresses(tenant, world);
  });

  it('needs at most 62.5 kB of gzipped script to show sessions, follow changes and show "since yesterday"', async () => {
    const { page } = await web.open("/sessions");
    const scripts = new Set<string>();
    page.on(
      "request",
      (request) => request.resourceType() === "script" && scripts.add(new URL(request.url()).pathname),
    );
    await page.reload();
    await page.getByRole("table", { name: "Sessions" }).waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    await page.getByRole("button", { name: "new since yesterday" }).waitFor();
    const bytes = [...scripts].reduce((sum, path) => sum + gzipSync(readFileSync(`dist/web${path}`)).length, 0);
    expect(bytes).to.be.within(20_000, 62_500);
  });

  it("has a title, a heading, no raw error, no axe violations, no horizontal scrolling on a phone, and a stable layout", async () => {
    const { page, problems } = await openCountedPage(web, web.tenant);
    await page.setViewportSize({ width: 375, height: 800 });
    const links = new Set<string>();
    // In `npm run test:all`, axe checks all of these pages in web-routes-all.slow, wide and narrow in both themes.
    const readByAxe = new Set((isCore ? sample(paths) : []).map((path) => web.tenant.url + path));
    const wrong = await visitAddresses(page, paths, async () => {
      for (const link of await readLinks(page)) links.add(link);
      const found = [...(await findPageFaults(page)), ...(await findNotFoundFault(page))];
      return readByAxe.has(page.url()) ? [...found, ...(await findViolations(page))] : found;
    });
    expect([wrong, problems]).to.deep.equal([[], []]);
    const answers = await Promise.all(
      [...links].map(async (link) => ({ link, status: (await fetch(web.tenant.url + link, HTML)).status })),
    );
    expect(answers.filter(({ status }) => status !== 200)).to.deep.equal([]);
  });
});
