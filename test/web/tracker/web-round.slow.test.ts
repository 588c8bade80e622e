import { expect } from "chai";
import type { Locator, Page } from "playwright-core";
import { updateHourAndGroupCounts } from "../../../server/jobs/analytics.ts";
import { startWorkingSession, type WorkingSession } from "../../support/recording/agent-work.ts";
import { startSharedServer } from "../../support/server.ts";
import { createAgent, type TestAgent } from "../../support/tracker/work.ts";
import { clickElement, reachByKeyboard, tapElement } from "../../support/web/pointer.ts";
import { pressUntilShown, setUpBrowserTests } from "../../support/web/web.ts";
import { createWorkspaceIn, type Workspace } from "../../support/workspace.ts";

describe("the workflow from a failure to its proof", () => {
  let space: Workspace;
  let agent: TestAgent;
  const web = setUpBrowserTests(async (tenant) => {
    space = await createWorkspaceIn(tenant, "ENG");
    agent = await createAgent(space, "claude-code");
    await space.does("teamUpdate", { id: "ENG", input: { proof: { commands: ["npm test"] } } }, "success");
  });

  /** Records a session in which an agent fails with a new error message. */
  const fails = async (words: string) => {
    const session = await startWorkingSession(web.tenant, "Ship the parcels.");
    await session.runs("npm run ship", 1, `Error: ${words}`);
    await session.answers("It does not ship.");
    const { runtime } = await startSharedServer();
    await runtime.projector.catchUp(web.tenant.organizationId);
    await updateHourAndGroupCounts(runtime);
  };

  /** Has the agent claim an issue, edit a file and run the tests in a new session. */
  const mends = async (identifier: string, prompt: string): Promise<WorkingSession> => {
    const session = await startWorkingSession(web.tenant, prompt);
    await agent.claim({ id: identifier, sessionId: session.id });
    await session.edits("/srv/parcels/src/ship.ts");
    await session.runs("npm test");
    await session.answers("Done.");
    return session;
  };

  /** Follows the whole workflow with one kind of press (mouse, keyboard or touch). */
  async function goes(page: Page, press: (target: Locator) => Promise<void>, words: string): Promise<void> {
    // The user files the failure as an issue.
    await press(page.getByRole("link", { name: new RegExp(words) }).first());
    const failure = page.getByRole("complementary", { name: "Failure group" });
    await press(failure.getByRole("button", { name: "File an issue" }));
    await press(
      page.getByRole("dialog", { name: "File an issue" }).getByRole("button", { name: "File issue", exact: true }),
    );
    // The user hands the issue to an agent.
    await press(page.getByRole("button", { name: "Hand to agent" }));
    await press(page.getByRole("dialog", { name: "Hand to agent" }).getByRole("button", { name: /^claude-code/ }));
    await page.getByRole("button", { name: "Delegate: claude-code" }).waitFor();
    // The agent works, and the user closes the issue. The recorded session proves the issue completed.
    const identifier = await page.locator(".crumb [aria-current]").innerText();
    const prompt = `Mend ${identifier}: ${words}`;
    await mends(identifier, prompt);
    const close = async () => {
      await press(page.getByRole("button", { name: /^State:/ }));
      await press(page.getByRole("dialog", { name: "State" }).getByRole("option", { name: /Done/ }));
    };
    await pressUntilShown(close, page.getByRole("button", { name: "State: Done" }));
    await page.getByRole("region", { name: "Proof" }).getByText("Verified").waitFor();
    // The session of the agent appears in the conversation.
    await page.reload();
    await press(page.getByRole("list", { name: "Conversation" }).getByRole("link", { name: new RegExp(prompt) }));
    // The page draws the rows after the table, once the height of the table is known.
    const tests = page.getByRole("treegrid").getByRole("row", { name: /npm test/ });
    await tests.first().waitFor();
  }

  it("works with a mouse: file the failure, hand it to an agent, and complete the issue with a proof", async () => {
    const words = "no carrier goes north";
    await fails(words);
    const { page, problems } = await web.open("/failures");
    await page.setViewportSize({ width: 1440, height: 900 });
    await goes(page, (target) => clickElement(page, target), words);
    expect(problems).to.deep.equal([]);
  });

  it("works with a keyboard, by Tab, arrows and Enter alone", async () => {
    const words = "the scales weigh nothing";
    await fails(words);
    const { page, problems } = await web.open("/failures");
    await page.setViewportSize({ width: 1440, height: 900 });
    await goes(page, (target) => reachByKeyboard(page, target), words);
    expect(problems).to.deep.equal([]);
  });

  it("starts on a phone from More, which lists all pages", async () => {
    const { page, problems } = await web.onPhone("/inbox");
    await tapElement(page, page.getByRole("button", { name: "More", exact: true }));
    const pages = page.getByRole("dialog", { name: "Pages" });
    await tapElement(page, pages.getByRole("link", { name: "Failures" }));
    await page.getByRole("heading", { name: "Failures", level: 1 }).waitFor();
    await pages.waitFor({ state: "detached" });
    expect(problems).to.deep.equal([]);
  });

  it("works by touch on a phone", async () => {
    const words = "the stamps are sold out";
    await fails(words);
    const { page, problems } = await web.onPhone("/failures");
    // A browser treats two taps at nearly the same place within 300 ms as a double tap, and would not press the
    // second button.
    const press = async (target: Locator) => {
      await target.waitFor();
      await page.waitForTimeout(400);
      await tapElement(page, target);
    };
    await goes(page, press, words);
    expect(problems).to.deep.equal([]);
  });
});
