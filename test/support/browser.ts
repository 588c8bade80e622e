import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

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

/** Starts the browser, without the requests that it would make of its own accord. */
export const startBrowser = (args: readonly string[] = []): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM,
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

let shared: Promise<Browser> | undefined;

/** The browser that the tests of this process share, which ends with it. */
export async function sharedBrowser(): Promise<Browser> {
  const start = () => startBrowser([`--disable-features=${FEATURES_OFF}`]);
  shared ??= start();
  if (!(await shared).isConnected()) shared = start();
  return shared;
}

/** Closes all that a file opened there, when its tests have ended. */
export async function closePages(browser: Browser | undefined): Promise<void> {
  await Promise.all((browser?.contexts() ?? []).map((context) => context.close()));
}

/** So long a page may take to show something, in ms: a busy machine of two slow cores has taken more than 30 s. */
export const PATIENCE_MS = 90_000;

/** A browser of its own for a person who wants little to move: drawing a page that only pulses costs 80 ms a second. */
export const newContext = (browser: Browser): Promise<BrowserContext> =>
  browser.newContext({ reducedMotion: "reduce" });

/** A page that remembers what went wrong on it and what it asked of other hosts. */
export async function watchedPage(
  context: Pick<BrowserContext, "newPage">,
  url: string,
): Promise<{ page: Page; problems: string[] }> {
  const page = await context.newPage();
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

/** The browser's own message about an answer that asks to try again. The page does, and its text then is tested. */
const BUSY = /^Failed to load resource: .* 503 /;
