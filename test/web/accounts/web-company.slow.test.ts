import { expect } from "chai";
import type { Page } from "playwright-core";
import type { App } from "../../../server/app.ts";
import { OIDC_CLIENT, type RealProvider, startOidcServer, startProvider } from "../../support/accounts/oidc.ts";
import { createOrganization, type Tenant } from "../../support/server.ts";
import { hasBrowser, startSharedBrowser } from "../../support/web/browser.ts";
import { openApp, openSignedIn } from "../../support/web/web.ts";

describe("company sign-in (OpenID) in the web app", () => {
  let app: App;
  let tenant: Tenant;
  let provider: RealProvider;
  const domain = `d${Date.now()}.example`;
  before(async function () {
    if (!hasBrowser()) this.skip();
    ({ app, tenant } = await startOidcServer());
    provider = await startProvider(app, { subject: "ada", email: `ada@${domain}`, name: "Ada Lovelace" });
  });
  after(() => provider?.close());

  const open = async () => (await openApp(await startSharedBrowser(), app.url)).page;
  const goToCompany = async (page: Page, named: string) => {
    await page.getByRole("button", { name: "Continue with your company" }).click();
    await page.getByLabel("Email").fill(named);
    await page.getByRole("button", { name: "Continue" }).click();
  };

  it("is configured by an owner, and never shows the stored secret again", async () => {
    const { page } = await openSignedIn(await startSharedBrowser(), tenant, "/settings/sign-in");
    await page.getByLabel("Issuer").fill(provider.issuer);
    await page.getByLabel("Client ID").fill(OIDC_CLIENT.clientId);
    await page.getByLabel("Client secret").fill(OIDC_CLIENT.clientSecret);
    await page.getByLabel("Email domains").fill(`${domain}, example.com`);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    expect(await page.getByLabel("Client secret").inputValue()).to.equal("");
    expect(await page.getByLabel("Redirect URI").first().inputValue()).to.equal(`${app.url}/api/auth/oidc/callback`);
  });

  it("leads from an email address to the company's provider and back to the first page, signed in", async () => {
    const page = await open();
    await page.goto(`${app.url}/settings/keys`);
    await goToCompany(page, `ada@${domain}`);
    const host = new URL(provider.issuer).host;
    await page.getByText(host).waitFor();
    await page.getByRole("button", { name: "Yes, continue" }).click();
    await page.getByRole("heading", { name: "Personal keys" }).waitFor();
    await page.waitForURL((at) => at.pathname === "/settings/keys");
    await page.getByLabel("Name of the new key").fill("laptop");
    await page.getByLabel("Expiration").selectOption({ label: "Expires in 90 days" });
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByText("Key “laptop” created.").waitFor();
    expect(await page.locator("td time").first().getAttribute("datetime")).to.match(/^\d{4}-/);
  });

  it("asks once for the password of an existing account", async () => {
    const before = await createOrganization(app);
    provider.someone = { subject: "olive", email: before.email };
    const page = await open();
    await goToCompany(page, tenant.urlKey);
    await page.getByRole("button", { name: "Yes, continue" }).click();
    await page.getByLabel("Password").fill("a guess");
    await page.getByRole("button", { name: "Link the account" }).click();
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Password").fill(before.password);
    await page.getByRole("button", { name: "Link the account" }).click();
    await page.getByRole("heading", { name: "Record your first session" }).waitFor();
    expect(page.url()).not.to.contain("confirm");
  });

  it("explains a failed company sign-in without showing text from the address", async () => {
    provider.someone = { subject: "eve", email: "eve@else.example" };
    const page = await open();
    await goToCompany(page, tenant.urlKey);
    await page.getByRole("button", { name: "Yes, continue" }).click();
    await page.getByText("This organization does not accept the domain of your email address").waitFor();
    const other = await open();
    await other.goto(`${app.url}/#refused=${encodeURIComponent("Call 555-1234")}`);
    await other.reload();
    await other.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await other.locator("body").innerText()).not.to.contain("555");
  });
});
