import { exec } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import type { Browser, Page } from "playwright-core";
import { sendEvents } from "../../../bench/web/sessions.ts";
import { LISTENING_LINE, type ServerProcess, spawnServer } from "../../support/run/process.ts";
import { hasBrowser, releaseContexts, startSharedBrowser } from "../../support/web/browser.ts";
import { openApp } from "../../support/web/web.ts";

describe("from the first start to the first event,", () => {
  let browser: Browser | undefined;
  let server: ServerProcess | undefined;
  let signedIn: Page | undefined;
  const DATA_DIR = join(mkdtempSync(join(tmpdir(), "trackway-first-")), "data");
  before(async function () {
    if (!hasBrowser()) this.skip();
    browser = await startSharedBrowser();
    server = spawnServer({ DATA_DIR });
  });
  afterEach(function () {
    // The page reports only that the connection was refused, so the server's exit code and output are printed.
    if (this.currentTest?.state === "failed") console.error(server?.child.exitCode, server?.output().slice(-4_000));
  });
  after(async () => {
    await releaseContexts(browser);
    await server?.stop();
  });

  it("the printed link signs in, the page's curl command records an event, and the page opens it without a reload", async () => {
    const [, url, code] = await (server as ServerProcess).printed(/Open (http:\S+?)\/#welcome=(\S+)/);
    const { page, problems } = await openApp(browser as Browser, String(url), `/#welcome=${code}`);
    signedIn = page;
    await page.getByRole("heading", { name: "Record your first session" }).waitFor();
    expect(page.url()).to.equal(`${url}/connect`);
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByText("Copy the key now; it is not shown again.").waitFor();
    const snippet = await page.getByRole("region", { name: "Snippet for curl" }).innerText();
    const { stdout } = await promisify(exec)(snippet);
    expect(JSON.parse(stdout)).to.include({ accepted: 1 });
    await page.getByText("First event received").waitFor();
    await page.getByRole("link", { name: "Open session" }).click();
    await page.getByRole("row", { name: /What broke the build\?/ }).click();
    await page.getByRole("complementary", { name: "Event" }).getByText("A missing import in the parser.").waitFor();
    expect(page.url()).to.match(/\/sessions\/[0-9a-f-]{36}\/events\/[0-9a-f-]{36}$/);
    await page.goto(`${url}/`);
    await page.getByRole("table", { name: "Sessions" }).getByText("What broke the build?").waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("the printed link works once; a second use shows a message and the password sign-in", async () => {
    const [, url, code] = await (server as ServerProcess).printed(/Open (http:\S+?)\/#welcome=(\S+)/);
    const { page } = await openApp(browser as Browser, String(url), `/#welcome=${code}`);
    await page.getByText("This link was already used").waitFor();
    expect(page.url()).to.equal(`${url}/`);
    await page.getByLabel("Password").waitFor();
  });

  it("the page reconnects after a restart of the server, and shows the missed event", async function () {
    const page = signedIn ?? this.skip();
    const first = server as ServerProcess;
    const [, url = ""] = await first.printed(/Open (http:\S+?)\/#welcome=/);
    const [, key = ""] = await first.printed(/x-api-key: (sk_[0-9a-f]{64})/);
    await page.getByText("Live", { exact: true }).waitFor();
    expect(await first.stop()).to.equal(0);
    await page.getByText(/Not connected/).waitFor();
    server = spawnServer({ DATA_DIR, PORT: new URL(url).port });
    await server.printed(LISTENING_LINE);
    const common = { session_id: randomUUID(), primitive_name: "claude-code", result: "done", latency: 40 };
    await sendEvents(url, key, [{ ...common, event_id: randomUUID(), args: "While it was away" }]);
    await page.getByText("While it was away").waitFor();
    await page.getByText(/Not connected/).waitFor({ state: "detached" });
  });
});
