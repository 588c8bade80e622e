import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { createEvent } from "../support/recording/ingest.ts";
import { callRestApi } from "../support/server.ts";
import { findViolations } from "../support/web/axe.ts";
import { setUpBrowserTests } from "../support/web/web.ts";

describe("the summary and preview in the list of sessions", () => {
  const web = setUpBrowserTests();
  /** Records a session that began `minutes` ago, with one turn and one tool call. The call fails if `failed`. */
  const record = async (question: string, minutes: number, failed = false) => {
    const session_id = randomUUID();
    const timestamp = Date.now() - minutes * 60_000;
    const metadata = { "gen_ai.usage.cost": 1.25, "gen_ai.usage.input_tokens": 20_000 };
    const events = [
      createEvent({ session_id, primitive_name: "my-agent", args: question, metadata, timestamp, latency: 1_000 }),
      createEvent({
        session_id,
        primitive_name: "Bash",
        primitive_type: "tool",
        success: !failed,
        timestamp: timestamp + 10,
      }),
    ];
    const { url, ingestKey } = web.tenant;
    const headers = { "x-api-key": ingestKey };
    expect((await callRestApi(url, "POST", "/api/v1/capture-events", { body: { events }, headers })).status).to.equal(
      202,
    );
  };

  it("show totals for the current filter and time range", async () => {
    await record("Question one", 5, true);
    await record("Question two", 3_000);
    const { page, problems } = await web.open("/sessions");
    const summary = page.getByRole("search").getByRole("status");
    const says = (words: string) => summary.getByText(words, { exact: true }).waitFor();
    await summary.filter({ hasText: "Last 24 hours: 1 session · 1 with failures · 20.0k tokens · $1.25" }).waitFor();
    await page.getByRole("combobox", { name: "Time range" }).selectOption("Last 7 days");
    await summary.filter({ hasText: "Last 7 days: 2 sessions · 1 with failures · 40.0k tokens · $2.50" }).waitFor();
    await page.getByRole("img", { name: /^2 sessions, 1 with failures/ }).waitFor();
    await page.keyboard.press("x");
    await summary.filter({ hasText: "Last 7 days: 1 session · 1 with failures · 20.0k tokens · $1.25" }).waitFor();
    await page.getByRole("img", { name: /^1 sessions, 1 with failures/ }).waitFor();
    await page.keyboard.press("x");
    await page.getByRole("img", { name: /^2 sessions, 1 with failures/ }).waitFor();
    await page.getByRole("slider", { name: "Start of the time range" }).focus();
    for (let n = 0; n < 48; n += 1) await page.keyboard.press("ArrowRight");
    await says("Selected time range:");
    await summary
      .filter({ hasText: "Selected time range: 1 session · 1 with failures · 20.0k tokens · $1.25" })
      .waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("count running sessions in the rail", async () => {
    const { page, problems } = await web.open("/tools");
    const rail = page.getByRole("navigation", { name: "Main", exact: true });
    await rail.getByRole("link", { name: "Sessions", exact: true }).waitFor();
    await record("Going on", 0);
    await rail.getByRole("link", { name: "Sessions 1 live" }).waitFor();
    await record("Going on as well", 0);
    await rail.getByRole("link", { name: "Sessions 2 live" }).waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("hold back new sessions while Live is off, and add them once Live is on, by keyboard alone", async () => {
    const { page, problems } = await web.open("/sessions");
    const title = (words: string) => page.getByRole("table", { name: "Sessions" }).getByText(words);
    const toggle = page.getByRole("button", { name: "Live" });
    await title("Question one").waitFor();
    await toggle.waitFor();
    await page.keyboard.press("l");
    expect(await toggle.getAttribute("aria-pressed")).to.equal("false");
    await record("Held back", 0);
    await page.getByRole("button", { name: /1 new session/ }).waitFor();
    expect(await title("Held back").count()).to.equal(0);
    await page.keyboard.press("l");
    await title("Held back").waitFor();
    await record("Taken in", 0);
    await title("Taken in").waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("show the selected session beside the list while moving through it, by keyboard alone", async () => {
    const long = `Asked at length: ${"all of it ".repeat(28)}is here`.slice(0, 295);
    await record(long, 0);
    const { page, problems } = await web.open("/sessions");
    await page.getByRole("table", { name: "Sessions" }).getByText("Asked at length").waitFor();
    const glance = page.getByRole("complementary", { name: "Session preview" });
    await page.keyboard.press(" ");
    await glance.getByText(long).waitFor();
    expect(await glance.innerText())
      .to.contain("1 turn, 1 tool call")
      .and.contain("$1.25");
    expect(await findViolations(page)).to.deep.equal([]);
    await page.keyboard.press("j");
    await glance.getByText("Taken in").waitFor();
    await page.keyboard.press("Escape");
    await glance.waitFor({ state: "detached" });
    await page.keyboard.press(" ");
    await glance.getByText("Taken in").waitFor();
    await page.keyboard.press(" ");
    await glance.waitFor({ state: "detached" });
    expect(problems).to.deep.equal([]);
  });
});
