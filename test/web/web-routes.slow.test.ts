import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { HOSTILE } from "../support/hostile/hostile-texts.ts";
import { someOf } from "../support/run/runs.ts";
import { violations } from "../support/web/axe.ts";
import { inBrowser } from "../support/web/web.ts";
import { addressesOf, furnish } from "../support/web/web-routes.ts";
import { deadOf, faultsOf, linksOf, openCounted, walk } from "../support/web/web-visit.ts";
import { makeWorld } from "../support/web/web-world.ts";

const HTML = { headers: { Accept: "text/html" } };
const isCore = (process.env["TEST_RUN"] ?? "core") === "core";

describe("every route of the web app", function () {
  this.timeout(180_000);
  let paths: string[];
  const web = inBrowser(async (tenant) => {
    const world = await makeWorld(tenant, HOSTILE.slice(0, 3));
    await furnish(tenant, world);
    paths = await addressesOf(tenant, world);
  });

  it("takes at most 62.5 kB of script, gzipped, until the sessions stand, follow what happens and say what is new", async () => {
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

  it("has a title, a heading and no raw error, nothing that axe finds or that scrolls sideways on a phone, and rests where it stands", async () => {
    const { page, problems } = await openCounted(web, web.tenant);
    await page.setViewportSize({ width: 375, height: 800 });
    const links = new Set<string>();
    // In `npm run test:all`, web-routes-all.slow has axe read all of these, wide and narrow in both themes.
    const readByAxe = new Set((isCore ? someOf(paths) : []).map((path) => web.tenant.url + path));
    const wrong = await walk(page, paths, async () => {
      for (const link of await linksOf(page)) links.add(link);
      const found = [...(await faultsOf(page)), ...(await deadOf(page))];
      return readByAxe.has(page.url()) ? [...found, ...(await violations(page))] : found;
    });
    expect([wrong, problems]).to.deep.equal([[], []]);
    const answers = await Promise.all(
      [...links].map(async (link) => ({ link, status: (await fetch(web.tenant.url + link, HTML)).status })),
    );
    expect(answers.filter(({ status }) => status !== 200)).to.deep.equal([]);
  });
});
