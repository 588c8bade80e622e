import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { AGENTS } from "../../cli/connect/agents/agents.ts";
import { anEvent } from "../support/recording/ingest.ts";
import { call } from "../support/server.ts";
import { violations } from "../support/web/axe.ts";
import { entered } from "../support/web/pointer.ts";
import { inBrowser } from "../support/web/web.ts";
import { makeWorld } from "../support/web/web-world.ts";

const HOSTILE = '<img src=x onerror="window.__hit=1">';

describe("the command palette", function () {
  this.timeout(180_000);
  const web = inBrowser(async (tenant) => {
    await makeWorld(tenant);
    const event = anEvent({ parent_id: randomUUID(), primitive_name: `Tool ${HOSTILE}` });
    await call(tenant.url, "POST", "/api/v1/capture-event", {
      body: event,
      headers: { "x-api-key": tenant.ingestKey },
    });
  });

  const chosen: [text: string, group: string, option: RegExp, path: RegExp][] = [
    ["claude-code", "Sessions", /Why is CI red/, /^\/sessions\/[0-9a-f-]{36}$/],
    ["round", "Issues", /Build fails on main/, /\/issue\/ENG-\d+/],
    ["bas", "Tools", /^Bash/, /^\/tools\/Bash$/],
    ["onerror", "Tools", /Tool <img src=x/, /^\/tools\/Tool%20%3Cimg/],
    ["audit", "Pages", /Audit log/, /^\/settings\/audit$/],
    ["tools", "Pages", /^Tools/, /^\/tools$/],
  ];
  const field = (page: Page) => page.getByRole("combobox", { name: /^Search sessions, issues, tools, pages$/ });
  const open = async (page: Page) => {
    await page.keyboard.press("Control+k");
    await field(page).waitFor();
  };

  it("finds sessions, issues, tools and pages above a foot that stands, and opens them by keys alone", async () => {
    const { page, problems } = await web.open("/connect");
    for (const [text, group, option, path] of chosen) {
      await open(page);
      const foot = await page.locator(".pal .keys").boundingBox();
      await page.keyboard.type(text, { delay: 15 });
      const found = page.getByRole("group", { name: group }).getByRole("option", { name: option }).first();
      await found.waitFor();
      expect(await page.locator(".pal .keys").boundingBox()).to.deep.equal(foot);
      for (let n = 0; n < 30 && (await found.getAttribute("aria-selected")) !== "true"; n += 1)
        await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.waitForURL((url) => path.test(url.pathname));
      await field(page).waitFor({ state: "hidden" });
    }
    await open(page);
    await page.keyboard.type("onerror");
    await page.getByRole("group", { name: "Tools" }).waitFor();
    expect(await violations(page)).to.deep.equal([]);
    expect([await page.evaluate("window.__hit"), problems]).to.deep.equal([undefined, []]);
  });

  it("opens again at once after it was closed", async () => {
    const { page, problems } = await web.open("/connect");
    await open(page);
    // Both in one task, between which the page renders: with keys, the browser decides when it sends the event of the end.
    await page.evaluate(`(async () => {
      document.querySelector("dialog.pal").click();
      for (let n = 0; n < 10; n += 1) await null;
      document.dispatchEvent(new KeyboardEvent("keydown", { key: "k", ctrlKey: true }));
    })()`);
    await page.evaluate("new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)))");
    expect(await field(page).isVisible()).to.equal(true);
    await page.keyboard.press("Escape");
    await field(page).waitFor({ state: "hidden" });
    expect(problems).to.deep.equal([]);
  });

  it("finds all else when the tools cannot be read", async () => {
    const { page } = await web.open("/connect");
    await page.route("**/graphql", (route) =>
      route.request().postData()?.includes("recordedToolStats") ? route.abort() : route.continue(),
    );
    await open(page);
    await page.keyboard.type("round");
    await page.getByRole("option", { name: /Build fails on main/ }).waitFor();
  });
});

describe("the page that connects an agent", function () {
  this.timeout(180_000);
  const web = inBrowser();

  it("has a tab for everything that the command connects, each with the key that was made there, by keys alone", async () => {
    const { page, problems } = await web.open("/connect");
    await entered(page.getByRole("button", { name: "Create a key" }));
    const key = await page.locator(".secret code").innerText();
    await page.getByRole("tab", { name: "curl" }).focus();
    const seen: string[] = [];
    for (let n = 0; n < 20; n += 1) {
      const snippet = await page.getByRole("tabpanel").innerText();
      expect(snippet).to.contain(key);
      seen.push(
        /trackway connect ([\w-]+)/.exec(snippet)?.[1] ??
          (await page.locator("[role=tab][aria-selected=true]").innerText()),
      );
      await page.keyboard.press("ArrowRight");
      if ((await page.locator("[role=tab][aria-selected=true]").innerText()) === "curl") break;
    }
    const connected = AGENTS.map(({ name }) => name).filter((name) => name !== "env");
    expect(seen).to.deep.equal(["curl", ...connected, "OpenTelemetry"]);
    await page.setViewportSize({ width: 375, height: 800 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).to.equal(375);
    expect([await violations(page), problems]).to.deep.equal([[], []]);
  });
});
