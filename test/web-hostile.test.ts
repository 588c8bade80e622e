import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { Browser, Page } from "playwright-core";
import { sendEvents } from "../bench/web/sessions.ts";
import { hasBrowser, startBrowser } from "./support/browser.ts";
import { call, freshOrganization, type Tenant } from "./support/server.ts";
import { openSignedIn } from "./support/web.ts";

/** Run by whatever script gets through. */
const MARK = "window.__ran=1";

/** Texts that try to run, to load, to lead away or to break the page, as an agent might be made to record them. */
const HOSTILE: readonly string[] = [
  `<script>${MARK}</script>`,
  `<img src=x onerror="${MARK}">`,
  `<svg onload="${MARK}"><animate onbegin="${MARK}" attributeName=x dur=1s></svg>`,
  `<svg><script>${MARK}</script></svg>`,
  `<math><mtext><table><mglyph><style><img src=x onerror=${MARK}>`,
  `<iframe srcdoc="<script>parent.${MARK}</script>"></iframe>`,
  `<iframe src="javascript:${MARK}"></iframe>`,
  `<object data="data:text/html,<script>${MARK}</script>"></object>`,
  `<embed src="https://evil.example/x.swf">`,
  `<a href="javascript:${MARK}">click</a>`,
  `<a href="java\tscript:${MARK}">click</a>`,
  `<a href="data:text/html,<script>${MARK}</script>">click</a>`,
  `[click](javascript:${MARK})`,
  `[click](JaVaScRiPt:${MARK})`,
  `[click](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)`,
  `[click](vbscript:msgbox)`,
  `[click](//evil.example)`,
  `![pixel](https://evil.example/pixel.png)`,
  `![x](x" onerror="${MARK})`,
  `<https://evil.example/?q=auto>`,
  `[ref]: javascript:${MARK}\n[ref]`,
  `<style>*{display:none!important}</style>`,
  `<link rel=stylesheet href=https://evil.example/x.css>`,
  `<div style="position:fixed;inset:0;background:red">over</div>`,
  `<base href="https://evil.example/">`,
  `<meta http-equiv="refresh" content="0;url=https://evil.example">`,
  `<form action="https://evil.example"><input name=q autofocus onfocus="${MARK}"></form>`,
  `<details open ontoggle="${MARK}">x</details>`,
  `<video><source onerror="${MARK}"></video>`,
  `<marquee onstart="${MARK}">x</marquee>`,
  `<template><script>${MARK}</script></template>`,
  `<noscript><p title="</noscript><img src=x onerror=${MARK}>">`,
  `</title><script>${MARK}</script>`,
  `</script><script>${MARK}</script>`,
  `<!--><img src=x onerror=${MARK}>-->`,
  `<![CDATA[<img src=x onerror=${MARK}>]]>`,
  `" onmouseover="${MARK}" x="`,
  `' onfocus='${MARK}' autofocus='`,
  `\`\`\`html\n<img src=x onerror=${MARK}>\n\`\`\``,
  `\`\`\`"><img src=x onerror=${MARK}>\ncode\n\`\`\``,
  `| a |\n|---|\n| <img src=x onerror=${MARK}> |`,
  `# <img src=x onerror=${MARK}>`,
  `&lt;img src=x onerror=${MARK}&gt;`,
  `{{constructor.constructor('${MARK}')()}}`,
  `\${${MARK}}`,
  `javascript:${MARK}`,
  `\u202egnp.exe\u202c right to left`,
  `\u2066\u2067isolates without an end`,
  `שלום עולם and back`,
  `Z${"\u0335\u0336\u0337\u0338\u0321\u0322\u0327\u0328".repeat(20)}algo`,
  `\u200b\u200c\u200d\ufeff`,
  `\u001b[31mred\u001b[0m \u001b]0;title\u0007`,
  "\u0007\u0008\u000b\u000c",
  "W".repeat(4_000),
  `${"a/".repeat(2_000)}end-of-the-path`,
  "\n".repeat(500),
  `{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}`,
  `{"command":"<img src=x onerror=${MARK}>","file_path":"</bdi><script>${MARK}</script>"}`,
  `[${"[".repeat(200)}${"]".repeat(200)}]`,
  `{"old_string":"<img src=x onerror=${MARK}>","new_string":"</span><script>${MARK}</script>","file_path":"a"}`,
  "x".repeat(1_000_000),
];

/** What makes the page wider than its window: elements that nothing above them cuts off or scrolls. */
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
 * Shows one event after the other in the panel, as the app itself goes to another page, with each of its texts as Markdown.
 * All within the page: it answers how many texts were shown so.
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

describe("hostile recorded text", function () {
  this.timeout(180_000);
  let browser: Browser | undefined;
  let tenant: Tenant;
  const sessionId = randomUUID();
  const begin = Date.now() - 600_000;
  const events = HOSTILE.flatMap((text, n) => {
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
  before(async function () {
    if (!hasBrowser()) this.skip();
    browser = await startBrowser();
    tenant = await freshOrganization();
    const user_data = { user_id: `<img src=x onerror=${MARK}>`, plan: `<script>${MARK}</script>` };
    const body = { session_id: sessionId, user_data, metadata: {}, client_config: `<svg onload=${MARK}>` };
    await call(tenant.url, "POST", "/api/v1/capture-session", { body, headers: { "x-api-key": tenant.ingestKey } });
    for (let at = 0; at < events.length; at += 10)
      await sendEvents(tenant.url, tenant.ingestKey, events.slice(at, at + 10));
  });
  after(() => browser?.close());

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
    expect(live.filter((href) => !href.startsWith(tenant.url))).to.deep.equal([]);
    expect(problems).to.deep.equal([]);
  };

  it("does nothing but stand there, in the list, the timeline, the log and the transcript, wide and narrow", async () => {
    const { page, problems } = await openSignedIn(browser as Browser, tenant, "/sessions");
    for (const width of [1440, 375]) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(`${tenant.url}/sessions`);
      await page.getByRole("table", { name: "Sessions" }).waitFor();
      await untouched(page, problems);
      await page.goto(`${tenant.url}/sessions/${sessionId}`);
      await page.getByRole("treegrid").waitFor();
      await untouched(page, problems);
      await page.goto(`${tenant.url}/sessions/${sessionId}/log`);
      await page.getByRole("table", { name: "Log" }).waitFor();
      await untouched(page, problems);
      await page.goto(`${tenant.url}/sessions/${sessionId}/transcript`);
      await page.locator(".prose:not([hidden])").first().waitFor({ state: "attached" });
      await untouched(page, problems);
    }
  });

  it("does nothing in the event's panel, as JSON, as text and as Markdown", async () => {
    const { page, problems } = await openSignedIn(browser as Browser, tenant, "/sessions");
    const ids = events.filter((each) => "parent_id" in each).map(({ event_id }) => event_id);
    const shown = await page.evaluate(SHOW_EACH(sessionId, ids));
    expect(shown).to.be.within(1, 2 * ids.length);
    await untouched(page, problems);
  });
});
