import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { rollUpTotals } from "../../../server/jobs/totals.ts";
import { anEvent } from "../../support/recording/ingest.ts";
import { call, sharedServer } from "../../support/server.ts";
import { violations } from "../../support/web/axe.ts";
import { PATIENCE_MS } from "../../support/web/browser.ts";
import { entered } from "../../support/web/pointer.ts";
import { inBrowser } from "../../support/web/web.ts";
import { goWithin } from "../../support/web/web-visit.ts";

const HOSTILE = '<img src=x onerror="window.__hit=1">';
const COSTS = [0.5, 3, 0.25, 2, 1];

describe("the web app's list of sessions", function () {
  this.timeout(180_000);
  const begin = Date.now() - 3_600_000;
  const web = inBrowser(async () => {
    for (const n of COSTS.keys()) await record(n);
    await rollUpTotals((await sharedServer()).runtime.db);
  });

  const post = async (path: string, body: object) => {
    const { status } = await call(web.tenant.url, "POST", path, {
      body,
      headers: { "x-api-key": web.tenant.ingestKey },
    });
    expect(status).to.be.oneOf([200, 202]);
  };
  /** A session of a user with traits and metadata, with a turn, a tool call and `n` failures. */
  const record = async (n: number, at = begin + n * 60_000) => {
    const session_id = randomUUID();
    const user_data = { user_id: `user-${n}`, plan: n % 2 ? "pro" : "free" };
    await post("/api/v1/capture-session", {
      session_id,
      user_data,
      timestamp: at,
      metadata: { branch: n === 3 ? "main" : "dev" },
    });
    const turn = anEvent({
      session_id,
      primitive_name: n === 4 ? "other-agent" : "my-agent",
      args: `Question ${n} ${n === 2 ? `needle ${HOSTILE}` : ""}`,
      timestamp: at,
      latency: (n + 1) * 1_000,
      metadata: { "gen_ai.usage.cost": COSTS[n] ?? 0.01 },
    });
    const tool = (name: string, success: boolean) =>
      anEvent({ session_id, parent_id: turn.event_id, primitive_name: name, success, timestamp: at + 10 });
    const calls = Array.from({ length: Math.min(n, 4) }, () => tool("Bash", false));
    await post("/api/v1/capture-events", { events: [turn, tool(n === 1 ? "Grep" : "Read", true), ...calls] });
  };
  const titles = (page: Page) => page.getByRole("table", { name: "Sessions" }).locator("td.c-title a").allInnerTexts();
  const shows = async (page: Page, expected: number[]) => {
    const wanted = expected.map((n) => `Question ${n}`);
    for (const until = Date.now() + PATIENCE_MS; ; ) {
      const now = (await titles(page)).map((title) => title.slice(0, 10));
      if (JSON.stringify(now) === JSON.stringify(wanted)) return;
      if (Date.now() > until) expect(now).to.deep.equal(wanted);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  };
  const { open } = web;

  it("sorts by its heads, both ways, with the sort in the address, and back to the newest first", async () => {
    const { page, problems } = await open("/sessions");
    await shows(page, [4, 3, 2, 1, 0]);
    const head = (name: string) => page.getByRole("columnheader", { name }).getByRole("button");
    await head("Cost").click();
    await shows(page, [1, 3, 4, 0, 2]);
    await page.waitForURL((at) => at.search === "?sort=cost");
    await head("Cost").focus();
    await page.keyboard.press("Enter");
    await shows(page, [2, 0, 4, 3, 1]);
    expect(await page.getByRole("columnheader", { name: "Cost" }).getAttribute("aria-sort")).to.equal("ascending");
    await head("Failures").click();
    await shows(page, [4, 3, 2, 1, 0]);
    await goWithin(page, "/sessions?sort=duration.up");
    await shows(page, [0, 1, 2, 3, 4]);
    await head("Started").click();
    await shows(page, [4, 3, 2, 1, 0]);
    await page.goBack();
    await shows(page, [0, 1, 2, 3, 4]);
    expect(problems).to.deep.equal([]);
  });

  const filters: [search: string, sessions: number[]][] = [
    ["agent=other-agent", [4]],
    ["tool=Grep", [1]],
    ["user=user-2", [2]],
    ["trait.plan=pro", [3, 1]],
    ["meta.branch=main", [3]],
    ["failed=1", [4, 3, 2, 1]],
    ["failed=1&trait.plan=free&sort=cost", [4, 2]],
    [`from=${new Date(begin + 90_000).toISOString()}&to=${new Date(begin + 200_000).toISOString()}`, [3, 2]],
  ];
  it("has rows that touch and a title to read at every width, also once the window is another", async () => {
    const { page } = await open("/sessions");
    for (const width of [1280, 375, 800, 768, 767, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      await page.getByRole("table", { name: "Sessions" }).locator("tbody tr").nth(2).waitFor();
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
      const rows = (await page.evaluate(`[...document.querySelectorAll(".slist tbody tr")]
        .map((row) => [row.getBoundingClientRect(), row.querySelector(".c-title").getBoundingClientRect().width])
        .map(([{ top, bottom }, title]) => ({ top, bottom, title })).sort((one, other) => one.top - other.top)`)) as {
        top: number;
        bottom: number;
        title: number;
      }[];
      expect(
        rows.slice(1).map(({ top }) => top),
        `${width}`,
      ).to.deep.equal(rows.slice(0, -1).map(({ bottom }) => bottom));
      expect(Math.min(...rows.map(({ title }) => title)), `${width}`).to.be.greaterThan(150);
    }
  });

  it("takes every filter from the address, also where the app is loaded anew", async () => {
    const { page, problems } = await open("/connect");
    for (const [search, expected] of filters) {
      await goWithin(page, `/sessions?${search}`);
      await shows(page, expected);
    }
    await page.reload();
    await shows(page, filters.at(-1)?.[1] ?? []);
    expect(problems).to.deep.equal([]);
  });

  it("zooms the bars into the part that is chosen, by keys alone, and out again", async () => {
    const { page, problems } = await open("/sessions");
    await shows(page, [4, 3, 2, 1, 0]);
    await page.getByRole("img", { name: /^5 sessions, 4 with failures/ }).waitFor();
    const far = await page.locator(".axis span").first().innerText();
    await page.getByRole("slider", { name: "Beginning" }).focus();
    for (let n = 0; n < 47; n += 1) await page.keyboard.press("ArrowRight");
    await entered(page.getByRole("button", { name: "Zoom in" }));
    await page.getByRole("button", { name: "Zoom out" }).waitFor();
    await page.waitForURL((at) => at.searchParams.get("zoom") === "1");
    await page.getByRole("img", { name: /^5 sessions, 4 with failures/ }).waitFor();
    const near = await page.locator(".axis span").first().innerText();
    await entered(page.getByRole("button", { name: "Reset" }));
    await page.getByText("Drag to narrow").waitFor();
    expect(near).not.to.equal(far);
    // The clock may have gone on to the next minute.
    await page
      .locator(".axis span")
      .first()
      .and(page.locator(`:not(:text-is(${JSON.stringify(near)}))`))
      .waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("finds a text in events of a time, marks it, opens the event by keys, and says what was read", async () => {
    const { page, problems } = await open("/sessions");
    // Keys pressed before the page stands go nowhere.
    await shows(page, [4, 3, 2, 1, 0]);
    await page.keyboard.press("/");
    await page.keyboard.type("needle");
    await page.keyboard.press("Enter");
    await page.getByText(/1 hit in \d+ events?, all of this time\./).waitFor();
    expect(await page.locator(".snippet mark").innerText()).to.equal("needle");
    expect(await page.locator(".snippet").innerText()).to.contain(HOSTILE);
    expect(await violations(page)).to.deep.equal([]);
    await page.locator("h1").click();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/sessions\/[0-9a-f-]+\/events\//);
    await goWithin(page, "/sessions?q=nowhere-at-all");
    await page.getByRole("heading", { name: "No event of this time says it" }).waitFor();
    await goWithin(page, "/sessions?q=Question&user=user-3");
    await page.getByText(/^1 hit in/).waitFor();
    expect([await page.evaluate("window.__hit"), problems]).to.deep.equal([undefined, []]);
  });

  it("says how far a search came, and goes on when asked", async () => {
    const { page } = await open("/connect");
    await page.route("**/graphql", async (route) => {
      const { query, variables } = route.request().postDataJSON() as { query: string; variables: object };
      if (!query.includes("recordedSearch")) return route.continue();
      const narrow = query.replace("first: 50", "first: 50, most: 4");
      return route.continue({ postData: JSON.stringify({ query: narrow, variables }) });
    });
    await page.goto(`${web.tenant.url}/sessions?q=Question%200`);
    await page.getByText(/^0 hits in 4 events, searched back to/).waitFor();
    await page.getByRole("heading", { name: "Nothing so far" }).waitFor();
    const further = page.getByRole("button", { name: "Search further back" });
    while (await further.isVisible()) await further.click({ timeout: 1_000 }).catch(() => {});
    await page.getByText(/^1 hit in \d+ events?, all of this time/).waitFor();
  });

  it("holds a new session back while it is sorted, and shows it in its place when asked", async () => {
    const { page, problems } = await open("/sessions?sort=cost&user=user-9");
    await page.getByRole("heading", { name: "No session fits these filters" }).waitFor();
    await record(9, Date.now() - 1_000);
    await page.getByRole("button", { name: /1 new session/ }).click();
    await shows(page, [9]);
    expect(problems).to.deep.equal([]);
  });
});
