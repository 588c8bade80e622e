import type { Browser, CDPSession, Page } from "playwright-core";
import type { Tenant } from "../../test/support/server.ts";
import { openSignedIn } from "../../test/support/web/web.ts";
import { pageMemory } from "./memory.ts";
import { framesOf, traceOf } from "./trace.ts";

/** The factor by which the browser's CPU is slowed while somebody scrolls. */
export const SLOWER = 4;
/** The distance of one turn of the wheel, and the interval of turns. */
const STEP_PX = 100;
const TURNS = 120;

/** A list that is scrolled through. */
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

/** A list to scroll through. */
export interface List {
  list: string;
  path: string;
  row: string;
  rows: number;
  /** Resolves when all rows are there. */
  whole: (page: Page) => Promise<unknown>;
}

/** Opens a list, scrolls through it, and measures. */
export async function scrolled(
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
  const memory = await pageMemory(browser, session);
  if (problems.length > 0) throw new Error(problems.join("\n"));
  await page.context().close();
  return { list, rows, usableMs, frames, p50Ms: round(p50), p95Ms: round(p95), ...memory };
}

/** Main-thread work a frame while the wheel turns. */
async function frameWork(page: Page, session: CDPSession) {
  await page.mouse.move(500, 600);
  const traced = await traceOf(session, SLOWER, async () => {
    for (let n = 0; n < TURNS; n += 1) {
      await page.mouse.wheel(0, STEP_PX);
      await page.waitForTimeout(16);
    }
  });
  return framesOf(traced);
}

const LINES = `Array.from({ length: 2_000 }, (_, n) => "<p>Line " + n + " of a list that no script ever touches</p>")`;

/** Work a frame, p95, for a list of plain lines that nothing is done for: what the browser takes on this machine. */
export async function bare(browser: Browser): Promise<number> {
  const page = await browser.newPage();
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.setContent("<div id=list style='height: 800px; overflow: auto'></div>");
  await page.evaluate(`list.innerHTML = ${LINES}.join(''); list.onscroll = () => {}`);
  const { p95 } = await frameWork(page, await page.context().newCDPSession(page));
  await page.close();
  return round(p95);
}

const round = (ms: number): number => Math.round(ms * 10) / 10;
