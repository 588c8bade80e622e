import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { createEvent } from "../../support/recording/ingest.ts";
import { callRestApi, type Tenant } from "../../support/server.ts";
import { findViolations } from "../../support/web/axe.ts";
import { clickElement } from "../../support/web/pointer.ts";
import { openSignedIn, setUpBrowserTests } from "../../support/web/web.ts";
import { navigateWithin } from "../../support/web/web-visit.ts";

const CONTROLS = ["\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"];
const REVERSED = `Delete ${CONTROLS.join("x")} evil`;
/** More turns than a transcript renders at once. */
const TURNS = 20;
const LONG_TOOL = `tool_${"of_a_very_long_name_".repeat(12)}`;
const DESCRIPTION = `- [x] written\n- [ ] read\n\n| a | b |\n|---|---|\n| 1 | ${REVERSED} |\n\n\`\`\`\n${"long line ".repeat(60)}\n\`\`\``;

describe("the web app in everyday use", () => {
  let path: string;
  let sessionId: string;
  const app = setUpBrowserTests(async (tenant) => {
    ({ path } = await makeIssue(tenant));
    sessionId = await recordSession(tenant, Date.now() - 3_600_000, TURNS);
    for (let n = 0; n < 6; n += 1) await recordSession(tenant, Date.now() - n * 1_000, 1, "Tidy up");
  });

  /** Returns the bidirectional control characters in the visible text, titles and labels of the page. */
  const controlsShown = (page: Page) =>
    page.evaluate<string[]>(`(() => {
      const read = [...document.querySelectorAll("[title],[aria-label]")].flatMap((one) => [one.title ?? "", one.getAttribute("aria-label") ?? ""]);
      return [...(document.title + document.body.innerText + read.join("")).matchAll(/[\\u202a-\\u202e\\u2066-\\u2069]/g)].map(([sign]) => sign);
    })()`);

  it("types every letter after Ctrl K into the palette, and triggers no shortcut of the page", async () => {
    const { page } = await app.open("/sessions");
    await page.getByRole("table", { name: "Sessions" }).waitFor();
    for (const word of ["Explore", "gsgtgi?xe"]) {
      await page.keyboard.press("Control+k");
      for (const letter of word) await page.keyboard.press(letter);
      expect(await page.getByRole("combobox", { name: /^Search sessions/ }).inputValue()).to.equal(word);
      await page.waitForURL((at) => at.pathname === "/sessions");
      await page.keyboard.press("Escape");
    }
  });

  it("finds a session by words of its title, in any order", async () => {
    const { page } = await app.open("/connect");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("keys idempotency");
    await page.getByRole("option", { name: /Add idempotency keys/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.pathname === `/sessions/${sessionId}`);
  });

  it("reports a filter that does not exist, and searches for its text", async () => {
    const { page } = await app.open("/sessions");
    const field = page.getByRole("combobox", { name: "Filter" });
    for (const [typed, unknown] of [
      ["model:gpt-5 agent:sup", "model"],
      ["trait.plan:pro trait:plan", "trait"],
      ["error: foo https://example.com", undefined],
    ] as const) {
      await field.fill(typed);
      await field.press("Enter");
      await page.waitForURL((url) => url.search !== "");
      if (unknown)
        await page
          .getByRole("note")
          .filter({ hasText: `Unknown filter “${unknown}”` })
          .waitFor();
      else expect(await page.getByRole("note").count()).to.equal(0);
      if (typed.includes("agent:")) await page.getByText(/^agent contains sup$/).waitFor();
      await navigateWithin(page, "/sessions");
    }
  });

  it("shows a not-found page for an unknown address, and responds to programs with JSON", async () => {
    const { page } = await app.open("/no-such-page");
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
    const status = async (at: string, accept: string) => {
      const answer = await fetch(app.tenant.url + at, { headers: { accept } });
      return [answer.status, answer.headers.get("content-type")?.split(";")[0]];
    };
    const browser = "text/html,application/xhtml+xml,*/*;q=0.8";
    expect(await status("/no-such-page", browser)).to.deep.equal([404, "text/html"]);
    for (const at of ["/no-such-page", "/assets/app.css", "/settings.css", "/api/no", "/v1/no", "/oauth/no"]) {
      const [code, type] = await status(at, at === "/no-such-page" ? "*/*" : browser);
      expect([at, code, type]).to.deep.equal([at, 404, "application/json"]);
    }
  });

  it('shows "Could not load the page" without a connection, and loads the page once connected', async () => {
    // Other tests may have left the script of the page in the cache of their browser, so this test opens a new
    // context.
    const context = await app.browser.newContext({ reducedMotion: "reduce" });
    const { page } = await openSignedIn(context, app.tenant, "/sessions");
    await page.getByRole("table", { name: "Sessions" }).waitFor();
    await context.setOffline(true);
    await clickElement(
      page,
      page.getByRole("navigation", { name: "Main", exact: true }).getByRole("link", { name: "Tools" }),
    );
    const main = page.locator("main");
    await main.getByText(/Could not load the page/).waitFor();
    const [alert, whole] = await Promise.all([main.getByRole("alert").boundingBox(), main.boundingBox()]);
    expect(alert?.x).to.be.at.least(whole?.x ?? Number.POSITIVE_INFINITY);
    await context.setOffline(false);
    await page.getByRole("heading", { name: "Tools", exact: true }).waitFor();
  });

  it("shows checkboxes of task lists, colors of labels, and marks for characters that reorder text", async () => {
    const { page, problems } = await app.open(path);
    await page.getByText("☑ written").waitFor();
    await page.getByText("☐ read").waitFor();
    await page.locator(".props .swatch").first().waitFor();
    const colour = await page.evaluate(`getComputedStyle(document.querySelector(".props .swatch")).backgroundColor`);
    expect(colour).to.equal("rgb(204, 34, 34)");
    expect(await page.locator("h1").innerText()).to.contain("[U+202E]");
    expect(await controlsShown(page)).to.deep.equal([]);
    await page.getByText(/created the issue (just now|\d+ min ago)\.$/).waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("scrolls code by keyboard on a phone", async () => {
    const { page } = await app.open(path);
    await page.setViewportSize({ width: 375, height: 800 });
    await page.locator(".prose pre").waitFor();
    expect(await findViolations(page)).to.deep.equal([]);
    await page.locator(".prose pre").focus();
    expect(await page.evaluate("document.activeElement.tagName")).to.equal("PRE");
  });

  for (const at of ["", "/transcript", "/log"]) {
    it(`shows no character that reorders text in a session${at || "’s timeline"}`, async () => {
      const { page } = await app.open(`/sessions/${sessionId}${at}`);
      await page.getByText("[U+202E]").first().waitFor();
      expect(await controlsShown(page)).to.deep.equal([]);
    });
  }

  it("keeps a tool's long name within its box, and prints the complete transcript", async () => {
    const { page } = await app.open(`/sessions/${sessionId}/transcript`);
    const name = page.locator(".tcall summary b", { hasText: "very_long_name" }).first();
    await name.waitFor();
    const fits = await name.evaluate((one) => {
      const box = one.closest(".tcall");
      return box !== null && box.scrollWidth <= box.clientWidth;
    });
    expect(fits).to.equal(true);
    expect(await page.locator(".tx .col > section").count()).to.be.below(TURNS);
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    await page.getByRole("region", { name: `Turn ${TURNS}`, exact: true }).waitFor();
    const height = await page.evaluate<number>(`document.querySelector(".tx .col").offsetHeight`);
    await page.emulateMedia({ media: "print" });
    const printed = await page.evaluate<{ height: number; nav: string }>(
      `({ height: document.documentElement.scrollHeight, nav: getComputedStyle(document.querySelector(".nav")).display })`,
    );
    expect(printed.nav).to.equal("none");
    expect(printed.height).to.be.at.least(height);
  });
});

async function makeIssue(tenant: Tenant): Promise<{ path: string }> {
  const { teamCreate } = await tenant.gql(
    `mutation { teamCreate(input: { name: "Engineering", key: "ENG" }) { team { id } } }`,
  );
  const { issueLabelCreate } = await tenant.gql(
    `mutation { issueLabelCreate(input: { name: "regression", color: "#cc2222" }) { issueLabel { id } } }`,
  );
  const { issueCreate } = await tenant.gql(
    `mutation($input: IssueCreateInput!) { issueCreate(input: $input) { issue { url } } }`,
    {
      input: {
        teamId: teamCreate.team.id,
        title: REVERSED,
        description: DESCRIPTION,
        labelIds: [issueLabelCreate.issueLabel.id],
      },
    },
  );
  return { path: new URL(issueCreate.issue.url).pathname };
}

/** Records a session in which each turn calls a tool with a long name, and the texts contain bidirectional controls. */
async function recordSession(tenant: Tenant, begin: number, turns: number, asked = "Add idempotency keys") {
  const session_id = randomUUID();
  const events = Array.from({ length: turns }, (_, n) => {
    const at = begin + n * 60_000;
    const turn = createEvent({
      session_id,
      primitive_name: "my-agent",
      args: n === 0 ? `${asked} ${REVERSED}` : `Go on ${n} ${"and on. ".repeat(80)}`,
      result: `Done ${REVERSED}`,
      timestamp: at,
    });
    const tool = createEvent({
      session_id,
      parent_id: turn.event_id,
      primitive_name: LONG_TOOL.slice(0, 256),
      args: JSON.stringify({ command: `rm ${REVERSED}` }),
      timestamp: at + 1_000,
    });
    return [turn, tool];
  }).flat();
  const headers = { "x-api-key": tenant.ingestKey };
  const { status } = await callRestApi(tenant.url, "POST", "/api/v1/capture-events", { body: { events }, headers });
  expect(status).to.equal(202);
  return session_id;
}
