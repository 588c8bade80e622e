import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { sendEvents } from "../../bench/web/sessions.ts";
import { HOSTILE_TEXTS, SCRIPT_MARK } from "../support/hostile/hostile-texts.ts";
import { callRestApi } from "../support/server.ts";
import { setUpBrowserTests } from "../support/web/web.ts";

/** Script that finds elements wider than the window without an ancestor that clips or scrolls them. */
const TOO_WIDE = `document.documentElement.scrollWidth <= innerWidth ? [] :
  [...document.querySelectorAll("body *")].filter((element) => {
    if (element.getBoundingClientRect().right <= innerWidth + 1) return false;
    for (let above = element; above; above = above.parentElement) {
      const { overflowX, contain, position } = getComputedStyle(above);
      if (above !== element && (overflowX !== "visible" || contain !== "none")) return false;
      if (position === "fixed") return false;
    }
    return true;
  }).map((element) => location.pathname.slice(46) + " " + innerWidth + " " + element.outerHTML.slice(0, 120)).slice(0, 5)`;

/**
 * Script that opens each event in the panel by navigation inside the app, renders each text as Markdown, and returns
 * the number of rendered texts. Runs entirely in the page.
 */
const SHOW_EACH = (sessionId: string, ids: string[]) => `(async () => {
  let shown = 0;
  const until = async (found) => {
    for (const end = performance.now() + 20_000; !found(); ) {
      if (performance.now() > end) throw new Error("never shown: " + location.pathname);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const panel = () => document.querySelector('aside[aria-label="Event"]');
  for (const id of ${JSON.stringify(ids)}) {
    history.pushState(null, "", "/sessions/${sessionId}/events/" + id);
    dispatchEvent(new PopStateEvent("popstate"));
    await until(() => panel()?.textContent.includes(id) && panel().textContent.includes("Metadata"));
    const buttons = [...panel().querySelectorAll("button")].filter((button) => button.textContent.trim() === "Markdown");
    for (const button of buttons) button.click();
    shown += buttons.length;
    await until(() => panel().querySelectorAll(".prose:not([hidden])").length >= buttons.length);
  }
  return shown;
})()`;

describe("hostile recorded text", () => {
  const sessionId = randomUUID();
  const begin = Date.now() - 600_000;
  const events = HOSTILE_TEXTS.flatMap((text, n) => {
    const turn = randomUUID();
    const common = { session_id: sessionId, args: text, result: text, latency: 900, success: n % 3 !== 0 };
    const short =
      text
        .slice(0, 200)
        .replace(/[\n\0]/g, " ")
        .trim() || "blank";
    return [
      { ...common, event_id: turn, primitive_name: short, timestamp: begin + n * 2_000 },
      {
        ...common,
        event_id: randomUUID(),
        parent_id: turn,
        primitive_name: short,
        primitive_type: "tool",
        timestamp: begin + n * 2_000 + 10,
        metadata: { note: text.slice(0, 2_000), [`checkpoint.${short.slice(0, 60)}`]: begin + n * 2_000 + 20 },
      },
    ];
  });
  const web = setUpBrowserTests(async (tenant) => {
    const user_data = { user_id: `<img src=x onerror=${SCRIPT_MARK}>`, plan: `<script>${SCRIPT_MARK}</script>` };
    const body = { session_id: sessionId, user_data, metadata: {}, client_config: `<svg onload=${SCRIPT_MARK}>` };
    await callRestApi(tenant.url, "POST", "/api/v1/capture-session", {
      body,
      headers: { "x-api-key": tenant.ingestKey },
    });
    for (let at = 0; at < events.length; at += 10)
      await sendEvents(tenant.url, tenant.ingestKey, events.slice(at, at + 10));
  });

  const untouched = async (page: Page, problems: readonly string[]) => {
    expect(
      await page.evaluate(
        "[window.__ran ?? 0, ({}).polluted ?? 0, document.querySelectorAll('iframe, object, embed, form[action], base, #main img, #main style').length]",
      ),
    ).to.deep.equal([0, 0, 0]);
    const wide = await page.evaluate(TOO_WIDE);
    expect(wide).to.deep.equal([]);
    const live = await page
      .locator("#main a[href]")
      .evaluateAll((links) => links.map((link) => (link as unknown as { href: string }).href));
    expect(live.filter((href) => !href.startsWith(web.tenant.url))).to.deep.equal([]);
    expect(problems).to.deep.equal([]);
  };

  it("is inert in the list, the timeline, the log and the transcript, wide and narrow", async () => {
    const { page, problems } = await web.open("/sessions");
    for (const width of [1440, 375]) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(`${web.tenant.url}/sessions`);
      await page.getByRole("table", { name: "Sessions" }).waitFor();
      await untouched(page, problems);
      await page.goto(`${web.tenant.url}/sessions/${sessionId}`);
      await page.getByRole("treegrid").waitFor();
      await untouched(page, problems);
      await page.goto(`${web.tenant.url}/sessions/${sessionId}/log`);
      await page.getByRole("table", { name: "Log" }).waitFor();
      await untouched(page, problems);
      await page.goto(`${web.tenant.url}/sessions/${sessionId}/transcript`);
      await page.locator(".prose:not([hidden])").first().waitFor({ state: "attached" });
      await untouched(page, problems);
    }
  });

  it("is inert in the event's panel, as JSON, as text and as Markdown", async () => {
    const { page, problems } = await web.open("/sessions");
    const ids = events.filter((each) => "parent_id" in each).map(({ event_id }) => event_id);
    const shown = await page.evaluate(SHOW_EACH(sessionId, ids));
    expect(shown).to.be.within(1, 2 * ids.length);
    await untouched(page, problems);
  });
});
