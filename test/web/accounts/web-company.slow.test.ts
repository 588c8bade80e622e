import { expect } from "chai";
import type { Page } from "playwright-core";
import type { App } from "../../../server/app.ts";
import { CLIENT, type RealProvider, startOidcServer, startProvider } from "../../support/accounts/oidc.ts";
import { freshOrganization, type Tenant } from "../../support/server.ts";
import { hasBrowser, sharedBrowser } from "../../support/web/browser.ts";
import { openApp, openSignedIn } from "../../support/web/web.ts";

describe("the web app's sign-in by a company", function () {
  this.timeout(180_000);
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

  const open = async () => (await openApp(await sharedBrowser(), app.url)).page;
  const goToCompany = async (page: Page, named: string) => {
    await page.getByRole("button", { name: "Continue with your company" }).click();
    await page.getByLabel("E-mail").fill(named);
    await page.getByRole("button", { name: "Go on" }).click();
  };

  it("is set by an owner, who sees no secret again", async () => {
    const { page } = await openSignedIn(await sharedBrowser(), tenant, "/settings/sign-in");
    await page.getByLabel("Issuer").fill(provider.issuer);
    await page.getByLabel("Client id").fill(CLIENT.clientId);
    await page.getByLabel("Client secret").fill(CLIENT.clientSecret);
    await page.getByLabel("E-mail domains").fill(`${domain}, example.com`);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    expect(await page.getByLabel("Client secret").inputValue()).to.equal("");
    expect(await page.getByLabel("Redirect URI").first().inputValue()).to.equal(`${app.url}/api/auth/oidc/callback`);
  });

  it("leads to the company by an e-mail address and back to where it began, signed in", async () => {
    const page = await open();
    await page.goto(`${app.url}/settings/keys`);
    await goToCompany(page, `ada@${domain}`);
    const host = new URL(provider.issuer).host;
    await page.getByText(host).waitFor();
    await page.getByRole("button", { name: "Yes, go there" }).click();
    await page.getByRole("heading", { name: "Personal keys" }).waitFor();
    await page.waitForURL((at) => at.pathname === "/settings/keys");
    await page.getByLabel("Name of the new key").fill("laptop");
    await page.getByLabel("When it ends").selectOption({ label: "Ends in 90 days" });
    await page.getByRole("button", { name: "Make key" }).click();
    await page.getByText("Key “laptop” is made.").waitFor();
    expect(await page.locator("td time").first().getAttribute("datetime")).to.match(/^\d{4}-/);
  });

  it("asks once for the password of an account that was there", async () => {
    const before = await freshOrganization(app);
    provider.someone = { subject: "olive", email: before.email };
    const page = await open();
    await goToCompany(page, tenant.urlKey);
    await page.getByRole("button", { name: "Yes, go there" }).click();
    await page.getByLabel("Password").fill("a guess");
    await page.getByRole("button", { name: "Join them" }).click();
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Password").fill(before.password);
    await page.getByRole("button", { name: "Join them" }).click();
    await page.getByRole("heading", { name: "Record your first session" }).waitFor();
    expect(page.url()).not.to.contain("confirm");
  });

  it("says why the company's sign-in leads nowhere, and shows no text of the address", async () => {
    provider.someone = { subject: "eve", email: "eve@else.example" };
    const page = await open();
    await goToCompany(page, tenant.urlKey);
    await page.getByRole("button", { name: "Yes, go there" }).click();
    await page.getByText("a domain that this organization does not let in").waitFor();
    const other = await open();
    await other.goto(`${app.url}/#refused=${encodeURIComponent("Call 555-1234")}`);
    await other.reload();
    await other.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await other.locator("body").innerText()).not.to.contain("555");
  });
});
