import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { Page } from "playwright-core";
import type { App } from "../../../server/app.ts";
import { createAuthorizationRequest } from "../../support/accounts/oauth.ts";
import { closeMailReceivers, type MailReceiver, startMailReceiver } from "../../support/accounts/smtp.ts";
import { callRestApi, closeOwnServers, createOrganization, startServer, type Tenant } from "../../support/server.ts";
import { APPEARANCES, findViolations, setAppearance } from "../../support/web/axe.ts";
import { hasBrowser, startSharedBrowser } from "../../support/web/browser.ts";
import { openApp } from "../../support/web/web.ts";

describe("the pages before sign-in", () => {
  let mail: MailReceiver;
  let app: App;
  let tenant: Tenant;
  before(async function () {
    if (!hasBrowser()) this.skip();
    mail = await startMailReceiver();
    const SMTP_URL = `smtp://relay:relay-password@127.0.0.1:${mail.port}?security=none`;
    app = await startServer({ SMTP_URL, MAIL_FROM: "Trackway <trackway@example.com>" });
    tenant = await createOrganization(app);
  });
  after(async () => {
    await closeMailReceivers();
    await closeOwnServers();
  });

  const open = async (path = "/") => openApp(await startSharedBrowser(), app.url, path);
  const enter = async (page: Page) => {
    await page.getByLabel("Email").fill(tenant.email);
    await page.getByLabel("Password").fill(tenant.password);
    await page.keyboard.press("Enter");
  };
  const press = (name: string) => (page: Page) => page.getByRole("button", { name }).click();

  /** Pages of sign-in and consent: heading, path, and the steps to reach the page. */
  const doors: [
    heading: string | RegExp,
    path: () => Promise<string> | string,
    go?: (page: Page) => Promise<unknown>,
  ][] = [
    ["Sign in", () => "/"],
    ["Sign in", () => "/#refused=domain"],
    ["Create an account", () => "/", press("Create an account")],
    ["Sign in with your company", () => "/", press("Continue with your company")],
    ["Choose a new password", () => "/", press("Forgot your password?")],
    ["Choose a new password", () => `/#reset=${randomUUID()}`],
    ["Accept the invitation", () => `/#invitation=${randomUUID()}`],
    ["Is this account yours?", () => `/#confirm=${randomUUID()}`],
    ["Trackway did not connect the app", () => "/oauth/authorize?client_id=nobody"],
    [
      /^Allow .+ to act on your behalf\?$/,
      async () => `/oauth/authorize?${(await createAuthorizationRequest(app.url)).query}`,
      enter,
    ],
  ];

  it("have one heading and a title, no axe violations and no horizontal scrolling, in both themes, wide and narrow", async () => {
    const wrong: string[] = [];
    for (const [heading, path, go] of doors) {
      const { page } = await open(await path());
      await go?.(page);
      await page.getByRole("heading", { level: 1, name: heading }).waitFor();
      for (const look of APPEARANCES) {
        await setAppearance(page, look);
        const wide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
        const found = [...(await findViolations(page, look)), ...(wide ? ["scrolls sideways"] : [])];
        for (const each of found) wrong.push(`${heading} ${look.width} ${look.theme} ${each}`);
        const folder = process.env["PICTURES"];
        if (folder)
          await page.screenshot({
            path: `${folder}/door-${doors.findIndex((one) => one[1] === path)}-${look.width}-${look.theme}.png`,
          });
      }
      if (!(await page.title()).endsWith("· Trackway")) wrong.push(`${heading} has no title`);
      await page.context().close();
    }
    expect(wrong).to.deep.equal([]);
  });

  /** Clicks the center of an element with the mouse, as a user does. */
  async function point(page: Page, at: ReturnType<Page["getByRole"]>) {
    await at.scrollIntoViewIfNeeded();
    const box = await at.boundingBox();
    if (!box) throw new Error("nothing is shown there");
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  }

  for (const [creator, kept] of [
    [/^I did/, true],
    [/^Somebody else/, false],
  ] as const)
    it(`reset a forgotten password by an emailed link, which signs in and ${kept ? "keeps" : "removes"} what the account had`, async () => {
      const email = `${randomUUID()}@example.com`;
      const signup = { email, password: "the old password", name: "Olga" };
      const { body } = await callRestApi(app.url, "POST", "/api/auth/signup", { body: signup });
      const headers = { Authorization: `Bearer ${body["accessToken"]}` };
      await callRestApi(app.url, "POST", "/api/organization", {
        headers,
        body: { name: "Olga's", urlKey: `o${Date.now()}` },
      });
      const { page, problems } = await open();
      await point(page, page.getByRole("button", { name: "Forgot your password?" }));
      await page.getByLabel("Email").fill(email);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Check your email" }).waitFor();
      const [taken] = await mail.until((all) => all.some(({ to }) => to.includes(email)));
      const sent = mail.mails.find(({ to }) => to.includes(email)) ?? taken;
      await page.goto(/https?:\S+#reset=[\w&=-]+/.exec(sent?.text ?? "")?.[0] ?? "");
      await page.reload();
      await page.getByLabel("Password").fill("a new password");
      await point(page, page.getByRole("button", { name: "Sign in" }));
      expect(await page.locator("input[name=creator]:invalid").count(), "asks for an answer").to.equal(2);
      await point(page, page.getByRole("radio", { name: creator }));
      expect(await page.getByRole("radio", { name: creator }).isChecked()).to.equal(true);
      await page.getByLabel("Password").fill("short");
      await point(page, page.getByRole("button", { name: "Sign in" }));
      await page.getByRole("alert").waitFor();
      problems.length = 0;
      await page.getByLabel("Password").fill("a new password");
      await point(page, page.getByRole("button", { name: "Sign in" }));
      const shown = page.getByRole("heading", { name: "Name your organization" });
      await (kept ? page.getByText("Olga's").first() : shown).waitFor();
      expect([await shown.count(), page.url().includes("reset"), problems]).to.deep.equal([kept ? 0 : 1, false, []]);
      await page.context().close();
    });
});
