import { randomUUID } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { Browser } from "playwright-core";
import { generateSession, sendEvents } from "../bench/web/sessions.ts";
import { hasBrowser, startBrowser } from "./support/browser.ts";
import { LISTENING, spawnServer } from "./support/process.ts";
import { freshOrganization, type Tenant } from "./support/server.ts";
import { openApp, openSignedIn } from "./support/web.ts";

const event = (session_id: string, args: string, more: object = {}) => ({
  event_id: randomUUID(),
  session_id,
  primitive_name: "claude-code",
  args,
  result: "done",
  latency: 40,
  ...more,
});

describe("what happens while somebody looks", function () {
  this.timeout(120_000);
  let browser: Browser | undefined;
  let tenant: Tenant;
  before(async function () {
    if (!hasBrowser()) this.skip();
    browser = await startBrowser();
    tenant = await freshOrganization();
    await sendEvents(tenant.url, tenant.ingestKey, [event(randomUUID(), "The first of all")]);
  });
  after(() => browser?.close());

  it("a session appears in the list of two browsers, and waits where one of them has chosen a row", async () => {
    const one = await openSignedIn(browser as Browser, tenant, "/sessions");
    const other = await openSignedIn(browser as Browser, tenant, "/sessions");
    for (const { page } of [one, other]) {
      await page.getByText("Live", { exact: true }).waitFor();
      await page.getByRole("row", { name: /The first of all/ }).waitFor();
    }
    await other.page.keyboard.press("j");
    await other.page.locator('[role=row][aria-selected="true"]').waitFor();
    await sendEvents(tenant.url, tenant.ingestKey, [event(randomUUID(), "Comes while two look")]);
    await one.page.getByText("Comes while two look").waitFor();
    await other.page.getByRole("button", { name: /1 new session/ }).waitFor();
    expect(await other.page.getByText("Comes while two look").count()).to.equal(0);
    await other.page.keyboard.press(".");
    await other.page.getByText("Comes while two look").waitFor();
    expect([...one.problems, ...other.problems]).to.deep.equal([]);
  });

  it("events appear in a session that is open", async () => {
    const id = randomUUID();
    const turn = event(id, "Open while it goes on");
    await sendEvents(tenant.url, tenant.ingestKey, [turn]);
    const { page, problems } = await openSignedIn(browser as Browser, tenant, `/sessions/${id}`);
    await page.getByRole("row", { name: /Open while it goes on/ }).waitFor();
    await sendEvents(tenant.url, tenant.ingestKey, [
      event(id, '{"command":"make later"}', {
        parent_id: turn.event_id,
        primitive_type: "tool",
        primitive_name: "Bash",
        success: false,
      }),
    ]);
    await page.getByRole("row", { name: /Failed: Bash make later/ }).waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("by keyboard alone: from the list to a session that failed, its first failure, and back", async () => {
    const own = await freshOrganization();
    const events = generateSession({ seed: own.urlKey, events: 60, begin: Date.now() - 400_000, failEvery: 17 });
    await sendEvents(own.url, own.ingestKey, [...events, event(randomUUID(), "Nothing failed here")]);
    const { page, problems } = await openSignedIn(browser as Browser, own, "/sessions");
    await page.getByText("Nothing failed here").waitFor();
    await page.keyboard.press("x");
    await page.getByText("Nothing failed here").waitFor({ state: "detached" });
    expect(new URL(page.url()).searchParams.get("failed")).to.equal("1");
    await page.getByRole("link", { name: /The build on main fails/ }).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByRole("treegrid").waitFor();
    await page.keyboard.press("n");
    const first = events.find(({ success }) => !success);
    await page.waitForURL(`**/events/${first?.event_id}`);
    await page.getByRole("complementary", { name: "Event" }).getByText("Found 1 error.").waitFor();
    expect(await page.evaluate("document.activeElement.getAttribute('aria-selected')")).to.equal("true");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Escape");
    await page.waitForURL(`**/sessions/${first?.session_id}`);
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await page.waitForURL("**/sessions");
    expect(problems).to.deep.equal([]);
  });

  it("a login that the server ended: signed out with a sentence", async () => {
    const own = await freshOrganization();
    const { page } = await openSignedIn(browser as Browser, own, "/connect");
    await page.getByRole("heading", { name: "Record your first session" }).waitFor();
    const cookies = await page.context().cookies(`${own.url}/api/auth`);
    const refreshToken = cookies[0]?.value;
    await fetch(`${own.url}/api/auth/logout`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ refreshToken }),
    });
    await page.getByText("Your session has ended; sign in again.").waitFor();
  });

  it("a server that was started again: the page reconnects, and shows what it missed", async () => {
    const DATA_DIR = join(mkdtempSync(join(tmpdir(), "trackway-again-")), "data");
    let server = spawnServer({ DATA_DIR });
    const [, url = "", code] = await server.printed(/Open (http:\S+?)\/#welcome=(\S+)/);
    const [, key = ""] = await server.printed(/x-api-key: (sk_[0-9a-f]{64})/);
    const { page } = await openApp(browser as Browser, url, `/#welcome=${code}`);
    await page.getByRole("heading", { name: "Record your first session" }).waitFor();
    await sendEvents(url, key, [event(randomUUID(), "Before the stop")]);
    await page.goto(`${url}/sessions`);
    await page.getByText("Before the stop").waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    await server.stop();
    await page.getByText(/Not connected/).waitFor();
    server = spawnServer({ DATA_DIR, PORT: new URL(url).port });
    await server.printed(LISTENING);
    await sendEvents(url, key, [event(randomUUID(), "While it was away")]);
    await page.getByText("While it was away").waitFor();
    await page.getByText(/Not connected/).waitFor({ state: "detached" });
    await server.stop();
  });
});
