import { expect } from "chai";
import type { Browser } from "playwright-core";
import { hasBrowser, startBrowser } from "./support/browser.ts";
import { freshOrganization, type Tenant } from "./support/server.ts";
import { openApp, openSignedIn, signIn } from "./support/web.ts";

describe("the web app's door", function () {
  this.timeout(60_000);
  let browser: Browser | undefined;
  let tenant: Tenant;
  before(async function () {
    if (!hasBrowser()) this.skip();
    browser = await startBrowser();
    tenant = await freshOrganization();
  });
  after(() => browser?.close());
  const started = () => browser as Browser;

  it("signs in with a password, stays signed in over a reload, and keeps nothing that a script can read", async () => {
    const { page, problems } = await openSignedIn(started(), tenant);
    await page.getByRole("heading", { name: "Record your first session" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Record your first session" }).waitFor();
    const readable = await page.evaluate(
      "document.cookie + Object.values(localStorage).join() + Object.values(sessionStorage).join()",
    );
    expect([readable, problems]).to.deep.equal(["", []]);
  });

  it("says that a password is wrong, with nothing in the console but the refusal", async () => {
    const { page } = await openApp(started(), tenant.url);
    await signIn(page, { ...tenant, password: "not the password" });
    expect(await page.getByRole("alert").innerText()).to.contain("password is wrong");
  });

  it("signs out in every tab, and the cookie is worth nothing from then on", async () => {
    const { page } = await openSignedIn(started(), tenant);
    const other = await page.context().newPage();
    await other.goto(`${tenant.url}/connect`);
    await other.getByRole("heading", { name: "Record your first session" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await other.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  });

  it("makes an account, names the organization, and goes on to the first session", async () => {
    const { page, problems } = await openApp(started(), tenant.url);
    await page.getByRole("button", { name: "Create an account" }).click();
    await page.getByLabel("Your name").fill("Nora");
    await page.getByLabel("E-mail").fill(`nora-${Date.now()}@example.com`);
    await page.getByLabel("Password").fill("a password of Nora's");
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByLabel("Name in addresses").fill(`nora-${Date.now()}`);
    await page.getByLabel("Name", { exact: true }).fill("Nora's");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "Record your first session" }).waitFor();
    expect(problems).to.deep.equal([]);
  });
});
