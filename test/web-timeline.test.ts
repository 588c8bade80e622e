import { expect } from "chai";
import type { BrowserContext, Page } from "playwright-core";
import { type GeneratedEvent, generateSession, sendEvents } from "../bench/web/sessions.ts";
import { inBrowser } from "./support/web.ts";

/** Events of a session: few, more than a screen, and as many as are read in several pages. */
const LENGTHS = [45];
/** Windows, and how far each is zoomed in. */
const WINDOWS = [
  { width: 1440, height: 900 },
  { width: 1920, height: 1080 },
  { width: 1280, height: 720 },
  { width: 1000, height: 611, zoom: 1.5 },
  { width: 1440, height: 900, zoom: 0.8 },
  { width: 1440, height: 533 },
  { width: 375, height: 812 },
];

/** Where the selected row stands in the part of the window that shows rows, in px; undefined where nothing is selected. */
const HIDDEN = `(() => {
  const row = document.querySelector('.tree .ev[aria-selected="true"], .slist tr[aria-selected="true"]');
  if (!row) return "no row is selected";
  const { left, right, top, bottom } = row.getBoundingClientRect();
  const over = [top + 2, (top + bottom) / 2, bottom - 2].flatMap((y) =>
    [left + 8, (left + Math.min(right, innerWidth)) / 2].map((x) => document.elementFromPoint(x, y)),
  );
  if (over.every((element) => row.contains(element))) return "";
  return "the row at " + Math.round(top) + " to " + Math.round(bottom) + " is not shown";
})()`;

describe("the selected event", function () {
  this.timeout(240_000);
  let sessions: GeneratedEvent[][];
  const web = inBrowser(async ({ url, ingestKey, urlKey }) => {
    sessions = LENGTHS.map((events) =>
      generateSession({ seed: `${urlKey} ${events}`, events, begin: Date.now() - 40_000_000, failEvery: 9 }),
    );
    await sendEvents(url, ingestKey, sessions.flat());
  });
  let context: BrowserContext;
  before(async () => {
    const { page } = await web.open("/connect");
    context = page.context();
    await page.close();
  });

  /** Does what somebody does, and answers where the selection could not be seen. */
  const walk = async (page: Page, what: string, window: (typeof WINDOWS)[number]) => {
    const found: string[] = [];
    const seen = async (step: string) => {
      const where = `${what}, ${window.width}×${window.height} at ${window.zoom ?? 1}, after ${step}`;
      for (let tries = 0; ; tries += 1) {
        await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
        const hidden = String(await page.evaluate(HIDDEN));
        if (hidden === "") return;
        if (tries < 8) continue;
        found.push(`${where}: ${hidden}`);
        return;
      }
    };
    const keys = async (key: string, times: number) => {
      for (let n = 1; n <= times; n += 1) {
        await page.keyboard.press(key);
        await seen(`${n} × ${key}`);
      }
    };
    await seen("opening it");
    await keys("n", 4);
    await keys("Home", 1);
    for (let n = 0; n < 14; n += 1) await page.keyboard.press("j");
    await keys("j", 12);
    await keys("End", 1);
    await keys("k", 3);
    for (let n = 0; n < 14; n += 1) await page.keyboard.press("k");
    await keys("k", 12);
    await keys("N", 2);
    await page.mouse.move(300, window.height / 2);
    await page.mouse.wheel(0, 4_000);
    await page.waitForTimeout(100);
    await keys("j", 2);
    await page.setViewportSize({ width: window.width, height: Math.round(window.height * 0.8) });
    await seen("the window is lower");
    return found;
  };

  for (const [at, length] of LENGTHS.entries()) {
    it(`is in view wherever the keys or an address lead, in a session of ${length} events`, async () => {
      const hidden: string[] = [];
      for (const window of WINDOWS) {
        const page = await context.newPage();
        await page.setViewportSize({ width: window.width, height: window.height });
        const events = sessions[at] ?? [];
        const one = events[Math.floor(events.length * 0.7)];
        await page.goto(`${web.tenant.url}/sessions/${one?.session_id}/events/${one?.event_id}`);
        await page.locator('.ev[aria-selected="true"]').waitFor({ state: "attached" });
        if (window.zoom) await page.evaluate(`document.documentElement.style.zoom = ${window.zoom}`);
        hidden.push(...(await walk(page, `${length} events`, window)));
        await page.close();
      }
      expect(hidden).to.deep.equal([]);
    });
  }
});
