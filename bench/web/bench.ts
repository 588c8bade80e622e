import type { Browser } from "playwright-core";
import { build } from "../../scripts/build.js";
import { createOrganization, type Tenant } from "../../test/support/server.ts";
import { startBrowser } from "../../test/support/web/browser.ts";
import { openApp, openSignedIn } from "../../test/support/web/web.ts";
import { computeMedian } from "../support/figures.ts";
import { fillIssues, ISSUES, measureCounts, measureList } from "./issues.ts";
import { measureAppearance } from "./live.ts";
import { measureOpening } from "./opened.ts";
import { EVENTS, makeScene, type Scene, SESSIONS, TEXT_BYTES } from "./scene.ts";
import { measureBareList, measureScrolling, type Scrolled, SLOWER } from "./scroll.ts";

const LIMITS = {
  ...{ usableMs: 2_000, frameP95Ms: 20, pageMB: 200, textsMs: 1_000, firstContentMs: 500, shownMs: 1_000 },
  ...{ countMs: 50, listMs: 1_000, shift: 0.02, scriptBytes: 62_500 },
};
const VISITS = 5;

/**
 * Measures the web app in Chromium: scrolling through a session of 30,000 events, a list of 10,000 sessions, a list
 * of 50,000 issues and their board; the time to open a call of 2 MiB, to the first content, to the list of issues and
 * their counts by group, and until two browsers show recorded data; layout shifts, and bytes of script. Prints tables
 * and a line of JSON.
 */
export async function benchWeb(): Promise<void> {
  await build();
  const scene = await makeScene();
  const browser = await startBrowser();
  const firstContentMs = await firstContent(browser, scene.tenant);
  const textsMs = await largeTexts(browser, scene);
  console.log(`first content ${firstContentMs} ms; a call of ${2 * TEXT_BYTES} bytes in ${textsMs} ms`);
  const shown = await measureAppearance(browser, scene.tenant);
  console.log(`what is recorded shows in two browsers after ${shown.middle} ms, ${shown.most} ms at most`);
  const planner = await createOrganization(scene.app);
  await fillIssues(scene, planner);
  const issues = { countsMs: await measureCounts(planner), listMs: await measureList(browser, planner) };
  console.log(`${ISSUES} issues: ${JSON.stringify(issues)}`);
  const pages = [
    await measureOpening(browser, scene.crowd, { path: "/sessions", last: ".since" }),
    await measureOpening(browser, scene.tenant, { path: `/sessions/${scene.longSession}`, last: ".tree .ev" }),
    await measureOpening(browser, planner, { path: "/issues", last: "[data-row]" }),
  ];
  console.table(pages);
  const bareP95Ms = await measureBareList(browser);
  const rows: Scrolled[] = [];
  const lists = [timeline, log, sessions].map((measure) => () => measure(browser, scene));
  for (const measure of [...lists, () => issueList(browser, planner), () => board(browser, planner)]) {
    rows.push(await measure());
    console.log(JSON.stringify(rows.at(-1)));
  }
  console.table(rows);
  console.log(
    JSON.stringify({
      ...{ bench: "web", slower: SLOWER, limits: LIMITS, rows, bareP95Ms, firstContentMs, textsMs, shown },
      ...{ issues, pages },
    }),
  );
  await browser.close();
  await scene.app.close();
}

const timeline = (browser: Browser, { tenant, longSession }: Scene) =>
  measureScrolling(browser, tenant, {
    list: "timeline",
    path: `/sessions/${longSession}`,
    row: ".tree .ev",
    rows: EVENTS,
    whole: (page) => page.locator(`[role=treegrid][aria-rowcount="${EVENTS + 1}"]`).waitFor(),
  });

const log = (browser: Browser, { tenant, longSession }: Scene) =>
  measureScrolling(browser, tenant, {
    list: "log",
    path: `/sessions/${longSession}/log`,
    row: "table.log tbody tr",
    rows: EVENTS,
    whole: (page) => page.locator(`table[aria-rowcount="${EVENTS + 1}"]`).waitFor(),
  });

const sessions = (browser: Browser, { crowd }: Scene) =>
  measureScrolling(browser, crowd, {
    list: "sessions",
    path: "/sessions",
    row: "table.slist tbody tr",
    rows: SESSIONS,
    whole: async (page) => {
      // Scrolls to the end repeatedly, because the list loads each page when the user reaches the end.
      while ((await page.locator(`table[aria-rowcount="${SESSIONS + 1}"]`).count()) === 0) {
        await page.evaluate("document.querySelector('.scroll').scrollTo(0, 1e9)");
        await page.waitForTimeout(20);
      }
      await page.evaluate("document.querySelector('.scroll').scrollTo(0, 100_000)");
    },
  });

const issueList = (browser: Browser, planner: Tenant) =>
  measureScrolling(browser, planner, {
    list: "issues",
    path: "/issues",
    row: ".issue-list [data-row]",
    rows: ISSUES,
    whole: (page) => page.locator(".issue-list .more").first().waitFor(),
  });

const board = (browser: Browser, planner: Tenant) =>
  measureScrolling(browser, planner, {
    list: "board",
    path: "/issues?layout=board",
    row: ".icard",
    rows: ISSUES,
    whole: (page) => page.locator(".lane .more").nth(3).waitFor(),
  });

/** The time from the click until a call is fully shown: a MiB of arguments and a MiB of result. */
async function largeTexts(browser: Browser, { tenant, large }: Scene): Promise<number> {
  const { page } = await openSignedIn(browser, tenant, `/sessions/${large.sessionId}`);
  await page.locator(".tree .ev").first().click();
  const all = page.getByRole("button", { name: "Show all" }).first();
  await all.waitFor();
  const begun = performance.now();
  await all.click();
  await all.waitFor({ state: "detached" });
  const lengths = "[...document.querySelectorAll('.long')].map((one) => one.textContent.length)";
  const whole = async () =>
    ((await page.evaluate(lengths)) as number[]).filter((length) => length >= TEXT_BYTES).length;
  while ((await whole()) < 2) await page.waitForTimeout(5);
  return Math.round(performance.now() - begun);
}

const FIRST_CONTENT = `new Promise((tell) => new PerformanceObserver((list) => {
  const found = list.getEntriesByName("first-contentful-paint")[0];
  if (found) tell(found.startTime);
}).observe({ type: "paint", buffered: true }))`;

/** The time until a browser's first visit shows content: the median of several visits. */
async function firstContent(browser: Browser, { url }: Tenant): Promise<number> {
  const visits: number[] = [];
  for (let n = 0; n < VISITS; n += 1) {
    const { page } = await openApp(browser, url);
    await page.getByLabel("Password").waitFor();
    visits.push(Number(await page.evaluate(FIRST_CONTENT)));
    await page.context().close();
  }
  return Math.round(computeMedian(visits));
}
