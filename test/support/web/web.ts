import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { createOrganization, type Tenant } from "../server.ts";
import {
  hasBrowser,
  openContext,
  openWatchedPage,
  releaseContexts,
  resetContext,
  startSharedBrowser,
} from "./browser.ts";

/** Page of the web app that records errors. */
export interface WebPage {
  page: Page;
  /** Errors of the console and of scripts, and requests to other hosts. */
  problems: string[];
}

/** Helpers that the tests of a file share. */
interface WebTests {
  readonly browser: Browser;
  readonly tenant: Tenant;
  /** Opens a page in a separate context, as the organization's owner or as another user. */
  open(path?: string, who?: Person): Promise<WebPage>;
  /** Opens a page as the owner on a phone with a touch screen. */
  onPhone(path: string): Promise<WebPage>;
}

type Person = { email: string; password: string };

const PHONE = {
  viewport: { width: 375, height: 812 },
  hasTouch: true,
  isMobile: true,
  reducedMotion: "reduce",
} as const;

/** Sets up a block of tests with a browser and an organization. Without a browser the tests are skipped. */
export function setUpBrowserTests(prepare: (tenant: Tenant) => Promise<unknown> = async () => {}): WebTests {
  let browser: Browser;
  let tenant: Tenant;
  /** Contexts in which the owner is signed in. The next test reuses a context, because signing in costs CPU. */
  const signedIn: BrowserContext[] = [];
  const lent: BrowserContext[] = [];
  before(async function () {
    if (!hasBrowser()) this.skip();
    browser = await startSharedBrowser();
    tenant = await createOrganization();
    await prepare(tenant);
  });
  afterEach(async () => {
    for (const context of lent.splice(0)) if (await resetContext(context)) signedIn.push(context);
    await releaseContexts(browser, signedIn);
  });
  after(() => releaseContexts(browser));
  return {
    get browser() {
      return browser;
    },
    get tenant() {
      return tenant;
    },
    async open(path = "/", who = tenant) {
      const isOwner = who.email === tenant.email;
      const context = (isOwner && signedIn.pop()) || (await openContext(browser));
      if (isOwner) lent.push(context);
      return openSignedIn(context, { ...who, url: tenant.url }, path);
    },
    async onPhone(path) {
      const watched = await openWatchedPage(await browser.newContext(PHONE), tenant.url);
      // A login is detected by the navigation rail, which a phone does not show.
      await watched.page.setViewportSize({ width: 1440, height: 900 });
      await watched.page.goto(tenant.url + path);
      await submitSignInForm(watched.page, tenant);
      await watched.page.setViewportSize(PHONE.viewport);
      return watched;
    },
  };
}

/** Opens the web app, signed out. */
export async function openApp(browser: Browser, url: string, path = "/"): Promise<WebPage> {
  const watched = await openWatchedPage(await openContext(browser), url);
  await watched.page.goto(url + path);
  return watched;
}

/** Opens a page of the web app as a user, who signs in unless the browser has a login. */
export async function openSignedIn(
  context: Pick<BrowserContext, "newPage">,
  who: Person & { url: string },
  path = "/",
): Promise<WebPage> {
  const watched = await openWatchedPage(context, who.url);
  await watched.page.goto(who.url + path);
  const form = watched.page.getByLabel("Email", { exact: true });
  await form.or(navigationOf(watched.page)).first().waitFor();
  if (await form.isVisible()) await submitSignInForm(watched.page, who);
  return watched;
}

const navigationOf = (page: Page): Locator => page.getByRole("navigation", { name: "Main", exact: true });

/** Fills in and submits the shown sign-in form, and waits for the result. */
export async function submitSignInForm(page: Page, who: Person): Promise<void> {
  await page.getByLabel("Email").fill(who.email);
  await page.getByLabel("Password").fill(who.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await navigationOf(page).or(page.getByRole("alert")).first().waitFor();
}

/**
 * Presses a control until the expected element appears. Repeats if the page reports that the server was busy, because
 * the app repeats a mutation only when the user asks.
 */
export async function pressUntilShown(press: () => Promise<unknown>, shown: Locator): Promise<void> {
  const refused = shown.page().getByText(/try again/i);
  for (;;) {
    await press();
    await shown.or(refused).first().waitFor();
    if (await shown.isVisible()) return;
  }
}

/** Opens the menu of a field with the field's button, and picks an option. */
export async function pickOption(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole("button", { name: new RegExp(`^${label}(:|$)`) }).click();
  const options = page.getByRole("dialog", { name: label, exact: true }).getByRole("option");
  await options.filter({ hasText: option }).first().click();
}
