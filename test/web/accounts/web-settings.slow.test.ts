import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { inviteGuest } from "../../support/members.ts";
import { callRestApi, createOrganization, sendGraphQL } from "../../support/server.ts";
import { closeReceivers, startReceiver } from "../../support/stream/receiver.ts";
import { openContext, openWatchedPage } from "../../support/web/browser.ts";
import { setUpBrowserTests } from "../../support/web/web.ts";
import { createWorld } from "../../support/web/web-world.ts";

describe("the settings pages", () => {
  const web = setUpBrowserTests();
  const { open } = web;
  after(() => closeReceivers());
  const makeKey = async (page: Page, name: string) => {
    await page.getByLabel("Name of the new key").fill(name);
    await page.keyboard.press("Enter");
    await page.getByText(`Key “${name}” created.`).waitFor();
    return page.locator(".secret code").innerText();
  };
  const deleteKey = async (page: Page, name: string) => {
    await page.getByRole("button", { name: `Delete key ${name}` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: `Delete key ${name}` }).waitFor({ state: "detached" });
  };
  const capture = async (key: string) => {
    const body = { session_id: randomUUID(), user_data: { user_id: "u1" }, metadata: {} };
    return (
      await callRestApi(web.tenant.url, "POST", "/api/v1/capture-session", { body, headers: { "x-api-key": key } })
    ).status;
  };

  it("create an ingest key with a snippet that records events until the key is deleted", async () => {
    const { page, problems } = await open("/settings/ingest-keys");
    const key = await makeKey(page, "browser");
    expect(await page.getByRole("region", { name: "Snippet for curl" }).innerText()).to.contain(key);
    expect(await capture(key)).to.equal(200);
    await deleteKey(page, "browser");
    expect([await capture(key), await page.getByText(key).count(), problems]).to.deep.equal([401, 0, []]);
  });

  it("create a personal key that works until it is deleted", async () => {
    const { page, problems } = await open("/settings/keys");
    const key = await makeKey(page, "my laptop");
    expect((await sendGraphQL(web.tenant.url, key, { query: "{ viewer { id } }" })).status).to.equal(200);
    await deleteKey(page, "my laptop");
    expect((await sendGraphQL(web.tenant.url, key, { query: "{ viewer { id } }" })).status).to.equal(401);
    expect(problems).to.deep.equal([]);
  });

  it("show a member only their own keys, and send no owner-only requests", async () => {
    const member = await inviteGuest(web.tenant);
    const { page, problems } = await open("/settings/keys", member);
    await makeKey(page, "mine");
    for (const part of ["ingest-keys", "webhooks", "audit"]) {
      await page.goto(`${web.tenant.url}/settings/${part}`);
      await page.getByText("Only owners of the organization can see and change this page.").waitFor();
    }
    expect(problems).to.deep.equal([]);
  });

  it("invite a member by link, change the member's role to owner, and remove the member", async () => {
    const { page, problems } = await open("/settings/members");
    const email = `nora-${randomUUID().slice(0, 8)}@example.com`;
    await page.getByLabel("Email of the new member").fill(email);
    await page.keyboard.press("Enter");
    const link = await page.locator(".secret code").innerText();
    const { page: hers } = await openWatchedPage(await openContext(web.browser), web.tenant.url);
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

  it("add a webhook, show its deliveries and resend a delivery", async () => {
    const heard = await startReceiver();
    const { page, problems } = await open("/settings/webhooks");
    await page.getByLabel("URL of the new webhook").fill(heard.url);
    await page.keyboard.press("Enter");
    await page.getByText("This is the signing secret").waitFor();
    await createWorld(web.tenant);
    await heard.until((all) => all.length > 0);
    const before = heard.received.length;
    await page.getByRole("button", { name: "Refresh" }).click();
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

  it("show owners the audit log, filtered by kind and person in the address, by keyboard alone", async () => {
    const own = await createOrganization();
    const name = '<img src=x onerror="window.__hit=1">';
    await own.rest("POST", "/api/ingest-keys", { name });
    const { page, problems } = await open("/settings/audit", own);
    await page.getByRole("cell", { name: `Created an ingest key ${name}` }).waitFor();
    await page.getByLabel("Subject").selectOption("webhook");
    await page.getByRole("heading", { name: "No matching entries" }).waitFor();
    await page.goto(`${own.url}/settings/audit?event=login`);
    await page.getByRole("cell", { name: "Signed in" }).first().waitFor();
    expect(await page.getByText("Created an ingest key").count()).to.equal(0);
    await page.getByRole("table", { name: "Audit log" }).getByRole("button").first().focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Show all users" }).waitFor();
    expect(new URL(page.url()).searchParams.get("user")).to.match(/^[0-9a-f-]{36}$/);
    await page.locator(".js summary").first().focus();
    await page.keyboard.press("Enter");
    await page.getByText("login.began").first().waitFor();
    expect([await page.evaluate("window.__hit"), problems]).to.deep.equal([undefined, []]);
  });

  it("show why the audit log could not be read, and read it again on retry", async () => {
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

  it("rename the organization, create another organization and switch back", async () => {
    const own = await createOrganization();
    const { page, problems } = await web.open("/settings/organization", own);
    await page.getByLabel("Name", { exact: true }).fill("Acme renamed");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    await page.locator(".brand .org", { hasText: "Acme renamed" }).waitFor();
    await page.getByLabel("Name of the new organization", { exact: true }).fill("Second");
    await page.getByLabel("URL name of the new organization").fill(`second-${Date.now()}`);
    await page.getByRole("button", { name: "Create" }).click();
    await page.locator(".brand .org", { hasText: "Second" }).waitFor();
    await page.getByLabel("URL name of the organization").fill(own.urlKey);
    await page.getByRole("button", { name: "Switch" }).click();
    await page.locator(".brand .org", { hasText: "Acme renamed" }).waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("switch redaction, save custom patterns, report an invalid pattern; members can only read", async () => {
    const own = await createOrganization();
    const { page, problems } = await open("/settings/redaction", own);
    const [personal, patterns] = [page.getByLabel("Personal data"), page.getByLabel("Custom patterns")];
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
    const member = await open("/settings/redaction", await inviteGuest(own));
    await member.page.getByText("Only owners of the organization can change these settings.").waitFor();
    expect(await member.page.getByLabel("Personal data").isDisabled()).to.equal(true);
    expect([...problems, ...member.problems]).to.deep.equal([]);
  });
});
