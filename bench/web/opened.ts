import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import type { Tenant } from "../../test/support/server.ts";
import { openSignedIn } from "../../test/support/web/web.ts";

/**
 * The sum of the page's layout shifts so far. The observer reports shifts immediately, and reports nothing when
 * no shift happened.
 */
const MOVED = `new Promise((resolve) => {
  let sum = 0;
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) sum += value;
  }).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => resolve(sum), 200);
})`;

/**
 * Measures the layout shifts during the first load of a page, and the gzipped bytes of all scripts that the page
 * loads until its last part is shown.
 */
export async function measureOpening(
  browser: Browser,
  who: Tenant,
  { path, last }: { path: string; last: string },
): Promise<{ path: string; shift: number; scriptBytes: number }> {
  const { page } = await openSignedIn(browser, who, "/connect");
  const scripts = new Set<string>();
  page.on("request", (request) => request.resourceType() === "script" && scripts.add(new URL(request.url()).pathname));
  await page.goto(who.url + path);
  await page.locator(last).first().waitFor();
  await page.waitForLoadState("networkidle");
  const shift = Number(await page.evaluate(MOVED));
  await page.context().close();
  const scriptBytes = [...scripts].reduce((sum, name) => sum + gzipSync(readFileSync(`dist/web${name}`)).length, 0);
  return { path, shift: Math.round(shift * 1_000) / 1_000, scriptBytes };
}
