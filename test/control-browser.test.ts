import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { Browser } from "playwright-core";
import { routes } from "../server/control/routes.ts";
import { hasBrowser, startBrowser, watchedPage } from "./support/browser.ts";
import { joined } from "./support/members.ts";
import { call, freshOrganization, sendGraphQL, type Tenant } from "./support/server.ts";

describe("in a browser", function () {
  this.timeout(60_000);
  let browser: Browser | undefined;
  let tenant: Tenant;
  before(async function () {
    if (!hasBrowser()) this.skip();
    browser = await startBrowser();
    tenant = await freshOrganization();
  });
  after(() => browser?.close());

  const open = async (path: string) => {
    if (!browser) throw new Error("no browser");
    const watched = await watchedPage(browser, tenant.url);
    await watched.page.goto(tenant.url + path);
    return watched;
  };
  const settings = async (who: { email: string; password: string }) => {
    const watched = await open("/settings");
    await watched.page.getByLabel("E-mail").fill(who.email);
    await watched.page.getByLabel("Password").fill(who.password);
    await watched.page.getByRole("button", { name: "Sign in" }).click();
    await watched.page.getByText("tests").first().or(watched.page.locator("#api-keys")).first().waitFor();
    watched.page.on("dialog", (dialog) => void dialog.accept());
    return watched;
  };
  const capture = async (key: string) => {
    const body = { session_id: randomUUID(), user_data: { user_id: "u1" }, metadata: {} };
    return (await call(tenant.url, "POST", "/api/v1/capture-session", { body, headers: { "x-api-key": key } })).status;
  };

  it("the reference shows every endpoint, from this server alone", async () => {
    const { page, problems } = await open("/api/docs");
    await page
      .locator(".opblock")
      .nth(routes.length - 1)
      .waitFor();
    const shown = await page
      .locator(".opblock-summary-path")
      .evaluateAll((all) => all.map((one) => one.getAttribute("data-path")));
    expect(shown).to.have.members(routes.map(({ path }) => path.replace(/:(\w+)/g, "{$1}")));
    expect(problems).to.deep.equal([]);
  });

  it("the reference sends a request and shows what came back", async () => {
    const { page, problems } = await open("/api/docs");
    const health = page.locator("#operations-Health-getHealth");
    await health.locator(".opblock-summary").click();
    await health.getByRole("button", { name: "Execute" }).click();
    expect(await health.locator(".live-responses-table .response .response-col_status").first().innerText()).to.contain(
      "200",
    );
    expect(await health.locator(".live-responses-table .highlight-code").first().innerText()).to.contain(
      '"database": "ok"',
    );
    expect(problems).to.deep.equal([]);
  });

  it("the settings create a named ingest key, which captures until it is deleted", async () => {
    const { page, problems } = await settings(tenant);
    const section = page.locator("#ingest-keys");
    await section.getByLabel("Name").fill("browser");
    await section.getByRole("button", { name: "Create" }).click();
    await page.locator("#once").waitFor();
    const key = await page.locator("#once-key").innerText();
    expect([key.slice(0, 3), await capture(key)]).to.deep.equal(["sk_", 200]);
    await section.getByRole("button", { name: "Delete browser" }).click();
    await section.getByText("browser").waitFor({ state: "detached" });
    expect([await capture(key), problems]).to.deep.equal([401, []]);
  });

  it("the settings create a named personal key, which acts until it is deleted", async () => {
    const { page } = await settings(tenant);
    const section = page.locator("#api-keys");
    await section.getByLabel("Name").fill("my laptop");
    await section.getByRole("button", { name: "Create" }).click();
    await page.locator("#once").waitFor();
    const key = await page.locator("#once-key").innerText();
    expect((await sendGraphQL(tenant.url, key, { query: "{ viewer { id } }" })).status).to.equal(200);
    await section.getByRole("button", { name: "Delete my laptop" }).click();
    await section.getByText("my laptop").waitFor({ state: "detached" });
    expect((await sendGraphQL(tenant.url, key, { query: "{ viewer { id } }" })).status).to.equal(401);
  });

  it("the settings show a member their own keys and no ingest keys", async () => {
    const { page } = await settings(await joined(tenant));
    await page.locator("#ingest-keys").waitFor({ state: "hidden" });
    expect(await page.locator("#api-keys").isVisible()).to.equal(true);
    expect(await page.locator("#problem").isVisible()).to.equal(false);
  });

  it("the settings say when a password is wrong, and keep nothing over a reload", async () => {
    const { page } = await open("/settings");
    await page.getByLabel("E-mail").fill(tenant.email);
    await page.getByLabel("Password").fill("not the password");
    await page.getByRole("button", { name: "Sign in" }).click();
    expect(await page.getByRole("alert").innerText()).to.contain("password is wrong");
    const { page: second } = await settings(tenant);
    await second.reload();
    expect(await second.locator("#sign-in").isVisible()).to.equal(true);
    expect(
      await second.evaluate(
        "Object.keys(localStorage).length + Object.keys(sessionStorage).length + document.cookie.length",
      ),
    ).to.equal(0);
  });
});
