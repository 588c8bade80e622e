import { expect } from "chai";
import type { Page } from "playwright-core";
import { type GeneratedEvent, generateSession, sendEvents } from "../../bench/web/sessions.ts";
import { APPEARANCES, findViolations, setAppearance } from "../support/web/axe.ts";
import { openApp, setUpBrowserTests } from "../support/web/web.ts";

type Shown = [name: string, path: () => string, shows: (page: Page) => Promise<unknown>];

describe("accessibility of the web app", () => {
  let failed: GeneratedEvent | undefined;
  const web = setUpBrowserTests(async (tenant) => {
    const events = generateSession({ seed: tenant.urlKey, events: 90, begin: Date.now() - 600_000, failEvery: 11 });
    failed = events.find(({ success }) => !success);
    await sendEvents(tenant.url, tenant.ingestKey, events);
  });

  const check = async (page: Page, ready: () => Promise<unknown>, looks = APPEARANCES) => {
    const found: string[] = [];
    for (const look of looks) {
      await setAppearance(page, look);
      await ready();
      for (const each of await findViolations(page, look)) found.push(`${look.width} ${look.theme} ${each}`);
    }
    return found;
  };

  it("has no axe violations on the sign-in page", async () => {
    const { page } = await openApp(web.browser, web.tenant.url);
    expect(await check(page, () => page.getByLabel("Password").waitFor())).to.deep.equal([]);
  });

  const pages: Shown[] = [
    ["/connect", () => "/connect", (page) => page.getByText("Waiting for the first event").waitFor()],
    [
      "the command palette",
      () => "/sessions",
      async (page) => {
        await page.getByRole("table", { name: "Sessions" }).waitFor();
        if (!(await page.getByRole("combobox", { name: /Search/ }).isVisible())) await page.keyboard.press("Control+k");
        await page.getByRole("listbox", { name: "Results" }).getByRole("option").first().waitFor();
      },
    ],
    [
      "the list of keys",
      () => "/connect",
      async (page) => {
        await page.getByText("Waiting for the first event").waitFor();
        if (!(await page.getByRole("dialog").isVisible())) await page.keyboard.press("?");
        await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
      },
    ],
    [
      "the dialog for a new issue",
      () => "/issues/new",
      (page) => page.getByRole("dialog", { name: "New issue" }).waitFor(),
    ],
    [
      "a saved view and its dialog",
      () => "/issues",
      async (page) => {
        if (await page.getByRole("dialog").isVisible()) return;
        const size = page.viewportSize();
        await page.setViewportSize({ width: 1440, height: 900 }); // A narrow page has no button that saves a view.
        await page.getByRole("button", { name: "Save view" }).click();
        await page.getByLabel("Name").fill("A view");
        await page.getByRole("button", { name: "Save", exact: true }).click();
        await page.getByRole("button", { name: "Edit view" }).click();
        if (size) await page.setViewportSize(size);
      },
    ],
  ];
  /**
   * Axe also checks these pages in web-routes-all, wide and narrow in both themes, with different texts. One of the
   * four looks is enough here.
   */
  const alsoThere: Shown[] = [
    ["/sessions", () => "/sessions", (page) => page.getByRole("table", { name: "Sessions" }).waitFor()],
    ["a session's timeline", () => `/sessions/${failed?.session_id}`, (page) => page.getByRole("treegrid").waitFor()],
    [
      "a session's event",
      () => `/sessions/${failed?.session_id}/events/${failed?.event_id}`,
      (page) => page.getByRole("group", { name: "Result, failed" }).waitFor(),
    ],
    [
      "a session's transcript",
      () => `/sessions/${failed?.session_id}/transcript`,
      (page) => page.getByText("Found 1 error.").first().waitFor(),
    ],
    ["a session's log", () => `/sessions/${failed?.session_id}/log`, (page) => page.getByRole("table").waitFor()],
  ];
  const reads = ([name, path, shows]: Shown, looks: typeof APPEARANCES, where: string) =>
    it(`has no axe violations on ${name}, ${where}`, async () => {
      const { page, problems } = await web.open(path());
      expect(await check(page, () => shows(page), looks)).to.deep.equal([]);
      expect(problems).to.deep.equal([]);
    });
  for (const each of pages) reads(each, APPEARANCES, "in both themes, wide and narrow");
  for (const each of alsoThere) reads(each, APPEARANCES.slice(0, 1), "in one of the looks");
});
