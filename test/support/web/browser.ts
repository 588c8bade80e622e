import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/**
 * The same engine without a user interface, from another package: an eighth less CPU. `npm run test:all` uses the
 * browser that users have.
 */
const WITHOUT_WINDOWS = "/usr/bin/chromium-headless-shell";

/** Tells whether a browser is installed. */
export const hasBrowser = (): boolean => existsSync(CHROMIUM);

/**
 * Disabled features of Chromium. Only the last list on the command line counts, so the list repeats Playwright's
 * features. The other features start processes for windows and pages that no test shows.
 */
const FEATURES_OFF = [
  ...["AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades", "LensOverlay"],
  ...["HttpsFirstBalancedModeAutoEnable", "MediaRouter", "PaintHolding", "ThirdPartyStoragePartitioning"],
  ...["AvoidCorsURLLoaderRestartOnRedirect", "OptimizationHints", "NetworkTimeServiceQuerying", "AimEnabled"],
  ...["PreconnectToSearch", "PreloadTopChromeWebUI", "WebUIReloadButton", "InitialWebUI", "WebUIToolbarWebView"],
  ...["WebUIOmniboxPopup", "SpareRendererForSitePerProcess"],
];

/** Starts a browser that sends no requests on its own. */
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
 * Flags that reduce the number of processes. One process renders all pages of a context; otherwise a page that rests
 * would need a new process. The browser's own process replaces the GPU process. All pages belong to one trusted site.
 */
const FEW_PROCESSES = ["--renderer-process-limit=1", "--disable-site-isolation-trials", "--in-process-gpu"];

let shared: Promise<Browser> | undefined;

/** Returns the browser that the tests of this process share. The browser ends with the process. */
export async function startSharedBrowser(): Promise<Browser> {
  const isCore = !process.env["CHROMIUM"] && (process.env["TEST_RUN"] ?? "core") === "core";
  const program = isCore && existsSync(WITHOUT_WINDOWS) ? WITHOUT_WINDOWS : CHROMIUM;
  const start = () => startBrowser([`--disable-features=${FEATURES_OFF}`, ...FEW_PROCESSES], program);
  shared ??= start();
  if (!(await shared).isConnected()) shared = start();
  return shared;
}

/** Maximum time for a page to show something, in ms. A busy machine of two slow cores has taken more than 30 s. */
export const PATIENCE_MS = 90_000;

/** Contexts of `newContext`, and the resting page of each. Creating both again costs more than a second of CPU. */
const made = new WeakSet<object>();
const resting = new WeakMap<object, Page>();
/** Unused contexts without a login. Each takes memory, so their number is limited. */
const idle: BrowserContext[] = [];
const MOST_IDLE = 3;

/**
 * Returns an unused context or creates one. Contexts ask for reduced motion, because drawing an animation costs 80 ms
 * of CPU per second.
 */
export async function openContext(browser: Browser): Promise<BrowserContext> {
  const known = idle.pop();
  if (known?.browser() === browser) return known;
  const context = await browser.newContext({ reducedMotion: "reduce" });
  made.add(context);
  return context;
}

/** Opens a page that records errors, and requests to other hosts. */
export async function openWatchedPage(
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

/** Playwright cannot remove a fake clock from a context; later tests would use the fake time. */
const HAS_OWN_CLOCK = "'__pwClock' in globalThis";

/**
 * Undoes what a test changed in a context, except the login: the first page rests, the other pages are closed. Routes
 * of web sockets cannot be undone, so tests must set them on another page than the first.
 * @returns false if the context cannot be used again
 */
export async function resetContext(context: BrowserContext): Promise<boolean> {
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

/**
 * Releases the contexts that tests opened, except kept contexts. Some contexts rest, signed out, until the next test
 * needs a context.
 */
export async function releaseContexts(
  browser: Browser | undefined,
  kept: readonly BrowserContext[] = [],
): Promise<void> {
  for (const context of browser?.contexts() ?? []) {
    if (idle.includes(context) || kept.includes(context)) continue;
    if (idle.length < MOST_IDLE && made.has(context) && (await resetContext(context))) {
      await context.clearCookies();
      idle.push(context);
    } else await context.close();
  }
}

/** The browser's own message about a 503 response. The page repeats the request, and tests check the page's text. */
const BUSY = /^Failed to load resource: .* 503 /;
