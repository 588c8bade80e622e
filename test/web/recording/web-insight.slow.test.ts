import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { freshOrganization, postHook } from "../../support/recording/observed-sessions.ts";
import { clickElement, pressEnter, tapElement } from "../../support/web/pointer.ts";
import { setUpBrowserTests } from "../../support/web/web.ts";
import { type RunCall, recordRuns } from "../../support/web/web-runs.ts";
import { navigateWithin } from "../../support/web/web-visit.ts";
import { createWorkspaceIn } from "../../support/workspace.ts";

const PROMPT = "The build on main fails since #412 was merged.";
const read: RunCall = { tool: "Read", args: { file_path: "src/money/round.ts" } };
const build: RunCall = { tool: "Bash", args: { command: "npm run build" } };
const edit = (line: string): RunCall => ({
  tool: "Edit",
  args: { file_path: "src/totals.ts", old_string: "a", new_string: line },
});
const broken: RunCall = {
  tool: "Bash",
  args: { command: "npm run deploy" },
  result: "Error: token lacks the scope deploy:write",
  fails: true,
};

describe("finding causes in the web app", () => {
  let sessions: string[];
  const web = setUpBrowserTests(async (tenant) => {
    const space = await createWorkspaceIn(tenant);
    for (let n = 0; n < 2; n++) await space.issue({ stateId: space.states["Done"] });
    const quiet = Array.from({ length: 298 }, (_, n) => ({
      prompt: `Ordinary work ${n}`,
      agent: n % 3 ? "claude-code" : "codex",
      model: n % 2 ? "claude-sonnet-4-5" : "in-house-7b",
      tokens: [1_000 + n, 100] as [number, number],
      calls: [read],
      age: 0.5 + (n % 12),
    }));
    sessions = await recordRuns(tenant, [
      { prompt: PROMPT, model: "claude-sonnet-4-5", cost: 1.5, calls: [build, read, edit("one"), build] },
      {
        prompt: PROMPT,
        model: "claude-sonnet-4-5",
        cost: 2,
        calls: [build, read, edit("two"), build, { ...build, result: "exit 2", fails: true }],
      },
      ...quiet,
      { prompt: "Ship it", calls: [read, edit("three"), broken] },
      ...[10, 9, 8, 3, 2, 1].map((age) => ({
        prompt: "Ship the old one",
        agent: "codex",
        calls: [{ ...broken, result: "Error: disk full" }],
        age,
      })),
    ]);
  });

  it("opens the cause of a failed run among 300 runs in three presses, with a pointer", async () => {
    const { page, problems } = await web.open("/sessions");
    await clickElement(
      page,
      page.getByRole("navigation", { name: "Main", exact: true }).getByRole("link", { name: "Failures" }),
    );
    await clickElement(page, page.getByRole("link", { name: "token lacks the scope" }));
    const group = page.getByRole("complementary", { name: "Failure group" });
    expect(await group.getByLabel("Result of example 1").textContent()).to.contain(
      "token lacks the scope deploy:write",
    );
    expect(
      await group.getByRole("list", { name: "Events before the failure" }).locator("li").allInnerTexts(),
    ).to.have.length(3);
    await clickElement(page, group.getByRole("article").getByRole("link", { name: "Ship it" }));
    await page.waitForURL(/\/sessions\/[^/]+\/events\//);
    await page.goBack();
    await group.getByText("30 days").waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("moves with ] and [ between the sessions that contain a searched text", async () => {
    const { page, problems } = await web.open("/sessions?q=run%20deploy&range=-P7D");
    const hits = page.getByRole("table", { name: "Matching events" }).getByRole("link");
    await page.getByText(/^4 hits in/).waitFor();
    await clickElement(page, hits.first());
    await page.getByText("1 of 4", { exact: true }).waitFor();
    const first = page.url();
    await page.keyboard.press("]");
    await page.getByText("2 of 4", { exact: true }).waitFor();
    await page.keyboard.press("[");
    await page.getByText("1 of 4", { exact: true }).waitFor();
    expect(first).to.contain(new URL(page.url()).pathname.split("/")[2]);
    expect(problems).to.deep.equal([]);
  });

  it("separates new failures from recurring failures, and files and ignores failures, by keyboard alone", async () => {
    const { page, problems } = await web.open("/failures?state=all");
    const table = page.getByRole("table", { name: "Failure groups" });
    await table.waitFor();
    expect(await table.locator(".failure-state").allInnerTexts()).to.have.members(["New", "New", "Ongoing"]);
    await page.keyboard.press("f");
    await page.keyboard.type("tool:Bash disk");
    await page.keyboard.press("Enter");
    await page.getByRole("status").filter({ hasText: "6 failures in 1 group" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    const group = page.getByRole("complementary", { name: "Failure group" });
    await group.getByRole("heading", { name: "disk full" }).waitFor();
    await page.keyboard.press("i");
    await pressEnter(page.getByRole("dialog").getByRole("button", { name: "For one week" }));
    await group.getByText(/^Ignored until/).waitFor();
    await table.locator(".failure-state").filter({ hasText: "Ignored" }).waitFor();
    await page.keyboard.press("i");
    await group.getByRole("button", { name: "Ignore I" }).waitFor();
    await page.keyboard.press("c");
    await pressEnter(page.getByRole("dialog", { name: "File an issue" }).getByRole("button", { name: "File issue" }));
    await page.waitForURL(/\/issue\/ENG-/);
    await page.goBack();
    await table.locator(".failure-state").filter({ hasText: "Filed" }).waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("counts new occurrences of a failure, and compares them with the period before, by a key and a press", async () => {
    const tenant = await freshOrganization();
    const refund = (key: string, more: Partial<RunCall> = {}): RunCall => ({ tool: "refund", args: { key }, ...more });
    const fails = refund("sk_new", { result: "Error: token lacks a scope", fails: true });
    const of = (calls: readonly RunCall[], age: number) => ({ prompt: "Refund it", calls, age });
    await recordRuns(tenant, [
      { ...of([fails], 0), model: "claude-sonnet-4-5", cost: 1 },
      { ...of([fails], 0), model: "claude-sonnet-4-5", cost: 2, agent: "codex" },
      ...[0.1, 1, 2, 8, 9].map((age) => of([refund(`sk_${age}`)], age)),
      of([{ ...fails, result: "Error: no such payment" }], 8),
    ]);
    const { page, problems } = await web.open("/failures", tenant);
    await page.getByRole("status").filter({ hasText: "2 failures in 1 group · 40.0 % of calls failed ↑6.7" }).waitFor();
    await clickElement(page, page.getByRole("link", { name: "token lacks a scope" }));
    const group = page.getByRole("complementary", { name: "Failure group" });
    expect((await group.getByRole("list", { name: "Failures by agent" }).innerText()).replaceAll(/\s+/g, " ")).to.equal(
      "CC claude-code 1 C codex 1",
    );
    await group.getByText("$3.00 for 2 sessions with this failure").waitFor();
    await group
      .getByText("key sk_new in 2 of 2 sessions with the failure, and in none of the 5 other sessions")
      .waitFor();
    await page.keyboard.press("b");
    const before = page.getByRole("dialog", { name: "Comparison with the previous period" });
    const rows = before.getByRole("row");
    await rows.nth(3).waitFor();
    expect((await rows.allInnerTexts()).map((row) => row.replaceAll(/\s+/g, " ").trim())).to.deep.equal([
      "Figure Before Now Change",
      "Count 0 2 new",
      "Calls of refund 3 5 +67 %",
      "Failure rate 33.3 % 40.0 % +20 %",
    ]);
    await page.keyboard.press("Escape");
    await before.waitFor({ state: "detached" });
    await clickElement(page, page.getByRole("button", { name: "Compare with the previous 7 days" }));
    await page.waitForURL(/compare=no/);
    await page.getByText("of calls failed").waitFor({ state: "detached" });
    expect(problems).to.deep.equal([]);
  });

  it("shows the cost of each model this week in one press, and marks costs as computed, reported or unknown", async () => {
    const { page, problems } = await web.open("/sessions");
    await clickElement(
      page,
      page.getByRole("navigation", { name: "Main", exact: true }).getByRole("link", { name: "Usage" }),
    );
    const rows = page.getByRole("table", { name: "Usage" }).getByRole("row");
    await rows.nth(2).waitFor();
    const texts = (await rows.allInnerTexts()).map((row) => row.replaceAll(/\s+/g, " "));
    expect(texts[1]).to.match(/^claude-sonnet-4-5 \$\d+\.\d\d computed .* %/);
    expect(texts[2]).to.match(/^in-house-7b unknown unknown/);
    await page.getByText("The sums exclude events with tokens but no known cost, of in-house-7b").waitFor();
    await clickElement(page, page.getByRole("group", { name: "By" }).getByRole("button", { name: "Agent" }));
    await page.getByRole("link", { name: "codex" }).waitFor();
    await page.keyboard.press("2");
    await page.getByRole("heading", { name: "Tokens by day" }).waitFor();
    await page.getByRole("img", { name: /^By day\. The maximum is/ }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "Cost by day" }).waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("shows the same usage totals for every grouping, and counts each session once", async () => {
    const { page, problems } = await web.open("/usage?days=30&by=tool");
    const sum = (name: string) => page.locator(".figs > div").filter({ has: page.getByText(name, { exact: true }) });
    const textOf = async (name: string) => (await sum(name).locator("dd").allInnerTexts()).join(" ").trim();
    await sum("Per completed issue").filter({ hasText: "2 completed" }).waitFor();
    expect(await textOf("Sessions")).to.match(/^307\b/);
    const cost = Number((await textOf("Cost")).match(/^\$([\d.]+)/)?.[1]);
    expect(cost).to.be.greaterThan(3.5);
    expect(await textOf("Per session")).to.match(/^\$0\.01/);
    expect(await textOf("Per completed issue")).to.match(new RegExp(`^\\$${(cost / 2).toFixed(2).slice(0, -1)}`));
    const table = page.getByRole("table", { name: "Usage" });
    const last = async () => {
      const row = table.getByRole("row").last().filter({ hasText: "new" });
      return (await row.innerText()).split(/\s+/);
    };
    const byTool = await last();
    expect(byTool).to.include.members(["All", `$${cost.toFixed(2)}`, "307"]);
    await clickElement(page, page.getByRole("group", { name: "By" }).getByRole("button", { name: "Model" }));
    await table.getByRole("link", { name: "in-house-7b" }).waitFor();
    expect(await last()).to.deep.equal(byTool);
    expect(problems).to.deep.equal([]);
  });

  it("compares two runs of a prompt in two presses, and shows where they diverge", async () => {
    const { page, problems } = await web.open(`/sessions/${sessions[0]}`);
    await clickElement(page, page.getByRole("button", { name: "Compare" }));
    await clickElement(page, page.getByRole("list", { name: "Runs with this prompt" }).getByRole("button").first());
    await page.waitForURL(`**/sessions/${sessions[0]}/compare/${sessions[1]}`);
    const rows = page.getByRole("list", { name: "Events of both runs" }).locator("li");
    await rows.filter({ hasText: "First divergence" }).waitFor();
    const marks = await rows.locator(".pair .mark").allInnerTexts();
    expect(marks.map((text) => text.trim())).to.deep.equal([
      "same",
      "different arguments",
      "only in B",
      "different result",
    ]);
    await page.getByText("3 identical events").waitFor();
    const sums = page.getByRole("table", { name: "Totals" });
    expect(await sums.getByRole("row", { name: "B compared with A" }).innerText()).to.match(
      /\+1[\s\S]*\+1[\s\S]*\+\$0\.50[\s\S]*same/,
    );
    await page.keyboard.press("d");
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Call in B" }).getByText("two").first().waitFor();
    await page.keyboard.press("x");
    await page.waitForURL(`**/sessions/${sessions[1]}/compare/${sessions[0]}`);
    await rows.locator(".mark").filter({ hasText: "only in A" }).waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("opens a failure over the list on a phone by touch, and closes it by going back", async () => {
    const { page, problems } = await web.open("/failures");
    await page.setViewportSize({ width: 375, height: 800 });
    const link = page.getByRole("link", { name: "token lacks the scope" });
    await tapElement(page, link);
    const group = page.getByRole("complementary", { name: "Failure group" });
    await group.getByRole("button", { name: "File an issue" }).waitFor();
    expect((await group.boundingBox())?.width).to.equal(375);
    await page.goBack();
    await group.waitFor({ state: "detached" });
    expect(problems).to.deep.equal([]);
  });

  it("shows who waits and where to answer, and works through the inbox with E, S and Z", async () => {
    const tenant = await freshOrganization();
    for (const command of ["npm publish", "git push --force"]) {
      const common = { session_id: randomUUID(), cwd: "/srv/parcels", prompt_id: randomUUID() };
      const tool = { tool_name: "Bash", tool_input: { command } };
      await postHook(tenant, "claude-code", { ...common, hook_event_name: "UserPromptSubmit", prompt: "Publish it" });
      await postHook(tenant, "claude-code", {
        ...common,
        hook_event_name: "PreToolUse",
        ...tool,
        tool_use_id: "toolu_1",
      });
      await postHook(tenant, "claude-code", { ...common, hook_event_name: "PermissionRequest", ...tool });
    }
    const { page, problems } = await web.open("/inbox", tenant);
    const rows = page.getByRole("table", { name: "Inbox" }).getByRole("link");
    const counted = (count: number) =>
      page
        .getByRole("navigation", { name: "Main", exact: true })
        .getByRole("link", { name: `Inbox ${count}`, exact: true })
        .waitFor();
    await rows.nth(1).waitFor();
    await counted(2);
    await page.getByRole("rowheader", { name: "Waiting for you 2" }).waitFor();
    const entry = page.getByRole("article");
    await entry.getByRole("heading", { name: "claude-code is waiting for permission" }).waitFor();
    await entry.getByText("npm publish").first().waitFor();
    await page.keyboard.press("j");
    await entry.getByText("git push --force").first().waitFor();
    await page.keyboard.press("k");
    await entry.getByText("npm publish").first().waitFor();
    await entry.getByText("/srv/parcels").waitFor();
    await page.keyboard.press("e");
    await entry.getByText("git push --force").first().waitFor();
    expect(await rows.count()).to.equal(1);
    await counted(1);
    await page.keyboard.press("s");
    await clickElement(page, page.getByRole("dialog", { name: "Snooze" }).getByRole("button", { name: "For one day" }));
    await page.getByRole("heading", { name: "Your inbox is empty" }).waitFor();
    await page.keyboard.press("z");
    await page.waitForURL(/\/inbox\/[^/]+$/);
    await entry.getByText("git push --force").first().waitFor();
    await page.setViewportSize({ width: 375, height: 800 });
    expect(await rows.first().isVisible()).to.equal(false);
    await clickElement(page, entry.getByRole("link", { name: "Back to the inbox" }));
    await rows.first().waitFor();
    await page.goto(`${web.tenant.url}/inbox?show=done`);
    await rows.first().waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).to.be.at.most(0);
    expect(problems).to.deep.equal([]);
  });

  it("reports a missing failure group, missing runs and missing usage on their pages", async () => {
    const nobody = "0198c0de-0000-7000-8000-00000000ffff";
    const { page, problems } = await web.open(`/failures/${nobody}`);
    await page.getByRole("heading", { name: "Failure group not found" }).waitFor();
    await navigateWithin(page, `/sessions/${sessions[0]}/compare/${nobody}`);
    await page.getByRole("heading", { name: "Cannot compare these runs" }).waitFor();
    await navigateWithin(page, "/usage?by=label&days=seven");
    await page.getByRole("heading", { name: "No usage in this time range" }).waitFor();
    expect(problems).to.deep.equal([]);
  });
});
