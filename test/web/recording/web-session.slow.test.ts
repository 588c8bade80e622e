import { expect } from "chai";
import type { Locator, Page, Route } from "playwright-core";
import { recordScene, recordWaiting, SESSION_SCENE } from "../../support/recording/session-scene.ts";
import { createOrganization } from "../../support/server.ts";
import { APPEARANCES, findViolations, setAppearance } from "../../support/web/axe.ts";
import { clickElement, tapElement } from "../../support/web/pointer.ts";
import { setUpBrowserTests } from "../../support/web/web.ts";
import { recordRuns } from "../../support/web/web-runs.ts";

/** Returns the texts of all elements of a list, including elements out of view. */
const textsOf = async (all: Locator): Promise<string[]> =>
  (await all.allTextContents()).map((text) => text.replaceAll(/\s+/g, " ").trim());

describe("a session's page", () => {
  let recorded: Awaited<ReturnType<typeof recordScene>>;
  const web = setUpBrowserTests(async (tenant) => {
    recorded = await recordScene(tenant);
  });
  const eventPath = (event: string | undefined) => `/sessions/${recorded.session_id}/events/${event}`;
  const panelOf = (page: Page) => page.getByRole("complementary", { name: "Event" });

  it("shows what an agent waits for, since when and where, until it is answered", async () => {
    const waiting = await recordWaiting(web.tenant, "npm publish");
    const { page, problems } = await web.open(`/sessions/${waiting.id}`);
    const state = page.locator(".session-state");
    await state.getByText("Waiting for permission").waitFor();
    const strap = page.getByRole("region", { name: "What the agent is waiting for" });
    expect(await strap.innerText()).to.match(/^claude-code has been waiting for permission for .* in \/srv\/parcels/);
    await clickElement(page, strap.getByRole("button", { name: "Show the requested call" }));
    await panelOf(page).getByText("waiting for permission").waitFor();
    await page.getByRole("gridcell", { name: /waiting for permission/ }).waitFor();
    await waiting.answer();
    await state.getByText("Failed", { exact: true }).waitFor();
    await strap.waitFor({ state: "detached" });
    expect(problems).to.deep.equal([]);
  });

  it("shows redacted text with the rule that redacted it, line breaks as lines, and the sent text on request", async () => {
    const { page, problems } = await web.open(eventPath(recorded.bash));
    const panel = panelOf(page);
    await panel.getByText("github-token (2)").waitFor();
    expect(await panel.locator(".js .lines").innerText()).to.equal(SESSION_SCENE.script);
    const marks = panel.getByRole("button", { name: /^Redacted: github-token [0-9a-f]{4}$/ });
    await marks.nth(1).waitFor();
    expect(await marks.count()).to.equal(2);
    const [hint, same] = await textsOf(marks);
    expect(hint).to.equal(same);
    await marks.first().focus();
    await page.keyboard.press("Enter");
    await page
      .getByRole("dialog", { name: "Redacted text" })
      .getByText("The original text cannot be restored")
      .waitFor();
    await page.keyboard.press("Escape");
    const args = panel.getByRole("group", { name: "Arguments as" });
    await clickElement(page, args.getByRole("button", { name: "Raw" }));
    expect(await panel.getByRole("group", { name: "Arguments", exact: true }).textContent()).to.contain(
      JSON.stringify(SESSION_SCENE.script),
    );
    expect(problems).to.deep.equal([]);
  });

  it("shows the messages of a model call as a chat", async () => {
    const { page, problems } = await web.open(eventPath(recorded.model));
    const chat = page.getByRole("list", { name: "Arguments: messages" });
    await chat.locator("strong").getByText("the log").waitFor();
    expect(await textsOf(chat.locator(".who bdi"))).to.deep.equal(["system", "user", "assistant", "user"]);
    await chat.getByText("Call of Read").waitFor();
    expect(await chat.getByRole("group", { name: "Result" }).textContent()).to.equal("error TS2307\nin round.ts");
    await page.getByRole("list", { name: "Result: messages" }).getByText("A module is missing.").waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("shows a picture by its first bytes regardless of its declared type, and never an SVG, which may run scripts", async () => {
    const { page, problems } = await web.open(eventPath(recorded.picture));
    const image = panelOf(page).getByRole("img", { name: "Recorded by the agent" });
    await image.waitFor();
    expect(await image.getAttribute("src")).to.match(/^data:image\/png;base64,/);
    const width = () => image.evaluate((element: unknown) => (element as { naturalWidth: number }).naturalWidth);
    for (let tries = 0; (await width()) === 0 && tries < 100; tries += 1) await page.waitForTimeout(50);
    expect(await width()).to.equal(100);
    await page.goto(web.tenant.url + eventPath(recorded.drawing));
    await clickElement(page, panelOf(page).locator("summary").filter({ hasText: "{3 }" }));
    await panelOf(page).getByText("mimeType").waitFor();
    expect(await image.count()).to.equal(0);
    expect(problems).to.deep.equal([]);
  });

  it("has no axe violations and no horizontal scrolling, in both themes, wide and on a phone", async () => {
    const waiting = await recordWaiting(web.tenant, `npm publish ${"x".repeat(300)}`);
    const { page, problems } = await web.open("/connect");
    for (const look of APPEARANCES) {
      await setAppearance(page, look);
      for (const path of [`/sessions/${waiting.id}`, eventPath(recorded.bash), eventPath(recorded.model)]) {
        await page.goto(web.tenant.url + path);
        await page.locator(".tree .ev").first().waitFor();
        await page.waitForTimeout(300);
        expect(await findViolations(page, look), `${path} ${look.width} ${look.theme}`).to.deep.equal([]);
        expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).to.be.at.most(0);
      }
    }
    expect(problems).to.deep.equal([]);
  });

  describe("opened from a list", () => {
    const prompts = Array.from({ length: 70 }, (_, n) => `Task ${String(n).padStart(2, "0")}`);
    const titleOf = (page: Page) => page.locator("header h1").innerText();

    it("opens the previous and next session of the list's filter and order, beyond the loaded page, and returns to the list", async () => {
      const tenant = await createOrganization();
      await recordRuns(
        tenant,
        prompts.map((prompt, n) => ({ prompt, calls: n === 3 ? [] : [{ tool: "Read", args: { n } }] })),
      );
      const { page, problems } = await web.open("/connect", tenant);
      // On a slow connection, the user leaves the list before the second page of results arrives.
      const slow = async (route: Route) => {
        if (route.request().postData()?.includes('"first":240')) await page.waitForTimeout(20_000);
        await route.continue().catch(() => {});
      };
      await page.route("**/graphql", slow);
      await page.goto(`${tenant.url}/sessions?tool=Read`);
      const link = (name: string) => page.getByRole("table", { name: "Sessions" }).getByRole("link", { name });
      await clickElement(page, link("Task 02"));
      await page.getByText("3 of 60+").waitFor();
      await page.keyboard.press("]");
      // Task 03, between the two, has no call of the tool.
      await page.locator("header h1").getByText("Task 04").waitFor();
      await clickElement(page, page.getByRole("button", { name: "Previous session" }));
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

    it("keeps zoom, folds, filters and the selected event when left and reopened, by touch too", async () => {
      const { page, problems } = await web.open(eventPath(recorded.bash));
      await page.setViewportSize({ width: 375, height: 812 });
      await tapElement(page, page.getByRole("button", { name: "Close" }));
      await tapElement(page, page.locator(".ev .tw").first());
      await page.locator('.tree[aria-rowcount="2"]').waitFor();
      await page.setViewportSize({ width: 1440, height: 900 });
      await clickElement(page, page.getByRole("button", { name: "Zoom in" }));
      const axis = await textsOf(page.locator(".thead .wf span"));
      await page.keyboard.press("t");
      const flow = page.getByRole("region", { name: "Transcript" });
      await clickElement(page, flow.locator("summary").first());
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
