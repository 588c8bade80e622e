import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { freshOrganization, postHook } from "../../support/recording/observed-sessions.ts";
import { clicked, entered, tapped } from "../../support/web/pointer.ts";
import { inBrowser } from "../../support/web/web.ts";
import { type Call, recordRuns } from "../../support/web/web-runs.ts";
import { goWithin } from "../../support/web/web-visit.ts";
import { workspaceOf } from "../../support/workspace.ts";

const PROMPT = "The build on main fails since #412 was merged.";
const read: Call = { tool: "Read", args: { file_path: "src/money/round.ts" } };
const build: Call = { tool: "Bash", args: { command: "npm run build" } };
const edit = (line: string): Call => ({
  tool: "Edit",
  args: { file_path: "src/totals.ts", old_string: "a", new_string: line },
});
const broken: Call = {
  tool: "Bash",
  args: { command: "npm run deploy" },
  result: "Error: token lacks the scope deploy:write",
  fails: true,
};

describe("what happened, over everything", function () {
  this.timeout(180_000);
  let sessions: string[];
  const web = inBrowser(async (tenant) => {
    const space = await workspaceOf(tenant);
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

  it("leads from a failed run among 300 to its cause in three presses, with a pointer", async () => {
    const { page, problems } = await web.open("/sessions");
    await clicked(
      page,
      page.getByRole("navigation", { name: "Main", exact: true }).getByRole("link", { name: "Failures" }),
    );
    await clicked(page, page.getByRole("link", { name: "token lacks the scope" }));
    const group = page.getByRole("complementary", { name: "Failure group" });
    expect(await group.getByLabel("Result of example 1").textContent()).to.contain(
      "token lacks the scope deploy:write",
    );
    expect(await group.getByRole("list", { name: "Before it" }).locator("li").allInnerTexts()).to.have.length(3);
    await clicked(page, group.getByRole("article").getByRole("link", { name: "Ship it" }));
    await page.waitForURL(/\/sessions\/[^/]+\/events\//);
    await page.goBack();
    await group.getByText("30 days").waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("goes on by ] and [ among the sessions that a text was found in", async () => {
    const { page, problems } = await web.open("/sessions?q=run%20deploy&range=-P7D");
    const hits = page.getByRole("table", { name: "Events that say it" }).getByRole("link");
    await page.getByText(/^4 hits in/).waitFor();
    await clicked(page, hits.first());
    await page.getByText("1 of 4", { exact: true }).waitFor();
    const first = page.url();
    await page.keyboard.press("]");
    await page.getByText("2 of 4", { exact: true }).waitFor();
    await page.keyboard.press("[");
    await page.getByText("1 of 4", { exact: true }).waitFor();
    expect(first).to.contain(new URL(page.url()).pathname.split("/")[2]);
    expect(problems).to.deep.equal([]);
  });

  it("tells new failures from those that go on, and files and ignores them, by keys alone", async () => {
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
    await entered(page.getByRole("dialog").getByRole("button", { name: "For a week" }));
    await group.getByText(/^Ignored until/).waitFor();
    await table.locator(".failure-state").filter({ hasText: "Ignored" }).waitFor();
    await page.keyboard.press("i");
    await group.getByRole("button", { name: "Ignore I" }).waitFor();
    await page.keyboard.press("c");
    await entered(page.getByRole("dialog", { name: "File an issue" }).getByRole("button", { name: "File" }));
    await page.waitForURL(/\/issue\/ENG-/);
    await page.goBack();
    await table.locator(".failure-state").filter({ hasText: "Filed" }).waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("counts what is new in a failure, and compares it with the time before, by a key and a press", async () => {
    const tenant = await freshOrganization();
    const refund = (key: string, more: Partial<Call> = {}): Call => ({ tool: "refund", args: { key }, ...more });
    const fails = refund("sk_new", { result: "Error: token lacks a scope", fails: true });
    const of = (calls: readonly Call[], age: number) => ({ prompt: "Refund it", calls, age });
    await recordRuns(tenant, [
      { ...of([fails], 0), model: "claude-sonnet-4-5", cost: 1 },
      { ...of([fails], 0), model: "claude-sonnet-4-5", cost: 2, agent: "codex" },
      ...[0.1, 1, 2, 8, 9].map((age) => of([refund(`sk_${age}`)], age)),
      of([{ ...fails, result: "Error: no such payment" }], 8),
    ]);
    const { page, problems } = await web.open("/failures", tenant);
    await page.getByRole("status").filter({ hasText: "2 failures in 1 group · 40.0 % of calls ↑6.7" }).waitFor();
    await clicked(page, page.getByRole("link", { name: "token lacks a scope" }));
    const group = page.getByRole("complementary", { name: "Failure group" });
    expect((await group.getByRole("list", { name: "Failures by agent" }).innerText()).replaceAll(/\s+/g, " ")).to.equal(
      "CC claude-code 1 C codex 1",
    );
    await group.getByText("$3.00 of 2 sessions that failed so").waitFor();
    await group.getByText("key sk_new in 2 of 2 sessions that failed, and in none of the 5 others").waitFor();
    await page.keyboard.press("b");
    const before = page.getByRole("dialog", { name: "Compared with the time before" });
    const rows = before.getByRole("row");
    await rows.nth(3).waitFor();
    expect((await rows.allInnerTexts()).map((row) => row.replaceAll(/\s+/g, " ").trim())).to.deep.equal([
      "Figure Before Now Change",
      "Count 0 2 new",
      "Calls of refund 3 5 +67 %",
      "Failed of them 33.3 % 40.0 % +20 %",
    ]);
    await page.keyboard.press("Escape");
    await before.waitFor({ state: "detached" });
    await clicked(page, page.getByRole("button", { name: "Compared with the 7 days before" }));
    await page.waitForURL(/compare=no/);
    await page.getByText("of calls").waitFor({ state: "detached" });
    expect(problems).to.deep.equal([]);
  });

  it("shows what each model cost this week in one press, and tells what is computed, reported and unknown", async () => {
    const { page, problems } = await web.open("/sessions");
    await clicked(
      page,
      page.getByRole("navigation", { name: "Main", exact: true }).getByRole("link", { name: "Usage" }),
    );
    const rows = page.getByRole("table", { name: "Usage" }).getByRole("row");
    await rows.nth(2).waitFor();
    const texts = (await rows.allInnerTexts()).map((row) => row.replaceAll(/\s+/g, " "));
    expect(texts[1]).to.match(/^claude-sonnet-4-5 \$\d+\.\d\d computed .* %/);
    expect(texts[2]).to.match(/^in-house-7b unknown unknown/);
    await page.getByText("The sums leave out events with tokens and no cost, of in-house-7b").waitFor();
    await clicked(page, page.getByRole("group", { name: "By" }).getByRole("button", { name: "Agent" }));
    await page.getByRole("link", { name: "codex" }).waitFor();
    await page.keyboard.press("2");
    await page.getByRole("heading", { name: "Tokens by day" }).waitFor();
    await page.getByRole("img", { name: /^By day: the most on/ }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "Cost by day" }).waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("sums up all that was used, each session once, whatever it is shown by", async () => {
    const { page, problems } = await web.open("/usage?days=30&by=tool");
    const sum = (name: string) => page.locator(".figs > div").filter({ has: page.getByText(name, { exact: true }) });
    const textOf = async (name: string) => (await sum(name).locator("dd").allInnerTexts()).join(" ").trim();
    await sum("Each issue done").filter({ hasText: "2 done" }).waitFor();
    expect(await textOf("Sessions")).to.match(/^307\b/);
    const cost = Number((await textOf("Cost")).match(/^\$([\d.]+)/)?.[1]);
    expect(cost).to.be.greaterThan(3.5);
    expect(await textOf("Each session")).to.match(/^\$0\.01/);
    expect(await textOf("Each issue done")).to.match(new RegExp(`^\\$${(cost / 2).toFixed(2).slice(0, -1)}`));
    const table = page.getByRole("table", { name: "Usage" });
    const last = async () => {
      const row = table.getByRole("row").last().filter({ hasText: "new" });
      return (await row.innerText()).split(/\s+/);
    };
    const byTool = await last();
    expect(byTool).to.include.members(["All", `$${cost.toFixed(2)}`, "307"]);
    await clicked(page, page.getByRole("group", { name: "By" }).getByRole("button", { name: "Model" }));
    await table.getByRole("link", { name: "in-house-7b" }).waitFor();
    expect(await last()).to.deep.equal(byTool);
    expect(problems).to.deep.equal([]);
  });

  it("compares two runs of one prompt in two presses, and shows where they part", async () => {
    const { page, problems } = await web.open(`/sessions/${sessions[0]}`);
    await clicked(page, page.getByRole("button", { name: "Compare" }));
    await clicked(page, page.getByRole("list", { name: "Runs with this prompt" }).getByRole("button").first());
    await page.waitForURL(`**/sessions/${sessions[0]}/compare/${sessions[1]}`);
    const rows = page.getByRole("list", { name: "Events of both runs" }).locator("li");
    await rows.filter({ hasText: "First divergence" }).waitFor();
    const marks = await rows.locator(".pair .mark").allInnerTexts();
    expect(marks.map((text) => text.trim())).to.deep.equal(["same", "other arguments", "only in B", "other result"]);
    await page.getByText("3 events are the same").waitFor();
    const sums = page.getByRole("table", { name: "Totals" });
    expect(await sums.getByRole("row", { name: "B to A" }).innerText()).to.match(
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

  it("opens a failure over the list on a phone with a finger, and closes it by going back", async () => {
    const { page, problems } = await web.open("/failures");
    await page.setViewportSize({ width: 375, height: 800 });
    const link = page.getByRole("link", { name: "token lacks the scope" });
    await tapped(page, link);
    const group = page.getByRole("complementary", { name: "Failure group" });
    await group.getByRole("button", { name: "File an issue" }).waitFor();
    expect((await group.boundingBox())?.width).to.equal(375);
    await page.goBack();
    await group.waitFor({ state: "detached" });
    expect(problems).to.deep.equal([]);
  });

  it("shows who waits and where to answer, and is worked through by E, S and Z", async () => {
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
    await page.getByRole("rowheader", { name: "Stopped until you act 2" }).waitFor();
    const entry = page.getByRole("article");
    await entry.getByRole("heading", { name: "claude-code waits for permission" }).waitFor();
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
    await clicked(page, page.getByRole("dialog", { name: "Snooze" }).getByRole("button", { name: "For a day" }));
    await page.getByRole("heading", { name: "Nothing waits for you" }).waitFor();
    await page.keyboard.press("z");
    await page.waitForURL(/\/inbox\/[^/]+$/);
    await entry.getByText("git push --force").first().waitFor();
    await page.setViewportSize({ width: 375, height: 800 });
    expect(await rows.first().isVisible()).to.equal(false);
    await clicked(page, entry.getByRole("link", { name: "Back to the inbox" }));
    await rows.first().waitFor();
    await page.goto(`${web.tenant.url}/inbox?show=done`);
    await rows.first().waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).to.be.at.most(0);
    expect(problems).to.deep.equal([]);
  });

  it("says on each page what is not here", async () => {
    const nobody = "0198c0de-0000-7000-8000-00000000ffff";
    const { page, problems } = await web.open(`/failures/${nobody}`);
    await page.getByRole("heading", { name: "This group is not here" }).waitFor();
    await goWithin(page, `/sessions/${sessions[0]}/compare/${nobody}`);
    await page.getByRole("heading", { name: "These runs cannot be compared" }).waitFor();
    await goWithin(page, "/usage?by=label&days=seven");
    await page.getByRole("heading", { name: "Nothing was used in this time" }).waitFor();
    expect(problems).to.deep.equal([]);
  });
});
