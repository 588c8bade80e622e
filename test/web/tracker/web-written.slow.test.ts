import { expect } from "chai";
import { updateHourAndGroupCounts } from "../../../server/jobs/analytics.ts";
import { createEvent, createSession } from "../../support/recording/ingest.ts";
import { sendRecording } from "../../support/recording/recordings.ts";
import { startSharedServer } from "../../support/server.ts";
import { openWatchedPage } from "../../support/web/browser.ts";
import { setUpBrowserTests, submitSignInForm } from "../../support/web/web.ts";
import { createWorkspaceIn, type Workspace } from "../../support/workspace.ts";

/** Pages that have a filter and render again after recordings or changes. */
const PAGES = ["/failures?state=all", "/sessions", "/users", "/tools", "/issues"];
/** Longer than the longest pause of a page between two reads, in ms. */
const PAUSE_MS = 21_000;

describe("a filter that the user is typing", () => {
  let space: Workspace;
  const web = setUpBrowserTests(async (tenant) => {
    space = await createWorkspaceIn(tenant);
    await happens("already");
  });

  /** Records a failed session and creates an issue that each of the pages shows by `word`. */
  async function happens(word: string): Promise<void> {
    const session = createSession({ user_data: { user_id: `${word}-user` } });
    const { session_id } = session;
    const turn = createEvent({ session_id, primitive_type: "agent", args: `${word}-prompt` });
    const failed = createEvent({ session_id, primitive_type: "tool", primitive_name: `${word}-tool`, success: false });
    await sendRecording(web.tenant, { path: "/api/v1/capture-session", body: session });
    for (const body of [turn, { ...failed, result: `Error: ${word}-failure` }])
      await sendRecording(web.tenant, { path: "/api/v1/capture-event", body });
    await updateHourAndGroupCounts((await startSharedServer()).runtime);
    await space.issue({ title: `${word}-issue` });
  }

  it("keeps the typed text while its page renders new data", async () => {
    const context = await web.browser.newContext({ reducedMotion: "reduce" });
    const { page, problems } = await openWatchedPage(context, web.tenant.url);
    await page.clock.install();
    await page.goto(web.tenant.url);
    await submitSignInForm(page, web.tenant);
    for (const [n, path] of PAGES.entries()) {
      await page.goto(web.tenant.url + path);
      const main = page.locator("main");
      await main.getByText("already-").first().waitFor();
      const field = page.getByRole("search").locator("input").first();
      await field.pressSequentially("-");
      const before = await main.getByText(`word${n}-`).count();
      expect(before, path).to.equal(0);
      await happens(`word${n}`);
      await page.clock.fastForward(PAUSE_MS);
      await main.getByText(`word${n}-`).first().waitFor();
      expect(await field.inputValue(), path).to.equal("-");
    }
    expect(problems).to.deep.equal([]);
    await context.close();
  });
});
