import { expect } from "chai";
import type { Page } from "playwright-core";
import { createAgent, type TestAgent } from "../../support/tracker/work.ts";
import { setUpBrowserTests } from "../../support/web/web.ts";
import { recordRuns } from "../../support/web/web-runs.ts";
import { openCountedPage } from "../../support/web/web-visit.ts";
import { createWorkspaceIn, type Workspace } from "../../support/workspace.ts";

const WIDE = { part: ".props", size: { width: 1440, height: 900 } };
const PHONE = { part: ".col > .stack", size: { width: 375, height: 812 } };

/** Returns the top of each heading, term and button in a part of the page, by label. */
const placesIn = (page: Page, part: string): Promise<Record<string, number>> =>
  page.evaluate(`Object.fromEntries([...document.querySelectorAll(${JSON.stringify(part)} + " :is(h1, h2, dt, button)")]
    .map((one) => [one.localName + " " + (one.ariaLabel ?? one.innerText), one.getBoundingClientRect().top]))`);

/**
 * Counts how often the browser moved an element in a part of the page up or down. A wider value is no vertical move.
 */
const movesIn = (page: Page, part: string): Promise<number> =>
  page.evaluate(`window.__moves.filter(({ sources }) =>
    sources.some(({ node, previousRect, currentRect }) =>
      previousRect.y !== currentRect.y && document.querySelector(${JSON.stringify(part)}).contains(node))).length`);

describe("the open page of an issue", () => {
  let space: Workspace;
  let agent: TestAgent;
  const web = setUpBrowserTests(async (tenant) => {
    space = await createWorkspaceIn(tenant);
    agent = await createAgent(space, "an agent with a name that is longer than the column is wide");
  });

  for (const [where, { part, size }] of Object.entries({
    "beside its text": WIDE,
    "above its text on a phone": PHONE,
  })) {
    it(`does not move controls ${where} when an agent claims, releases or completes the issue`, async () => {
      const { id, url } = await space.issue({ title: "Taken while it is read", priority: 1 });
      const { page, problems } = await openCountedPage(web, web.tenant, new URL(url).pathname);
      await page.setViewportSize(size);
      const claim = page.getByRole("region", { name: "Claim" });
      await claim.getByText("Nobody has claimed this issue.").waitFor();
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
      await staysSo("unless the holder renews the lease");
      await agent.does("issueRelease", { id, fence: first.lease.fence });
      await staysSo("Nobody has claimed this issue.");
      const { lease } = await agent.claim({ id });
      await staysSo("unless the holder renews the lease");
      await agent.does("issueComplete", { id, fence: lease.fence });
      await page.getByRole("button", { name: "State: Done" }).waitFor();
      await staysSo("Nobody has claimed this issue.");
      expect(problems).to.deep.equal([]);
    });
  }
});
