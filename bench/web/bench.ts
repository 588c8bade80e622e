import type { Browser, CDPSession, Page } from "playwright-core";
import { build } from "../../scripts/build.js";
import { startBrowser } from "../../test/support/browser.ts";
import type { Tenant } from "../../test/support/server.ts";
import { openApp, openSignedIn } from "../../test/support/web.ts";
import { middle } from "../support/figures.ts";
import { pageMemory } from "./memory.ts";
import { EVENTS, makeScene, type Scene, SESSIONS, TEXT_BYTES } from "./scene.ts";
import { framesOf, traceOf } from "./trace.ts";

/** Limits of what is measured here. */
const LIMITS = { usableMs: 2_000, frameP95Ms: 20, pageMB: 200, textsMs: 1_000, firstContentMs: 500 };
/** How much slower than this machine's the browser's CPU is made while somebody scrolls. */
const SLOWER = 4;
/** What the wheel moves in one turn of it, and how often it turns. */
const STEP_PX = 100;
const TURNS = 120;
const VISITS = 5;

/** A list that is scrolled through. */
interface Scrolled {
  list: string;
  rows: number;
  usableMs: number;
  frames: number;
  p50Ms: number;
  p95Ms: number;
  heapMB: number;
  pageMB: number;
}

/**
 * Measures the web app in Chromium: a session of 30,000 events and a list of 10,000 sessions while they are scrolled, how
 * long a call of 2 MiB takes to open, and the first content. Prints a table and a line of JSON.
 */
export async function benchWeb(): Promise<void> {
  await build();
  const scene = await makeScene();
  const browser = await startBrowser();
  const firstContentMs = await firstContent(browser, scene.tenant);
  const textsMs = await largeTexts(browser, scene);
  console.log(`first content ${firstContentMs} ms; a call of ${2 * TEXT_BYTES} bytes in ${textsMs} ms`);
  const rows: Scrolled[] = [];
  for (const measure of [timeline, log, sessions]) {
    rows.push(await measure(browser, scene));
    console.log(JSON.stringify(rows.at(-1)));
  }
  console.table(rows);
  console.log(JSON.stringify({ bench: "web", slower: SLOWER, limits: LIMITS, rows, firstContentMs, textsMs }));
  await browser.close();
  await scene.app.close();
}

const timeline = (browser: Browser, { tenant, longSession }: Scene) =>
  scrolled(browser, tenant, {
    list: "timeline",
    path: `/sessions/${longSession}`,
    row: ".tree .ev",
    rows: EVENTS,
    whole: (page) => page.locator(`[role=treegrid][aria-rowcount="${EVENTS + 1}"]`).waitFor(),
  });

const log = (browser: Browser, { tenant, longSession }: Scene) =>
  scrolled(browser, tenant, {
    list: "log",
    path: `/sessions/${longSession}/log`,
    row: "table.log tbody tr",
    rows: EVENTS,
    whole: (page) => page.locator(`table[aria-rowcount="${EVENTS + 1}"]`).waitFor(),
  });

const sessions = (browser: Browser, { crowd }: Scene) =>
  scrolled(browser, crowd, {
    list: "sessions",
    path: "/sessions",
    row: "table.slist tbody tr",
    rows: SESSIONS,
    whole: async (page) => {
      // Pages are read as somebody comes to their end.
      while ((await page.locator(`table[aria-rowcount="${SESSIONS + 1}"]`).count()) === 0) {
        await page.evaluate("document.querySelector('.scroll').scrollTo(0, 1e9)");
        await page.waitForTimeout(20);
      }
      await page.evaluate("document.querySelector('.scroll').scrollTo(0, 100_000)");
    },
  });

interface List {
  list: string;
  path: string;
  row: string;
  rows: number;
  /** Resolves when all rows are there. */
  whole: (page: Page) => Promise<unknown>;
}

async function scrolled(browser: Browser, who: Tenant, { list, path, row, rows, whole }: List): Promise<Scrolled> {
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

/** From the click to the whole of a call: a MiB that it was given, and one that it gave. */
async function largeTexts(browser: Browser, { tenant, large }: Scene): Promise<number> {
  const { page } = await openSignedIn(browser, tenant, `/sessions/${large.sessionId}`);
  await page.locator(".tree .ev").first().click();
  const all = page.getByRole("button", { name: "Show all of it" }).first();
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

/** When a browser that never was here shows something: the middle of some visits. */
async function firstContent(browser: Browser, { url }: Tenant): Promise<number> {
  const visits: number[] = [];
  for (let n = 0; n < VISITS; n += 1) {
    const { page } = await openApp(browser, url);
    await page.getByLabel("Password").waitFor();
    visits.push(Number(await page.evaluate(FIRST_CONTENT)));
    await page.context().close();
  }
  return Math.round(middle(visits));
}

const round = (ms: number): number => Math.round(ms * 10) / 10;
