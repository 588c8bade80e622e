import type { Page } from "playwright-core";
import type { Tenant } from "../server.ts";
import type { inBrowser, WebPage } from "./web.ts";

/** Counts what a page asks for, and how far its parts move without a person; before any script of the page runs. */
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
  new PerformanceObserver((list) => {
    window.__moves.push(...list.getEntries().filter(({ hadRecentInput }) => !hadRecentInput));
  }).observe({ type: "layout-shift", buffered: true });
})()`;

/** Waits until a page has a heading, nothing on it loads, and nothing was asked for a while. */
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

/** Elements that no page of ours makes of a recorded text. */
const STRANGE = `main :is(script, iframe, style, object, embed, form[action], base, img:not([src^="blob:"]),
  a[href^="javascript:" i], a[href^="data:" i], a[href^="vbscript:" i])`;

/** Boxes that hold all that is in them, or scroll. */
const BOXES = "main, .scroll, .page, .body, .props, .card, .cmt, .col";

/** The faults of a page that rests, a line each. */
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

/** Opens the app as somebody, on a page that counts from its beginning. */
export async function openCounted(
  web: ReturnType<typeof inBrowser>,
  who: Tenant,
  path = "/settings/profile",
): Promise<WebPage> {
  const opened = await web.open(path, who);
  await opened.page.addInitScript(COUNTS);
  await arrive(opened.page, who.url + path);
  return opened;
}

/** Visits addresses one after the other, and says what was found on them, a line each. */
export async function walk(
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

/** Goes to an address as the app's own links do, and waits until it rests. */
async function visit(page: Page, path: string): Promise<void> {
  await page.evaluate("window.__moves = []");
  await goWithin(page, path);
  await page.evaluate(RESTS);
}

/** Goes to an address as the app's own links do: to load the app anew takes most of a second of CPU. */
export async function goWithin(page: Page, path: string): Promise<void> {
  await page.evaluate(`(() => {
    history.pushState(null, "", ${JSON.stringify(path)});
    dispatchEvent(new PopStateEvent("popstate"));
  })()`);
  // The page that is left draws until the next frame.
  await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))");
}

/** Opens an address anew, and waits until it rests. */
export async function arrive(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.evaluate(RESTS);
}

/** The faults of the shown page, a line each. */
export const faultsOf = (page: Page): Promise<string[]> => page.evaluate(FAULTS);

/** Says so of a page whose subject is not there. */
export const deadOf = async (page: Page): Promise<string[]> =>
  DEAD.test(await page.locator("main").innerText()) ? ["is dead"] : [];

const DEAD = /is not here|Nothing is at this address|Another organization|cannot be compared/;

/** The addresses that the shown page leads to within the app and the server. */
export const linksOf = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll("a[href]")].filter((link) => link.origin === location.origin)
    .map((link) => link.pathname + link.search)`);
