import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { freshOrganization, type Tenant } from "../server.ts";
import { clear, closePages, hasBrowser, newContext, sharedBrowser, watchedPage } from "./browser.ts";

/** A page of the web app that remembers what went wrong on it. */
export interface WebPage {
  page: Page;
  /** Errors of the console and of scripts, and requests to other hosts. */
  problems: string[];
}

/** The parts that the tests of a file share. */
interface WebTests {
  readonly browser: Browser;
  readonly tenant: Tenant;
  /** Opens a page in a browser of its own, as the organization's owner or as somebody else of it. */
  open(path?: string, who?: Person): Promise<WebPage>;
  /** Opens a page on a phone that a finger touches, as the owner. */
  onPhone(path: string): Promise<WebPage>;
}

type Person = { email: string; password: string };

const PHONE = {
  viewport: { width: 375, height: 812 },
  hasTouch: true,
  isMobile: true,
  reducedMotion: "reduce",
} as const;

/** Has the tests of a block share a browser and an organization; without a browser they are skipped. */
export function inBrowser(prepare: (tenant: Tenant) => Promise<unknown> = async () => {}): WebTests {
  let browser: Browser;
  let tenant: Tenant;
  /** Contexts in which the owner is signed in: the next test goes on with them, since to sign in costs CPU. */
  const signedIn: BrowserContext[] = [];
  const lent: BrowserContext[] = [];
  before(async function () {
    if (!hasBrowser()) this.skip();
    browser = await sharedBrowser();
    tenant = await freshOrganization();
    await prepare(tenant);
  });
  afterEach(async () => {
    for (const context of lent.splice(0)) if (await clear(context)) signedIn.push(context);
    await closePages(browser, signedIn);
  });
  after(() => closePages(browser));
  return {
    get browser() {
      return browser;
    },
    get tenant() {
      return tenant;
    },
    async open(path = "/", who = tenant) {
      const isOwner = who.email === tenant.email;
      const context = (isOwner && signedIn.pop()) || (await newContext(browser));
      if (isOwner) lent.push(context);
      return openSignedIn(context, { ...who, url: tenant.url }, path);
    },
    async onPhone(path) {
      const watched = await watchedPage(await browser.newContext(PHONE), tenant.url);
      // The rail, by which somebody is known to be signed in, is not on a phone.
      await watched.page.setViewportSize({ width: 1440, height: 900 });
      await watched.page.goto(tenant.url + path);
      await signIn(watched.page, tenant);
      await watched.page.setViewportSize(PHONE.viewport);
      return watched;
    },
  };
}

/** Opens the web app, signed out. */
export async function openApp(browser: Browser, url: string, path = "/"): Promise<WebPage> {
  const watched = await watchedPage(await newContext(browser), url);
  await watched.page.goto(url + path);
  return watched;
}

/** Opens a page of the web app as somebody, who signs in unless the browser has a login. */
export async function openSignedIn(
  context: Pick<BrowserContext, "newPage">,
  who: Person & { url: string },
  path = "/",
): Promise<WebPage> {
  const watched = await watchedPage(context, who.url);
  await watched.page.goto(who.url + path);
  const form = watched.page.getByLabel("E-mail", { exact: true });
  await form.or(navigationOf(watched.page)).first().waitFor();
  if (await form.isVisible()) await signIn(watched.page, who);
  return watched;
}

const navigationOf = (page: Page): Locator => page.getByRole("navigation", { name: "Main", exact: true });

/** Fills in the form that is shown. */
export async function signIn(page: Page, who: Person): Promise<void> {
  await page.getByLabel("E-mail").fill(who.email);
  await page.getByLabel("Password").fill(who.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await navigationOf(page).or(page.getByRole("alert")).first().waitFor();
}

/**
 * Presses something until what it leads to is there, again where the page says that the server was busy: it sends a
 * mutation again only when a person asks.
 */
export async function pressUntil(press: () => Promise<unknown>, shown: Locator): Promise<void> {
  const refused = shown.page().getByText(/try again/i);
  for (;;) {
    await press();
    await shown.or(refused).first().waitFor();
    if (await shown.isVisible()) return;
  }
}

/** Opens the values of a field by its button, and chooses one. */
export async function pick(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole("button", { name: new RegExp(`^${label}(:|$)`) }).click();
  const options = page.getByRole("dialog", { name: label, exact: true }).getByRole("option");
  await options.filter({ hasText: option }).first().click();
}
