import { expect } from "chai";
import type { Page } from "playwright-core";
import { freshAgent, type TestAgent } from "../../support/tracker/work.ts";
import { inBrowser } from "../../support/web/web.ts";
import { recordRuns } from "../../support/web/web-runs.ts";
import { openCounted } from "../../support/web/web-visit.ts";
import { type Workspace, workspaceOf } from "../../support/workspace.ts";

const WIDE = { part: ".props", size: { width: 1440, height: 900 } };
const PHONE = { part: ".col > .stack", size: { width: 375, height: 812 } };

/** The tops of what can be pressed or read in a part of the page, by their words. */
const placesIn = (page: Page, part: string): Promise<Record<string, number>> =>
  page.evaluate(`Object.fromEntries([...document.querySelectorAll(${JSON.stringify(part)} + " :is(h1, h2, dt, button)")]
    .map((one) => [one.localName + " " + (one.ariaLabel ?? one.innerText), one.getBoundingClientRect().top]))`);

/** The number of times that something in a part of the page was moved up or down: a value that changes may be wider. */
const movesIn = (page: Page, part: string): Promise<number> =>
  page.evaluate(`window.__moves.filter(({ sources }) =>
    sources.some(({ node, previousRect, currentRect }) =>
      previousRect.y !== currentRect.y && document.querySelector(${JSON.stringify(part)}).contains(node))).length`);

describe("an agent that claims an issue which a person reads", function () {
  this.timeout(180_000);
  let space: Workspace;
  let agent: TestAgent;
  const web = inBrowser(async (tenant) => {
    space = await workspaceOf(tenant);
    agent = await freshAgent(space, "an agent with a name that is longer than the column is wide");
  });

  for (const [where, { part, size }] of Object.entries({
    "beside its text": WIDE,
    "above its text on a phone": PHONE,
  })) {
    it(`moves nothing ${where}, when it comes, gives it back, and completes it`, async () => {
      const { id, url } = await space.issue({ title: "Taken while it is read", priority: 1 });
      const { page, problems } = await openCounted(web, web.tenant, new URL(url).pathname);
      await page.setViewportSize(size);
      const claim = page.getByRole("region", { name: "Claim" });
      await claim.getByText("Nobody holds it.").waitFor();
      const before = await placesIn(page, part);
      expect(Object.keys(before).length, "what stands there").to.be.above(1);
      await page.evaluate("window.__moves = []");
      const staysSo = async (said: string) => {
        await claim.getByText(said).waitFor();
        const now = await placesIn(page, part);
        const moved = Object.entries(before).filter(([name, top]) => name in now && now[name] !== top);
        expect(Object.fromEntries(moved), said).to.deep.equal({});
        expect(await movesIn(page, part), said).to.equal(0);
      };

      const [sessionId] = await recordRuns(space, [{ prompt: "Mend it", calls: [{ tool: "Bash", args: {} }] }]);
      const first = await agent.claim({ id, sessionId });
      await page.getByRole("list", { name: "Conversation" }).getByRole("link", { name: "Mend it" }).waitFor();
      await staysSo("unless it is renewed");
      await agent.does("issueRelease", { id, fence: first.lease.fence });
      await staysSo("Nobody holds it.");
      const { lease } = await agent.claim({ id });
      await staysSo("unless it is renewed");
      await agent.does("issueComplete", { id, fence: lease.fence });
      await page.getByRole("button", { name: "State: Done" }).waitFor();
      await staysSo("Nobody holds it.");
      expect(problems).to.deep.equal([]);
    });
  }
});
