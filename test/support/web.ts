import type { Browser, Page } from "playwright-core";
import { watchedPage } from "./browser.ts";
import type { Tenant } from "./server.ts";

/** A page of the web app that remembers what went wrong on it. */
export interface WebPage {
  page: Page;
  /** Errors of the console and of scripts, and requests to other hosts. */
  problems: string[];
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
