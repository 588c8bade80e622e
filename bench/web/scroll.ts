import type { Browser, CDPSession, Page } from "playwright-core";
import type { Tenant } from "../../test/support/server.ts";
import { openSignedIn } from "../../test/support/web/web.ts";
import { measurePageMemory } from "./memory.ts";
import { readFrames, traceBrowser } from "./trace.ts";

/** The factor by which the browser's CPU is slowed during scrolling. */
export const SLOWER = 4;
/** The distance of one turn of the wheel, and the number of turns. */
const STEP_PX = 100;
const TURNS = 120;

export interface Scrolled {
  list: string;
  rows: number;
  usableMs: number;
  frames: number;
  p50Ms: number;
  p95Ms: number;
  heapMB: number;
  pageMB: number;
}

export interface List {
  list: string;
  path: string;
  row: string;
  rows: number;
  /** Resolves when all rows are loaded. */
  whole: (page: Page) => Promise<unknown>;
}

export async function measureScrolling(
  browser: Browser,
  who: Tenant,
  { list, path, row, rows, whole }: List,
): Promise<Scrolled> {
  const { page, problems } = await openSignedIn(browser, who, "/connect");
  await page.setViewportSize({ width: 1440, height: 900 });
  const begun = performance.now();
  await page.goto(who.url + path);
  await page.locator(row).first().waitFor();
  const usableMs = Math.round(performance.now() - begun);
  await whole(page);
  const session = await page.context().newCDPSession(page);
  const { frames, p50, p95 } = await frameWork(page, session);
  const memory = await measurePageMemory(browser, session);
  if (problems.length > 0) throw new Error(problems.join("\n"));
  await page.context().close();
  return { list, rows, usableMs, frames, p50Ms: round(p50), p95Ms: round(p95), ...memory };
}

/** Main-thread work per frame while the wheel turns. */
async function frameWork(page: Page, session: CDPSession) {
  await page.mouse.move(500, 600);
  const traced = await traceBrowser(session, SLOWER, async () => {
    for (let n = 0; n < TURNS; n += 1) {
      await page.mouse.wheel(0, STEP_PX);
      await page.waitForTimeout(16);
    }
  });
  return readFrames(traced);
}

const LINES = `Array.from({ length: 2_000 }, (_, n) => "<p>Line " + n + " of a list that no script ever touches</p>")`;

/** The p95 of work per frame for a list of plain lines without handlers: the browser's own cost on this machine. */
export async function measureBareList(browser: Browser): Promise<number> {
  const page = await browser.newPage();
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.setContent("<div id=list style='height: 800px; overflow: auto'></div>");
  await page.evaluate(`list.innerHTML = ${LINES}.join(''); list.onscroll = () => {}`);
  const { p95 } = await frameWork(page, await page.context().newCDPSession(page));
  await page.close();
  return round(p95);
}

const round = (ms: number): number => Math.round(ms * 10) / 10;
