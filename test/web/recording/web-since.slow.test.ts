import { expect } from "chai";
import { findViolations } from "../../support/web/axe.ts";
import { clickElement, tapElement } from "../../support/web/pointer.ts";
import { setUpBrowserTests } from "../../support/web/web.ts";
import { recordRuns, type WebRun } from "../../support/web/web-runs.ts";

const times = (count: number, run: WebRun): WebRun[] => Array.from({ length: count }, () => run);

describe('"since yesterday" on the page of sessions', () => {
  const web = setUpBrowserTests(async (tenant) => {
    const calls = (took: number, cost: number) => [
      { tool: "Fetch", args: {}, took },
      { tool: "Read", args: {}, took: 50 },
      { tool: "Task", args: {}, cost },
    ];
    await recordRuns(tenant, [
      ...times(20, { prompt: "Before", agent: "known", calls: calls(200, 0.1), age: 4 }),
      ...times(20, { prompt: "After", agent: "known", calls: calls(2_000, 0.4) }),
      {
        prompt: "First",
        agent: "newcomer",
        calls: [{ tool: "Read", args: {}, took: 50, result: "Error: disk full", fails: true }],
      },
    ]);
  });

  it("shows new failures, slower or more expensive tools and new agents, read in one request", async () => {
    const { page, problems } = await web.open("/connect");
    const asked: string[] = [];
    page.on("request", (request) => {
      if (request.postData()?.includes("SinceYesterday")) asked.push(request.url());
    });
    await page.goto(`${web.tenant.url}/sessions`);
    await clickElement(page, page.getByRole("button", { name: /since yesterday$/ }));
    const list = page.getByRole("dialog", { name: "Since yesterday" });
    await list.getByRole("region").nth(3).waitFor();
    const parts = (await list.getByRole("region").allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " "));
    expect(parts, parts.join(" | ")).to.have.length(4);
    expect(parts[0]).to.match(/^1 new failure .*disk full Read, 1 time$/);
    expect(parts[1], parts.join(" | ")).to.match(/^1 slower tool Fetch 2\.\d s for slow calls, previously \d+ ms$/);
    expect(parts[2]).to.equal("1 more expensive tool Task $0.40 per session, previously $0.10");
    expect(parts[3]).to.equal("1 new agent newcomer");
    expect(await findViolations(page)).to.deep.equal([]);
    expect(asked).to.have.length(1);
    await page.keyboard.press("Escape");
    await page.keyboard.press("d");
    await list.getByRole("link", { name: "newcomer" }).press("Enter");
    await page.waitForURL(/agent=newcomer/);
    await page.setViewportSize({ width: 375, height: 812 });
    await page.getByRole("button", { name: /^4 new/ }).waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).to.be.at.most(0);
    await tapElement(page, page.getByRole("button", { name: /^4 new/ }));
    await tapElement(page, list.getByRole("link", { name: /disk full/ }));
    await page.waitForURL(/\/failures\//);
    expect(problems).to.deep.equal([]);
  });
});
