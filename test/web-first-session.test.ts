import { exec } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import type { Browser } from "playwright-core";
import { hasBrowser, startBrowser } from "./support/browser.ts";
import { type ServerProcess, spawnServer } from "./support/process.ts";
import { openApp } from "./support/web.ts";

describe("from the first start to the first event", function () {
  this.timeout(90_000);
  let browser: Browser | undefined;
  let server: ServerProcess | undefined;
  before(async function () {
    if (!hasBrowser()) this.skip();
    browser = await startBrowser();
    server = spawnServer({ DATA_DIR: join(mkdtempSync(join(tmpdir(), "trackway-first-")), "data") });
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  it("the printed link signs in, the page's curl is pasted, and what it records opens without a reload", async () => {
    const [, url, code] = await (server as ServerProcess).printed(/Open (http:\S+?)\/#welcome=(\S+)/);
    const { page, problems } = await openApp(browser as Browser, String(url), `/#welcome=${code}`);
    await page.getByRole("heading", { name: "Record your first session" }).waitFor();
    expect(page.url()).to.equal(`${url}/connect`);
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByText("Shown this once.").waitFor();
    const snippet = await page.getByRole("region", { name: "Snippet for curl" }).innerText();
    const { stdout } = await promisify(exec)(snippet);
    expect(JSON.parse(stdout)).to.include({ accepted: 1 });
    await page.getByText("First event received").waitFor({ timeout: 1_000 });
    await page.getByRole("link", { name: "Open the session" }).click();
    await page.getByRole("row", { name: /What broke the build\?/ }).click();
    await page.getByRole("complementary", { name: "Event" }).getByText("A missing import in the parser.").waitFor();
    expect(page.url()).to.match(/\/sessions\/[0-9a-f-]{36}\/events\/[0-9a-f-]{36}$/);
    await page.goto(`${url}/`);
    await page.getByRole("table", { name: "Sessions" }).getByText("What broke the build?").waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("the link counts once: whoever has it later is told so, and signs in with the password", async () => {
    const [, url, code] = await (server as ServerProcess).printed(/Open (http:\S+?)\/#welcome=(\S+)/);
    const { page } = await openApp(browser as Browser, String(url), `/#welcome=${code}`);
    await page.getByText("This link was used").waitFor();
    expect(page.url()).to.equal(`${url}/`);
    await page.getByLabel("Password").waitFor();
  });
});
