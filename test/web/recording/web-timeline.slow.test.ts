import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { BrowserContext, Page } from "playwright-core";
import { type GeneratedEvent, generateSession, sendEvents } from "../../../bench/web/sessions.ts";
import { postHook } from "../../support/recording/observed-sessions.ts";
import { callRestApi } from "../../support/server.ts";
import { setUpBrowserTests } from "../../support/web/web.ts";

interface Window {
  width: number;
  height: number;
  /** Zoom factor of the page. */
  zoom?: number;
}

const WIDE: Window = { width: 1440, height: 900 };
const PHONE: Window = { width: 375, height: 812 };
const ZOOMED: Window = { width: 1000, height: 611, zoom: 1.5 };
const LOW: Window = { width: 1440, height: 533 };
/**
 * Sessions by number of events (few, more than a screen, several pages of results) with the windows in which each is
 * tested.
 */
const WALKS: [events: number, windows: Window[]][] = [
  [4, [LOW, PHONE]],
  [45, [WIDE, { width: 1920, height: 1080 }, ZOOMED, { ...WIDE, zoom: 0.8 }, PHONE]],
  [6_500, [WIDE, PHONE]],
];

/**
 * Script that returns the parts of the selected row outside the visible area in px, or reports that no row is
 * selected.
 */
const HIDDEN = `(() => {
  const row = document.querySelector('.tree .ev[aria-selected="true"], tr[aria-selected="true"]');
  if (!row) return "no row is selected";
  const { left, right, top, bottom } = row.getBoundingClientRect();
  const over = [top + 2, (top + bottom) / 2, bottom - 2].flatMap((y) =>
    [left + 8, (left + Math.min(right, innerWidth)) / 2].map((x) => document.elementFromPoint(x, y)),
  );
  if (over.every((element) => row.contains(element))) return "";
  return "the row at " + Math.round(top) + " to " + Math.round(bottom) + " is not shown";
})()`;

describe("a session's timeline", () => {
  let sessions: GeneratedEvent[][];
  const user_id = "jonas";
  const web = setUpBrowserTests(async (tenant) => {
    const { url, ingestKey, urlKey } = tenant;
    sessions = WALKS.map(([events]) =>
      generateSession({ seed: `${urlKey} ${events}`, events, begin: Date.now() - 40_000_000, failEvery: 9 }),
    );
    await sendEvents(url, ingestKey, sessions.flat());
    for (let n = 0; n < 45; n += 1) {
      const one = generateSession({ seed: `${urlKey} short ${n}`, events: 2, begin: Date.now() - (n + 1) * 90_000 });
      const body = { session_id: one[0]?.session_id, user_data: { user_id }, metadata: {} };
      await callRestApi(url, "POST", "/api/v1/capture-session", { body, headers: { "x-api-key": ingestKey } });
      await sendEvents(url, ingestKey, one);
    }
  });
  let context: BrowserContext;
  before(async () => {
    const { page } = await web.open("/connect");
    context = page.context();
    await page.close();
  });
  const open = async (path: string, { width, height, zoom }: Window = WIDE) => {
    const page = await context.newPage();
    await page.setViewportSize({ width, height });
    await page.goto(web.tenant.url + path);
    if (zoom) await page.evaluate(`document.documentElement.style.zoom = ${zoom}`);
    return page;
  };
  const pathOf = (at: number) => `/sessions/${sessions[at]?.[0]?.session_id}`;

  /** Presses keys and returns the steps after which the selected row was not visible. */
  const walk = async (page: Page, steps: [key: string, times: number, looked?: false][]) => {
    const found: string[] = [];
    const { width, height } = page.viewportSize() ?? WIDE;
    const look = async (step: string) => {
      for (let tries = 0; ; tries += 1) {
        await frame(page);
        const hidden = String(await page.evaluate(HIDDEN));
        if (hidden === "") return;
        if (tries > 8) return void found.push(`${width}×${height}, after ${step}: ${hidden}`);
      }
    };
    for (const [key, times, looked] of steps) {
      for (let n = 1; n <= times; n += 1) {
        await page.keyboard.press(key);
        if (looked !== false) await look(`${n} × ${key}`);
      }
    }
    await page.setViewportSize({ width, height: Math.round(height * 0.8) });
    await look("the window became lower");
    return found;
  };

  for (const [at, [events, windows]] of WALKS.entries()) {
    it(`keeps the selected row visible after keys and links, in a session of ${events} events`, async () => {
      const hidden: string[] = [];
      for (const window of windows) {
        const one = sessions[at]?.[Math.floor(events * 0.7)];
        const page = await open(`${pathOf(at)}/events/${one?.event_id}`, window);
        await page.locator('.ev[aria-selected="true"]').waitFor({ state: "attached" });
        const opened = await walk(page, []);
        await page.setViewportSize(window);
        const steps = await walk(page, [
          ["n", 3],
          ["Home", 1],
          ["j", 14, false],
          ["j", 5],
          ["End", 1],
          ["k", 14, false],
          ["k", 5],
          ["N", 2],
        ]);
        hidden.push(...[...opened, ...steps].map((words) => `zoom ${window.zoom ?? 1}, ${words}`));
        await page.close();
      }
      expect(hidden).to.deep.equal([]);
    });
  }

  it("focuses the selected row before the next key, so Enter does not press the previously focused button", async () => {
    const page = await open(pathOf(1));
    await page.locator(".tree .ev").nth(3).waitFor();
    await page.getByRole("button", { name: /failures/ }).focus();
    // The keys must work before the page is painted, so painting never happens here.
    await page.evaluate("requestAnimationFrame = () => 0");
    for (const key of ["j", "Enter"]) await page.keyboard.press(key);
    const state = "[document.activeElement.getAttribute('aria-selected'), location.pathname.split('/').at(-1)]";
    expect(await page.evaluate(state)).to.deep.equal(["true", sessions[1]?.[0]?.event_id]);
    await page.close();
  });

  it("keeps the selected row visible in the lists of sessions too", async () => {
    const hidden: string[] = [];
    for (const path of ["/sessions", "/sessions?q=src", `/users/${user_id}`]) {
      for (const window of [LOW, PHONE]) {
        const page = await open(path, window);
        await page.locator("tbody tr").nth(5).waitFor();
        const steps = await walk(page, [
          ["j", 7, false],
          ["j", 5],
          ["j", 18, false],
          ["j", 2],
          ["k", 14, false],
          ["k", 4],
        ]);
        hidden.push(...steps.map((words) => `${path}, ${words}`));
        await page.close();
      }
    }
    expect(hidden).to.deep.equal([]);
  });

  it("truncates the text of a row at its end, and omits no part entirely", async () => {
    const page = await open(pathOf(1));
    await page.locator(".tree .ev .mono").first().waitFor();
    for (const width of [1440, 1180, 1000, 800, 768, 500, 375, 320]) {
      await page.setViewportSize({ width, height: 900 });
      await frame(page);
      expect(await page.evaluate(LEFT_OUT), `${width} px`).to.deep.equal([]);
    }
    await page.close();
  });

  it("scrolls its rows with the overview and the zoom, and draws grid lines at the times in its head", async () => {
    const page = await open(pathOf(2));
    await page.locator(".tree .ev").nth(5).waitFor();
    await page.getByText("6500").first().waitFor();
    const { x, y, width } = (await page.locator(".map .lanes").boundingBox()) ?? { x: 0, y: 0, width: 0 };
    for (const share of [0.5, 0.2, 0.8]) {
      await page.mouse.move(x + width * share, y + 10);
      await page.mouse.down();
      await page.mouse.move(x + width * (share + 0.02), y + 10, { steps: 4 });
      await page.mouse.up();
      await page.waitForTimeout(150);
      expect(await page.evaluate(DRAWN), `bars of the rows shown, at ${share}`).to.be.above(3);
      expect(await page.evaluate(OFF_GRID)).to.deep.equal([]);
      await page.keyboard.press("0");
      for (let n = 0; n < 6; n += 1) await page.keyboard.press("+");
      await page.waitForTimeout(150);
      expect(await page.evaluate(DRAWN), "bars of the rows shown, zoomed in by keys").to.be.above(1);
      expect(await page.evaluate(OFF_GRID)).to.deep.equal([]);
      await page.keyboard.press("0");
    }
    await page.close();
  });

  it("updates bars and durations of running events, and keeps its figures beside its rows", async () => {
    const session_id = randomUUID();
    const hook = (body: object) =>
      postHook(web.tenant, "claude-code", { session_id, prompt_id: "p", cwd: "/", ...body });
    const call = { tool_name: "Bash", tool_use_id: "t", tool_input: { command: "npm ci" } };
    await hook({ hook_event_name: "UserPromptSubmit", prompt: "Upgrade it" });
    await hook({ hook_event_name: "PreToolUse", ...call });
    const page = await open("/connect");
    // With reduced motion, the page updates a duration too seldom for this test.
    await page.emulateMedia({ reducedMotion: "no-preference" });
    await page.goto(`${web.tenant.url}/sessions`);
    const row = page.getByRole("row", { name: /Upgrade it/ });
    await row.waitFor();
    await page.waitForTimeout(1_500);
    expect(secondsOf(await row.locator(".c-dur").innerText())).to.be.above(1);
    await row.getByRole("link").click();
    const fact = (name: string) => page.locator(".facts > div").filter({ hasText: name }).locator("dd");
    await page.locator(".session-state").getByText("Working").waitFor();
    const bash = page.getByRole("row", { name: /^Bash/ });
    const first = secondsOf(await bash.locator(".du").innerText());
    expect(first).to.be.above(1);
    expect(secondsOf(await fact("Duration").innerText())).to.be.at.least(first);
    await page.waitForTimeout(2_200);
    expect(secondsOf(await bash.locator(".du").innerText())).to.be.above(first + 0.9);
    const end = (selector: string) =>
      page.locator(selector).evaluate((one: unknown) => (one as Boxed).getBoundingClientRect().right);
    expect(await end(".ev.tool .wb")).to.be.closeTo(await end(".thead .wf"), 12);
    await hook({ hook_event_name: "PostToolUseFailure", ...call, error: "Exit code 1" });
    await hook({ hook_event_name: "StopFailure", error: "gave up" });
    await fact("Failures").getByText("2", { exact: true }).waitFor();
    await page.getByRole("button", { name: /^2 failures/ }).waitFor();
    await page.close();
  });

  it("marks a failed session as failed, as the list does", async () => {
    const failed = generateSession({
      seed: `${web.tenant.urlKey} failed`,
      events: 3,
      begin: Date.now() - 4_000_000,
      failEvery: 2,
    });
    await sendEvents(web.tenant.url, web.tenant.ingestKey, failed);
    const page = await open(`/sessions/${failed[0]?.session_id}`);
    await page.locator(".session-state").getByText("Failed", { exact: true }).waitFor();
    await page.goto(`${web.tenant.url}/sessions?failed=1`);
    await page
      .locator(`tr:has(a[href="/sessions/${failed[0]?.session_id}"])`)
      .getByRole("img", { name: "Failed" })
      .waitFor();
    await page.close();
  });

  it("has a distinct title in the list of sessions when the session has no prompt", async () => {
    const ids = ["1", "2"].map((end) => `01900000-0000-7000-8000-${randomUUID().slice(24, 35)}${end}`);
    const untitled = ids.map((session_id) => ({
      session_id,
      event_id: randomUUID(),
      primitive_name: "Bash",
      primitive_type: "tool",
      args: "{}",
      result: "ok",
    }));
    await sendEvents(web.tenant.url, web.tenant.ingestKey, untitled);
    const page = await open("/sessions");
    const names = await Promise.all(ids.map((id) => page.locator(`.slist a[href="/sessions/${id}"]`).innerText()));
    expect(names[0])
      .to.match(/^Session /)
      .and.not.to.equal(names[1]);
    await page.close();
  });

  it("reports unknown sessions, unknown events and invalid times of an address without terms of the API", async () => {
    const none = "01900000-0000-7000-8000-000000000000";
    const page = await open("/connect");
    const shown: [path: string, words: string][] = [
      ["/sessions?range=7d", "7d is not a valid time"],
      ["/sessions?range=-P7D&from=yesterday&to=%F0%9F%92%A5", "yesterday is not a valid time"],
      ["/sessions?q=src&from=x", "x is not a valid time"],
      [`/sessions/${none}`, "Session not found"],
      ["/sessions/foo", "Session not found"],
      [`/sessions/${none}/events/${none}`, "Session not found"],
      [`${pathOf(1)}/events/${none}`, "Event not found"],
      [`${pathOf(2)}/events/foo`, "Event not found"],
    ];
    for (const [path, words] of shown) {
      await page.goto(web.tenant.url + path);
      await page.locator("main").getByText(words).first().waitFor();
      await page.waitForTimeout(100);
      expect(await page.locator("main").innerText()).not.to.match(
        /Variable|GraphQL|Entity|invalid value|UUID|Recorded/,
      );
    }
    await page.close();
  });

  it("does not shift its layout while loading", async () => {
    for (const path of ["/sessions", pathOf(1), `${pathOf(1)}/log`]) {
      const page = await open(path);
      await page.locator(":is(.tree, .log, .slist)").waitFor();
      await page.waitForTimeout(700);
      expect(Number(await page.evaluate(SHIFTS)), path).to.be.below(0.02);
      await page.close();
    }
  });
});

interface Boxed {
  getBoundingClientRect(): { right: number };
}

const frame = (page: Page): Promise<unknown> =>
  page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");

/** Returns the seconds of a duration as the page displays the duration. */
function secondsOf(text: string): number {
  const units: Record<string, number> = { ms: 0.001, s: 1, m: 60 };
  return [...text.matchAll(/([\d.]+) (ms|s|m)/g)].reduce(
    (sum, [, n, unit]) => sum + Number(n) * (units[unit ?? ""] ?? 0),
    0,
  );
}

/** Script that finds boxes reaching beyond the end of a truncated line. A browser omits such boxes entirely. */
const LEFT_OUT = `[...document.querySelectorAll(".tree .nm")].flatMap((line) => {
  if (getComputedStyle(line).textOverflow !== "ellipsis") return [line.textContent + " is not cut"];
  const end = line.getBoundingClientRect().right + 1;
  return [...line.querySelectorAll("*")]
    .filter((one) => /^inline-|^flex|^grid/.test(getComputedStyle(one).display) && one.textContent.trim())
    .filter((one) => one.getBoundingClientRect().right > end && !one.closest(".sr"))
    .map((one) => one.textContent);
})`;

/** Script that counts the visible rows with a visible bar. */
const DRAWN = `(() => {
  const { top, bottom } = document.querySelector(".tree").getBoundingClientRect();
  return [...document.querySelectorAll(".tree .ev")].filter((row) => {
    const box = row.getBoundingClientRect();
    return box.top >= top && box.bottom <= bottom && row.querySelector(".wb");
  }).length;
})()`;

/** Script that finds grid lines that do not stand at the times named in the head, in px. */
const OFF_GRID = `(() => {
  const named = [...document.querySelectorAll(".thead .wf span:not(.sr)")].map((one) => one.getBoundingClientRect().left);
  const lines = [...document.querySelectorAll(".tree .lines i")].map((one) => one.getBoundingClientRect().left);
  if (named.length !== lines.length || lines.length === 0) return [[named.length, lines.length]];
  return named.flatMap((x, n) => (Math.abs(x - lines[n]) > 1.6 ? [[x, lines[n]]] : []));
})()`;

/** Script that measures the layout shift without user input, as the browser reports layout shifts. */
const SHIFTS = `new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) sum += value;
  }).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(sum), 200);
})`;
