import type { Page } from "playwright-core";
import type { Tenant } from "../server.ts";
import type { setUpBrowserTests, WebPage } from "./web.ts";

/**
 * Script that counts the requests of a page, and how far elements move without user input. Runs before any script of
 * the page.
 */
const COUNTS = `(() => {
  // A page that rested since another test counts already.
  if ("__asking" in window) return;
  const asked = window.fetch;
  window.__asking = 0;
  window.fetch = (...all) => {
    window.__asking += 1;
    return asked(...all).finally(() => setTimeout(() => { window.__asking -= 1; }));
  };
  window.__moves = [];
  // A dialog that searches grows with its results, on a slow machine long after the last key.
  const isInDialog = ({ node }) => Boolean((node?.closest ? node : node?.parentElement)?.closest("dialog"));
  const isOfDialog = ({ sources }) => sources.some(isInDialog) && sources.every((one) => !one.node || isInDialog(one));
  new PerformanceObserver((list) => {
    window.__moves.push(...list.getEntries().filter((move) => !move.hadRecentInput && !isOfDialog(move)));
  }).observe({ type: "layout-shift", buffered: true });
})()`;

/** Script that waits until a page has a heading, nothing is loading, and no request was sent for a while. */
const RESTS = `new Promise((resolve, reject) => {
  const end = performance.now() + 60_000;
  let calm = 0;
  const look = () => {
    const loads = window.__asking > 0 || document.querySelector("[aria-label=Loading]");
    calm = loads || !document.querySelector("main :is(h1, h2)") ? 0 : calm + 1;
    if (calm > 4) resolve();
    else if (performance.now() > end) reject(new Error("never rests: " + location.href));
    else setTimeout(look, 15);
  };
  look();
})`;

/** Elements that a page of the app never creates from recorded text. */
const STRANGE = `main :is(script, iframe, style, object, embed, form[action], base, img:not([src^="blob:"]),
  a[href^="javascript:" i], a[href^="data:" i], a[href^="vbscript:" i])`;

/** Containers that must not overflow: they contain all content, or scroll. */
const BOXES = "main, .scroll, .page, .body, .props, .card, .cmt, .col";

/** Script that lists the faults of a page at rest, one per line. */
const FAULTS = `(() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const spills = (box) => box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).overflowX !== "auto";
  const wide = document.documentElement.scrollWidth - innerWidth;
  const headings = all("main h1:not(.prose h1)").length;
  const raw = /\\b(undefined|NaN|null|Invalid Date)\\b|\\[object \\w+\\]|INTERNAL_SERVER_ERROR/g;
  const moved = window.__moves.reduce((sum, { value }) => sum + value, 0);
  const mover = () => window.__moves.flatMap(({ sources }) => sources).map(({ node }) => node?.className ?? "").join(", ");
  // A session's messages stand there in short until their texts are read.
  const comesInParts = /^\\/sessions\\/[^/]+\\/(transcript|events)/.test(location.pathname);
  return [
    / · Trackway$/.test(document.title) ? "" : "has the title " + document.title,
    headings === 1 ? "" : "has " + headings + " main headings",
    wide > 0 ? "is " + wide + " px too wide" : "",
    moved > 0.02 && !comesInParts ? "moved by " + moved.toFixed(3) + ": " + mover() : "",
    window.__ran || ({}).polluted ? "ran a recorded text" : "",
    ...all(${JSON.stringify(BOXES)}).filter(spills).map((box) => "spills out of " + box.className),
    ...all(${JSON.stringify(STRANGE)}).map((one) => "holds " + one.outerHTML.slice(0, 80)),
    ...all("main .fail[role=alert]").map((one) => "says " + one.innerText),
    ...(document.body.innerText.match(raw) ?? []).map((each) => "says " + each),
    ...all('a[href^="#"]:not([href="#"])').map(({ hash }) => hash).filter((hash) => !document.querySelector(hash))
      .map((hash) => "leads to " + hash + ", which it has not"),
  ].filter(Boolean);
})()`;

/** Opens the app as a user, on a page that counts from the start. */
export async function openCountedPage(
  web: ReturnType<typeof setUpBrowserTests>,
  who: Tenant,
  path = "/settings/profile",
): Promise<WebPage> {
  const opened = await web.open(path, who);
  await opened.page.addInitScript(COUNTS);
  await loadAddress(opened.page, who.url + path);
  return opened;
}

/** Visits addresses one after the other. Returns the faults of each, one per line. */
export async function visitAddresses(
  page: Page,
  addresses: readonly string[],
  found: (page: Page) => Promise<string[]>,
): Promise<string[]> {
  const wrong: string[] = [];
  for (const path of addresses) {
    await visit(page, path);
    for (const each of await found(page)) wrong.push(`${path} ${each}`);
  }
  return wrong;
}

/** Goes to an address as the app's own links do, and waits until the page rests. */
async function visit(page: Page, path: string): Promise<void> {
  await page.evaluate("window.__moves = []");
  await navigateWithin(page, path);
  await page.evaluate(RESTS);
}

/** Goes to an address as the app's own links do. Loading the app again takes most of a second of CPU. */
export async function navigateWithin(page: Page, path: string): Promise<void> {
  await page.evaluate(`(() => {
    history.pushState(null, "", ${JSON.stringify(path)});
    dispatchEvent(new PopStateEvent("popstate"));
  })()`);
  // The old page draws until the next frame.
  await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))");
}

/** Opens an address in a new load of the app, and waits until the page rests. */
export async function loadAddress(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.evaluate(RESTS);
}

/** Returns the faults of the shown page, one per line. */
export const findPageFaults = (page: Page): Promise<string[]> => page.evaluate(FAULTS);

/** Returns a fault if the page reports that its subject was not found. */
export const findNotFoundFault = async (page: Page): Promise<string[]> =>
  DEAD.test(await page.locator("main").innerText()) ? ["is dead"] : [];

const DEAD =
  /(Session|Event|Issue|View|Project|Cycle|Team|Label|State|User|Failure group|Page) not found|Another organization|Cannot compare/;

/** Returns the links of the shown page within the app and the server. */
export const readLinks = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll("a[href]")].filter((link) => link.origin === location.origin)
    .map((link) => link.pathname + link.search)`);
