import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { AGENTS } from "../../cli/connect/agents/agents.ts";
import { createEvent } from "../support/recording/ingest.ts";
import { callRestApi } from "../support/server.ts";
import { findViolations } from "../support/web/axe.ts";
import { pressEnter } from "../support/web/pointer.ts";
import { setUpBrowserTests } from "../support/web/web.ts";
import { createWorld } from "../support/web/web-world.ts";

const HOSTILE = '<img src=x onerror="window.__hit=1">';

describe("the command palette", () => {
  const web = setUpBrowserTests(async (tenant) => {
    await createWorld(tenant);
    const event = createEvent({ parent_id: randomUUID(), primitive_name: `Tool ${HOSTILE}` });
    await callRestApi(tenant.url, "POST", "/api/v1/capture-event", {
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

  it("finds sessions, issues, tools and pages above a fixed footer, and opens them by keyboard alone", async () => {
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
    expect(await findViolations(page)).to.deep.equal([]);
    expect([await page.evaluate("window.__hit"), problems]).to.deep.equal([undefined, []]);
  });

  it("opens again immediately after closing", async () => {
    const { page, problems } = await web.open("/connect");
    await open(page);
    // Click and key run in one task, with rendering between them. With real keys, the browser would decide when to
    // send the close event.
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

  it("finds everything else when the tools cannot be read", async () => {
    const { page } = await web.open("/connect");
    await page.route("**/graphql", (route) =>
      route.request().postData()?.includes("recordedToolStats") ? route.abort() : route.continue(),
    );
    await open(page);
    await page.keyboard.type("round");
    await page.getByRole("option", { name: /Build fails on main/ }).waitFor();
  });
});

describe("the connect page", () => {
  const web = setUpBrowserTests();

  it("has a tab for each agent of the command trackway connect, with the created key, by keyboard alone", async () => {
    const { page, problems } = await web.open("/connect");
    await pressEnter(page.getByRole("button", { name: "Create a key" }));
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
    expect([await findViolations(page), problems]).to.deep.equal([[], []]);
  });
});
