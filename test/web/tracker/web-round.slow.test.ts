import { expect } from "chai";
import type { Locator, Page } from "playwright-core";
import { countRecorded } from "../../../server/jobs/analytics.ts";
import { type AtWork, atWork } from "../../support/recording/agent-work.ts";
import { sharedServer } from "../../support/server.ts";
import { freshAgent, type TestAgent } from "../../support/tracker/work.ts";
import { clicked, tapped, walkedTo } from "../../support/web/pointer.ts";
import { inBrowser, pressUntil } from "../../support/web/web.ts";
import { type Workspace, workspaceOf } from "../../support/workspace.ts";

describe("the way from a failure to its proof", function () {
  this.timeout(120_000);
  let space: Workspace;
  let agent: TestAgent;
  const web = inBrowser(async (tenant) => {
    space = await workspaceOf(tenant, "ENG");
    agent = await freshAgent(space, "claude-code");
    await space.does("teamUpdate", { id: "ENG", input: { proof: { commands: ["npm test"] } } }, "success");
  });

  /** Has an agent fail at something that nobody failed at before. */
  const fails = async (words: string) => {
    const session = await atWork(web.tenant, "Ship the parcels.");
    await session.runs("npm run ship", 1, `Error: ${words}`);
    await session.answers("It does not ship.");
    const { runtime } = await sharedServer();
    await runtime.projector.catchUp(web.tenant.organizationId);
    await countRecorded(runtime);
  };

  /** Has the agent take an issue, mend it and test it, in a session of its own. */
  const mends = async (identifier: string, prompt: string): Promise<AtWork> => {
    const session = await atWork(web.tenant, prompt);
    await agent.claim({ id: identifier, sessionId: session.id });
    await session.edits("/srv/parcels/src/ship.ts");
    await session.runs("npm test");
    await session.answers("Done.");
    return session;
  };

  /** Goes all the way with one kind of press. */
  async function goes(page: Page, press: (target: Locator) => Promise<void>, words: string): Promise<void> {
    // The failure is filed as an issue.
    await press(page.getByRole("link", { name: new RegExp(words) }).first());
    const failure = page.getByRole("complementary", { name: "Failure group" });
    await press(failure.getByRole("button", { name: "File an issue" }));
    await press(page.getByRole("dialog", { name: "File an issue" }).getByRole("button", { name: "File", exact: true }));
    // The issue is handed to an agent.
    await press(page.getByRole("button", { name: "Hand to agent" }));
    await press(page.getByRole("dialog", { name: "Hand to agent" }).getByRole("button", { name: /^claude-code/ }));
    await page.getByRole("button", { name: "Delegate: claude-code" }).waitFor();
    // The agent works, and the person closes the issue: the record proves it.
    const identifier = await page.locator(".crumb [aria-current]").innerText();
    const prompt = `Mend ${identifier}: ${words}`;
    await mends(identifier, prompt);
    const close = async () => {
      await press(page.getByRole("button", { name: /^State:/ }));
      await press(page.getByRole("dialog", { name: "State" }).getByRole("option", { name: /Done/ }));
    };
    await pressUntil(close, page.getByRole("button", { name: "State: Done" }));
    await page.getByRole("region", { name: "Proof" }).getByText("Verified").waitFor();
    // Its session stands in the conversation.
    await page.reload();
    await press(page.getByRole("list", { name: "Conversation" }).getByRole("link", { name: new RegExp(prompt) }));
    await page.getByRole("treegrid").waitFor();
    expect(await page.getByRole("row", { name: /npm test/ }).count()).to.be.greaterThan(0);
  }

  it("is gone with a mouse: a failure is filed, handed to an agent, mended, and closed with proof", async () => {
    const words = "no carrier goes north";
    await fails(words);
    const { page, problems } = await web.open("/failures");
    await page.setViewportSize({ width: 1440, height: 900 });
    await goes(page, (target) => clicked(page, target), words);
    expect(problems).to.deep.equal([]);
  });

  it("is gone with a keyboard, by Tab, arrows and Enter alone", async () => {
    const words = "the scales weigh nothing";
    await fails(words);
    const { page, problems } = await web.open("/failures");
    await page.setViewportSize({ width: 1440, height: 900 });
    await goes(page, (target) => walkedTo(page, target), words);
    expect(problems).to.deep.equal([]);
  });

  it("begins on a phone with More, which opens all pages", async () => {
    const { page, problems } = await web.onPhone("/inbox");
    await tapped(page, page.getByRole("button", { name: "More", exact: true }));
    const pages = page.getByRole("dialog", { name: "Pages" });
    await tapped(page, pages.getByRole("link", { name: "Failures" }));
    await page.getByRole("heading", { name: "Failures", level: 1 }).waitFor();
    await pages.waitFor({ state: "detached" });
    expect(problems).to.deep.equal([]);
  });

  it("is gone with a finger on a phone", async () => {
    const words = "the stamps are sold out";
    await fails(words);
    const { page, problems } = await web.onPhone("/failures");
    // Two taps at about one place within 300 ms are a double tap, and no press of the second button.
    const press = async (target: Locator) => {
      await target.waitFor();
      await page.waitForTimeout(400);
      await tapped(page, target);
    };
    await goes(page, press, words);
    expect(problems).to.deep.equal([]);
  });
});
