import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { joined } from "../../support/members.ts";
import { call, freshOrganization, sendGraphQL } from "../../support/server.ts";
import { closeReceivers, startReceiver } from "../../support/stream/receiver.ts";
import { newContext, watchedPage } from "../../support/web/browser.ts";
import { inBrowser } from "../../support/web/web.ts";
import { makeWorld } from "../../support/web/web-world.ts";

describe("the web app's settings", function () {
  this.timeout(180_000);
  const web = inBrowser();
  const { open } = web;
  after(() => closeReceivers());
  const makeKey = async (page: Page, name: string) => {
    await page.getByLabel("Name of the new key").fill(name);
    await page.keyboard.press("Enter");
    await page.getByText(`Key “${name}” is made.`).waitFor();
    return page.locator(".secret code").innerText();
  };
  const deleteKey = async (page: Page, name: string) => {
    await page.getByRole("button", { name: `Delete key ${name}` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: `Delete key ${name}` }).waitFor({ state: "detached" });
  };
  const capture = async (key: string) => {
    const body = { session_id: randomUUID(), user_data: { user_id: "u1" }, metadata: {} };
    return (await call(web.tenant.url, "POST", "/api/v1/capture-session", { body, headers: { "x-api-key": key } }))
      .status;
  };

  it("makes an ingest key with what to paste, which captures until it is deleted", async () => {
    const { page, problems } = await open("/settings/ingest-keys");
    const key = await makeKey(page, "browser");
    expect(await page.getByRole("region", { name: "Snippet for curl" }).innerText()).to.contain(key);
    expect(await capture(key)).to.equal(200);
    await deleteKey(page, "browser");
    expect([await capture(key), await page.getByText(key).count(), problems]).to.deep.equal([401, 0, []]);
  });

  it("makes a personal key, which acts until it is deleted", async () => {
    const { page, problems } = await open("/settings/keys");
    const key = await makeKey(page, "my laptop");
    expect((await sendGraphQL(web.tenant.url, key, { query: "{ viewer { id } }" })).status).to.equal(200);
    await deleteKey(page, "my laptop");
    expect((await sendGraphQL(web.tenant.url, key, { query: "{ viewer { id } }" })).status).to.equal(401);
    expect(problems).to.deep.equal([]);
  });

  it("shows a member their own keys, and asks the server nothing that only owners may", async () => {
    const member = await joined(web.tenant);
    const { page, problems } = await open("/settings/keys", member);
    await makeKey(page, "mine");
    for (const part of ["ingest-keys", "webhooks", "audit"]) {
      await page.goto(`${web.tenant.url}/settings/${part}`);
      await page.getByText("Only owners of the organization see and change this.").waitFor();
    }
    expect(problems).to.deep.equal([]);
  });

  it("invites a member by a link, gives the role of an owner, and removes", async () => {
    const { page, problems } = await open("/settings/members");
    const email = `nora-${randomUUID().slice(0, 8)}@example.com`;
    await page.getByLabel("E-mail of the new member").fill(email);
    await page.keyboard.press("Enter");
    const link = await page.locator(".secret code").innerText();
    const { page: hers } = await watchedPage(await newContext(web.browser), web.tenant.url);
    await hers.goto(link);
    await hers.getByLabel("Your name").fill("Nora New");
    await hers.getByLabel("Password").fill("a password of Nora's");
    await hers.getByRole("button", { name: "Join" }).click();
    await hers.getByRole("navigation", { name: "Main", exact: true }).waitFor();
    await page.reload();
    await page.getByLabel("Role of Nora New").selectOption("owner");
    const roles = async () => {
      const { members } = (await web.tenant.rest("GET", "/api/members")).body as {
        members: { email: string; role: string }[];
      };
      return members.find((one) => one.email === email)?.role;
    };
    while ((await roles()) !== "owner") await new Promise((resolve) => setTimeout(resolve, 20));
    await page.getByRole("button", { name: "Remove Nora New" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByRole("button", { name: "Remove Nora New" }).waitFor({ state: "detached" });
    expect([await roles(), problems]).to.deep.equal([undefined, []]);
  });

  it("adds a webhook, shows what it was sent, and sends it again", async () => {
    const heard = await startReceiver();
    const { page, problems } = await open("/settings/webhooks");
    await page.getByLabel("Target of the new webhook").fill(heard.url);
    await page.keyboard.press("Enter");
    await page.getByText("this is its signing secret").waitFor();
    await makeWorld(web.tenant);
    await heard.until((all) => all.length > 0);
    const before = heard.received.length;
    await page.getByRole("button", { name: "Read again" }).click();
    const first = page.getByRole("button", { name: "Delivered" }).first();
    await first.click();
    await page.getByText("Attempt 1").waitFor();
    const payload = page.getByRole("group", { name: "Payload" });
    await payload.getByText("organizationId").waitFor();
    expect(await payload.innerText()).to.contain(web.tenant.organizationId);
    await page
      .getByRole("button", { name: /^Redeliver/ })
      .first()
      .click();
    await heard.until((all) => all.length > before);
    await page.getByRole("button", { name: `Disable ${heard.url}` }).click();
    await page.getByText("Disabled").waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("shows owners who did what, narrowed by kind and by person in the address, and by keys alone", async () => {
    const own = await freshOrganization();
    const name = '<img src=x onerror="window.__hit=1">';
    await own.rest("POST", "/api/ingest-keys", { name });
    const { page, problems } = await open("/settings/audit", own);
    await page.getByRole("cell", { name: `Created an ingest key ${name}` }).waitFor();
    await page.getByLabel("What it is about").selectOption("webhook");
    await page.getByRole("heading", { name: "Nothing of this was done" }).waitFor();
    await page.goto(`${own.url}/settings/audit?event=login`);
    await page.getByRole("cell", { name: "Signed in" }).first().waitFor();
    expect(await page.getByText("Created an ingest key").count()).to.equal(0);
    await page.getByRole("table", { name: "Audit log" }).getByRole("button").first().focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Of everybody" }).waitFor();
    expect(new URL(page.url()).searchParams.get("user")).to.match(/^[0-9a-f-]{36}$/);
    await page.locator(".js summary").first().focus();
    await page.keyboard.press("Enter");
    await page.getByText("login.began").first().waitFor();
    expect([await page.evaluate("window.__hit"), problems]).to.deep.equal([undefined, []]);
  });

  it("says why the audit log cannot be read, and reads it when asked again", async () => {
    const { page } = await open("/settings/profile");
    await page.route("**/api/audit?*", (route) =>
      route.fulfill({ status: 503, json: { error: "The database rests." } }),
    );
    await page.getByRole("link", { name: "Audit log" }).click();
    await page.getByText("The database rests.").waitFor();
    await page.unroute("**/api/audit?*");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("table", { name: "Audit log" }).waitFor();
  });

  it("renames the organization, creates another one, and switches back", async () => {
    const own = await freshOrganization();
    const { page, problems } = await web.open("/settings/organization", own);
    await page.getByLabel("Name", { exact: true }).fill("Acme renamed");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    await page.locator(".brand .org", { hasText: "Acme renamed" }).waitFor();
    await page.getByLabel("Name of the new organization", { exact: true }).fill("Second");
    await page.getByLabel("URL name of the new organization").fill(`second-${Date.now()}`);
    await page.getByRole("button", { name: "Create" }).click();
    await page.locator(".brand .org", { hasText: "Second" }).waitFor();
    await page.getByLabel("Its URL name").fill(own.urlKey);
    await page.getByRole("button", { name: "Switch" }).click();
    await page.locator(".brand .org", { hasText: "Acme renamed" }).waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("switches redaction and keeps own patterns, says what is wrong with one, and lets members look", async () => {
    const own = await freshOrganization();
    const { page, problems } = await open("/settings/redaction", own);
    const [personal, patterns] = [page.getByLabel("Personal data"), page.getByLabel("Own patterns")];
    await personal.check();
    await patterns.fill("customer a*");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("a match must have at least 3 characters").waitFor();
    await patterns.fill("customer C-\\d{4} \\d{4}\n\nacme-key acme_[a-z]{8}");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    const query = "{ organization { redactionEnabled redactionEntropy redactionPersonalData redactionPatterns } }";
    expect((await own.gql(query)).organization).to.deep.equal({
      redactionEnabled: true,
      redactionEntropy: false,
      redactionPersonalData: true,
      redactionPatterns: [
        { name: "customer", pattern: "C-\\d{4} \\d{4}" },
        { name: "acme-key", pattern: "acme_[a-z]{8}" },
      ],
    });
    await page.reload();
    expect(await patterns.inputValue()).to.equal("customer C-\\d{4} \\d{4}\nacme-key acme_[a-z]{8}");
    const member = await open("/settings/redaction", await joined(own));
    await member.page.getByText("Only owners of the organization change this.").waitFor();
    expect(await member.page.getByLabel("Personal data").isDisabled()).to.equal(true);
    expect([...problems, ...member.problems]).to.deep.equal([]);
  });
});
