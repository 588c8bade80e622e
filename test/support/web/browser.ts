import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** The same engine without the windows that nobody sees, of another package: an eighth less CPU. `npm run test:all` uses what people have. */
const WITHOUT_WINDOWS = "/usr/bin/chromium-headless-shell";

/** True when there is a browser to drive. */
export const hasBrowser = (): boolean => existsSync(CHROMIUM);

/**
 * Chromium's features that are off, of which the last list counts: those of Playwright's list, and then those that start
 * processes for windows and pages that nobody sees.
 */
const FEATURES_OFF = [
  ...["AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades", "LensOverlay"],
  ...["HttpsFirstBalancedModeAutoEnable", "MediaRouter", "PaintHolding", "ThirdPartyStoragePartitioning"],
  ...["AvoidCorsURLLoaderRestartOnRedirect", "OptimizationHints", "NetworkTimeServiceQuerying", "AimEnabled"],
  ...["PreconnectToSearch", "PreloadTopChromeWebUI", "WebUIReloadButton", "InitialWebUI", "WebUIToolbarWebView"],
  ...["WebUIOmniboxPopup", "SpareRendererForSitePerProcess"],
];

/** Starts a browser, without the requests that it would make of its own accord. */
export const startBrowser = (args: readonly string[] = [], executablePath = CHROMIUM): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      ...args,
    ],
  });

/**
 * One process draws all pages of a context, which a page that rests and goes on would else begin anew, and the browser's
 * own does what one for a graphics card would: pages of all tests are of one site, and trusted.
 */
const FEW_PROCESSES = ["--renderer-process-limit=1", "--disable-site-isolation-trials", "--in-process-gpu"];

let shared: Promise<Browser> | undefined;

/** The browser that the tests of this process share, which ends with it. */
export async function sharedBrowser(): Promise<Browser> {
  const isCore = !process.env["CHROMIUM"] && (process.env["TEST_RUN"] ?? "core") === "core";
  const program = isCore && existsSync(WITHOUT_WINDOWS) ? WITHOUT_WINDOWS : CHROMIUM;
  const start = () => startBrowser([`--disable-features=${FEATURES_OFF}`, ...FEW_PROCESSES], program);
  shared ??= start();
  if (!(await shared).isConnected()) shared = start();
  return shared;
}

/** So long a page may take to show something, in ms: a busy machine of two slow cores has taken more than 30 s. */
export const PATIENCE_MS = 90_000;

/** Contexts of `newContext`, and the page of each that rests: to make both anew costs more than a second of CPU. */
const made = new WeakSet<object>();
const resting = new WeakMap<object, Page>();
/** Contexts that nobody uses, with nobody signed in. Each takes memory, so only so many are kept. */
const idle: BrowserContext[] = [];
const MOST_IDLE = 3;

/** A browser of its own for a person who wants little to move: drawing a page that only pulses costs 80 ms a second. */
export async function newContext(browser: Browser): Promise<BrowserContext> {
  const known = idle.pop();
  if (known?.browser() === browser) return known;
  const context = await browser.newContext({ reducedMotion: "reduce" });
  made.add(context);
  return context;
}

/** A page that remembers what went wrong on it and what it asked of other hosts. */
export async function watchedPage(
  context: Pick<BrowserContext, "newPage">,
  url: string,
): Promise<{ page: Page; problems: string[] }> {
  const page = resting.get(context) ?? (await context.newPage());
  resting.delete(context);
  page.setDefaultTimeout(PATIENCE_MS);
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on(
    "console",
    (message) => message.type() === "error" && !BUSY.test(message.text()) && problems.push(message.text()),
  );
  page.on("request", (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith("data:")) problems.push(`asked ${request.url()}`);
  });
  return { page, problems };
}

/** Playwright's clock cannot be taken out of a context again: other tests would live in its time. */
const HAS_OWN_CLOCK = "'__pwClock' in globalThis";

/**
 * Undoes what a test did in a context, but for the login: its first page rests, the others are closed. Routes of web
 * sockets cannot be undone, so they belong on another page than the first.
 * @returns false when that failed or cannot be, and the context is of no use any more
 */
export async function clear(context: BrowserContext): Promise<boolean> {
  if (resting.has(context)) return true;
  try {
    const [page, ...others] = context.pages();
    if (await page?.evaluate(HAS_OWN_CLOCK)) return false;
    await Promise.all(others.map((each) => each.close()));
    await context.setOffline(false);
    await context.clearPermissions();
    if (page) await rest(page);
    return true;
  } catch {
    return false;
  }
}

async function rest(page: Page): Promise<void> {
  for (const event of ["pageerror", "console", "request", "websocket"]) page.removeAllListeners(event);
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.evaluate("localStorage.clear(), sessionStorage.clear()").catch(() => {}); // It may be at no site at all.
  await page.goto("about:blank", { timeout: 10_000 });
  await page.mouse.move(-1, -1);
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.emulateMedia({ media: null, colorScheme: null, reducedMotion: "reduce" });
  resting.set(page.context(), page);
}

/** Gives back what tests opened, but for what is kept: some contexts rest until they are used again, signed out. */
export async function closePages(browser: Browser | undefined, kept: readonly BrowserContext[] = []): Promise<void> {
  for (const context of browser?.contexts() ?? []) {
    if (idle.includes(context) || kept.includes(context)) continue;
    if (idle.length < MOST_IDLE && made.has(context) && (await clear(context))) {
      await context.clearCookies();
      idle.push(context);
    } else await context.close();
  }
}

/** The browser's own message about an answer that asks to try again. The page does, and its text then is tested. */
const BUSY = /^Failed to load resource: .* 503 /;
