import { expect } from "chai";
import type { Locator, Page, Route } from "playwright-core";
import { recordScene, recordWaiting, scene } from "../../support/recording/session-scene.ts";
import { freshOrganization } from "../../support/server.ts";
import { LOOKS, lookAt, violations } from "../../support/web/axe.ts";
import { clicked, tapped } from "../../support/web/pointer.ts";
import { inBrowser } from "../../support/web/web.ts";
import { recordRuns } from "../../support/web/web-runs.ts";

/** The texts of a list of elements, also of those out of view. */
const textsOf = async (all: Locator): Promise<string[]> =>
  (await all.allTextContents()).map((text) => text.replaceAll(/\s+/g, " ").trim());

describe("a session's page", function () {
  this.timeout(180_000);
  let recorded: Awaited<ReturnType<typeof recordScene>>;
  const web = inBrowser(async (tenant) => {
    recorded = await recordScene(tenant);
  });
  const eventPath = (event: string | undefined) => `/sessions/${recorded.session_id}/events/${event}`;
  const panelOf = (page: Page) => page.getByRole("complementary", { name: "Event" });

  it("says what an agent waits for, since when and where, and goes on once it was answered", async () => {
    const waiting = await recordWaiting(web.tenant, "npm publish");
    const { page, problems } = await web.open(`/sessions/${waiting.id}`);
    const state = page.locator(".session-state");
    await state.getByText("Waiting for permission").waitFor();
    const strap = page.getByRole("region", { name: "What it waits for" });
    expect(await strap.innerText()).to.match(/^claude-code has waited for permission for .* in \/srv\/parcels/);
    await clicked(page, strap.getByRole("button", { name: "What it wants to run" }));
    await panelOf(page).getByText("waits for permission").waitFor();
    await page.getByRole("gridcell", { name: /waits for permission/ }).waitFor();
    await waiting.answer();
    await state.getByText("Failed", { exact: true }).waitFor();
    await strap.waitFor({ state: "detached" });
    expect(problems).to.deep.equal([]);
  });

  it("shows what was taken out by its rule, lines as lines, and on demand the text as it was sent", async () => {
    const { page, problems } = await web.open(eventPath(recorded.bash));
    const panel = panelOf(page);
    await panel.getByText("github-token (2)").waitFor();
    expect(await panel.locator(".js .lines").innerText()).to.equal(scene.script);
    const marks = panel.getByRole("button", { name: /^Taken out: github-token [0-9a-f]{4}$/ });
    await marks.nth(1).waitFor();
    expect(await marks.count()).to.equal(2);
    const [hint, same] = await textsOf(marks);
    expect(hint).to.equal(same);
    await marks.first().focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "What was taken out" }).getByText("Nobody can bring it back").waitFor();
    await page.keyboard.press("Escape");
    const args = panel.getByRole("group", { name: "Arguments as" });
    await clicked(page, args.getByRole("button", { name: "Raw" }));
    expect(await panel.getByRole("group", { name: "Arguments", exact: true }).textContent()).to.contain(
      JSON.stringify(scene.script),
    );
    expect(problems).to.deep.equal([]);
  });

  it("shows the messages of a model call as a chat", async () => {
    const { page, problems } = await web.open(eventPath(recorded.model));
    const chat = page.getByRole("list", { name: "Arguments: messages" });
    await chat.locator("strong").getByText("the log").waitFor();
    expect(await textsOf(chat.locator(".who bdi"))).to.deep.equal(["system", "user", "assistant", "user"]);
    await chat.getByText("Calls Read").waitFor();
    expect(await chat.getByRole("group", { name: "Answer" }).textContent()).to.equal("error TS2307\nin round.ts");
    await page.getByRole("list", { name: "Result: messages" }).getByText("A module is missing.").waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("shows a picture by its first bytes, whatever it calls itself, and never a drawing that may run scripts", async () => {
    const { page, problems } = await web.open(eventPath(recorded.picture));
    const image = panelOf(page).getByRole("img", { name: "Recorded by the agent" });
    await image.waitFor();
    expect(await image.getAttribute("src")).to.match(/^data:image\/png;base64,/);
    const width = () => image.evaluate((element: unknown) => (element as { naturalWidth: number }).naturalWidth);
    for (let tries = 0; (await width()) === 0 && tries < 100; tries += 1) await page.waitForTimeout(50);
    expect(await width()).to.equal(100);
    await page.goto(web.tenant.url + eventPath(recorded.drawing));
    await clicked(page, panelOf(page).locator("summary").filter({ hasText: "{3 }" }));
    await panelOf(page).getByText("mimeType").waitFor();
    expect(await image.count()).to.equal(0);
    expect(problems).to.deep.equal([]);
  });

  it("has nothing for axe to find, scrolls sideways nowhere, in both themes, wide and on a phone", async () => {
    const waiting = await recordWaiting(web.tenant, `npm publish ${"x".repeat(300)}`);
    const { page, problems } = await web.open("/connect");
    for (const look of LOOKS) {
      await lookAt(page, look);
      for (const path of [`/sessions/${waiting.id}`, eventPath(recorded.bash), eventPath(recorded.model)]) {
        await page.goto(web.tenant.url + path);
        await page.locator(".tree .ev").first().waitFor();
        await page.waitForTimeout(300);
        expect(await violations(page, look), `${path} ${look.width} ${look.theme}`).to.deep.equal([]);
        expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).to.be.at.most(0);
      }
    }
    expect(problems).to.deep.equal([]);
  });

  describe("opened from a list", () => {
    const prompts = Array.from({ length: 70 }, (_, n) => `Task ${String(n).padStart(2, "0")}`);
    const titleOf = (page: Page) => page.locator("header h1").innerText();

    it("leads to the previous and the next of its filter and order, past what was read, and back to the list", async () => {
      const tenant = await freshOrganization();
      await recordRuns(
        tenant,
        prompts.map((prompt, n) => ({ prompt, calls: n === 3 ? [] : [{ tool: "Read", args: { n } }] })),
      );
      const { page, problems } = await web.open("/connect", tenant);
      // On a slow connection the list is left before its second page has come.
      const slow = async (route: Route) => {
        if (route.request().postData()?.includes('"first":240')) await page.waitForTimeout(20_000);
        await route.continue().catch(() => {});
      };
      await page.route("**/graphql", slow);
      await page.goto(`${tenant.url}/sessions?tool=Read`);
      const link = (name: string) => page.getByRole("table", { name: "Sessions" }).getByRole("link", { name });
      await clicked(page, link("Task 02"));
      await page.getByText("3 of 60+").waitFor();
      await page.keyboard.press("]");
      // The one between calls no such tool.
      await page.locator("header h1").getByText("Task 04").waitFor();
      await clicked(page, page.getByRole("button", { name: "Previous session" }));
      await page.locator("header h1").getByText("Task 02").waitFor();
      await page.keyboard.press("t");
      await page.getByRole("region", { name: "Transcript" }).waitFor();
      for (let n = 0; n < 64; n += 1) {
        const before = await titleOf(page);
        await page.keyboard.press("]");
        await page.locator("header h1").filter({ hasNotText: before }).waitFor();
      }
      expect(await titleOf(page)).to.equal("Task 67");
      await page.getByRole("region", { name: "Transcript" }).waitFor();
      await page.goBack();
      await page.locator(".tree .ev").first().waitFor();
      await page.goBack();
      await page.locator('.slist tr[aria-selected="true"]').getByRole("link", { name: "Task 67" }).waitFor();
      expect(problems).to.deep.equal([]);
    });

    it("is left and come back to as it was: zoom, folds, filters and the event that was chosen, with a finger too", async () => {
      const { page, problems } = await web.open(eventPath(recorded.bash));
      await page.setViewportSize({ width: 375, height: 812 });
      await tapped(page, page.getByRole("button", { name: "Close" }));
      await tapped(page, page.locator(".ev .tw").first());
      await page.locator('.tree[aria-rowcount="2"]').waitFor();
      await page.setViewportSize({ width: 1440, height: 900 });
      await clicked(page, page.getByRole("button", { name: "Zoom in" }));
      const axis = await textsOf(page.locator(".thead .wf span"));
      await page.keyboard.press("t");
      const flow = page.getByRole("region", { name: "Transcript" });
      await clicked(page, flow.locator("summary").first());
      await flow.getByRole("group", { name: "Result of Bash" }).waitFor();
      await page.goBack();
      await page.locator('.tree[aria-rowcount="2"]').waitFor();
      expect(await textsOf(page.locator(".thead .wf span"))).to.deep.equal(axis);
      await page.goForward();
      await flow.getByRole("group", { name: "Result of Bash" }).waitFor();
      expect(problems).to.deep.equal([]);
    });
  });
});
