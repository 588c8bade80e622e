import type { Browser, Locator, Page } from "playwright-core";
import { closePages, hasBrowser, sharedBrowser, watchedPage } from "./browser.ts";
import { freshOrganization, type Tenant } from "./server.ts";

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
  open(path?: string, who?: { email: string; password: string }): Promise<WebPage>;
}

/** Has the tests of a block share a browser and an organization; without a browser they are skipped. */
export function inBrowser(prepare: (tenant: Tenant) => Promise<unknown> = async () => {}): WebTests {
  let browser: Browser;
  let tenant: Tenant;
  before(async function () {
    if (!hasBrowser()) this.skip();
    browser = await sharedBrowser();
    tenant = await freshOrganization();
    await prepare(tenant);
  });
  after(() => closePages(browser));
  return {
    get browser() {
      return browser;
    },
    get tenant() {
      return tenant;
    },
    open: (path, who) => openSignedIn(browser, { ...tenant, ...who }, path),
  };
}

/** Opens the web app, signed out. */
export async function openApp(browser: Browser, url: string, path = "/"): Promise<WebPage> {
  const watched = await watchedPage(await browser.newContext(), url);
  await watched.page.goto(url + path);
  return watched;
}

/** Opens a page of the web app as the owner of an organization. */
export async function openSignedIn(browser: Browser, tenant: Tenant, path = "/"): Promise<WebPage> {
  const watched = await openApp(browser, tenant.url, path);
  await signIn(watched.page, tenant);
  return watched;
}

/** Fills in the form that is shown. */
export async function signIn(page: Page, who: { email: string; password: string }): Promise<void> {
  await page.getByLabel("E-mail").fill(who.email);
  await page.getByLabel("Password").fill(who.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("navigation", { name: "Main", exact: true }).or(page.getByRole("alert")).first().waitFor();
}

/**
 * Presses a button until what it leads to is there, again where the page says that the server was busy: it sends a
 * mutation again only when a person asks.
 */
export async function pressUntil(button: Locator, shown: Locator): Promise<void> {
  const refused = button.page().getByText(/try again/i);
  for (;;) {
    await button.click();
    await shown.or(refused).first().waitFor();
    if (await shown.isVisible()) return;
  }
}
