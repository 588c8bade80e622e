import { expect } from "chai";
import { countRecorded } from "../../../server/jobs/analytics.ts";
import { anEvent, aSession } from "../../support/recording/ingest.ts";
import { record } from "../../support/recording/recordings.ts";
import { sharedServer } from "../../support/server.ts";
import { watchedPage } from "../../support/web/browser.ts";
import { inBrowser, signIn } from "../../support/web/web.ts";
import { type Workspace, workspaceOf } from "../../support/workspace.ts";

/** Pages that are drawn again as something is recorded or changed, and have a filter. */
const PAGES = ["/failures?state=all", "/sessions", "/users", "/tools", "/issues"];
/** Longer than the pause of any page between two reads, in ms. */
const PAUSE_MS = 21_000;

describe("a filter that is being written", function () {
  this.timeout(180_000);
  let space: Workspace;
  const web = inBrowser(async (tenant) => {
    space = await workspaceOf(tenant);
    await happens("already");
  });

  /** Something that each of the pages shows by this word. */
  async function happens(word: string): Promise<void> {
    const session = aSession({ user_data: { user_id: `${word}-user` } });
    const { session_id } = session;
    const turn = anEvent({ session_id, primitive_type: "agent", args: `${word}-prompt` });
    const failed = anEvent({ session_id, primitive_type: "tool", primitive_name: `${word}-tool`, success: false });
    await record(web.tenant, { path: "/api/v1/capture-session", body: session });
    for (const body of [turn, { ...failed, result: `Error: ${word}-failure` }])
      await record(web.tenant, { path: "/api/v1/capture-event", body });
    await countRecorded((await sharedServer()).runtime);
    await space.issue({ title: `${word}-issue` });
  }

  it("keeps what is written while its page is drawn again", async () => {
    const context = await web.browser.newContext({ reducedMotion: "reduce" });
    const { page, problems } = await watchedPage(context, web.tenant.url);
    await page.clock.install();
    await page.goto(web.tenant.url);
    await signIn(page, web.tenant);
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
