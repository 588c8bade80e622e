import { expect } from "chai";
import type { Locator, Page } from "playwright-core";
import { APPEARANCES, findViolations, setAppearance } from "../../support/web/axe.ts";
import { clickElement, tapElement } from "../../support/web/pointer.ts";
import { setUpBrowserTests } from "../../support/web/web.ts";
import { recordRuns } from "../../support/web/web-runs.ts";
import { createWorkspaceIn } from "../../support/workspace.ts";

const PROMPT = "The build on main fails since #412 was merged.";
const build = { tool: "Bash", args: { command: "npm run build" } };
const edit = (line: string) => ({ tool: "Edit", args: { file_path: "a.ts", old_string: "a", new_string: line } });

describe("comparing two runs of a prompt", () => {
  let [a, b]: string[] = [];
  const web = setUpBrowserTests(async (tenant) => {
    [a, b] = await recordRuns(tenant, [
      { prompt: PROMPT, calls: [build, edit("one"), build] },
      { prompt: PROMPT, calls: [build, edit("two"), { ...build, result: "exit 2", fails: true }] },
      { prompt: "Something else", calls: [build] },
    ]);
    const space = await createWorkspaceIn(tenant);
    await space.does("teamUpdate", { id: space.teamId, input: { proof: { commands: ["npm test"] } } });
    const issue = await space.issue({ sessionId: b });
    await space.does("issueComplete", { id: issue.id });
  });
  const open = async () => {
    const opened = await web.open(`/sessions/${a}`);
    await opened.page.locator(".tree .ev").first().waitFor();
    return opened;
  };
  const runs = (page: Page) => page.getByRole("list", { name: "Runs with this prompt" }).getByRole("button");
  const partsAtTheEdit = async (page: Page) => {
    await page.waitForURL(`**/sessions/${a}/compare/${b}`);
    const first = page.getByRole("list", { name: "Events of both runs" }).locator("li.first");
    await first.waitFor();
    expect(await first.innerText())
      .to.contain("First divergence")
      .and.to.contain("Edit");
  };

  it("works with a mouse: Compare, then the other run", async () => {
    const { page, problems } = await open();
    await clickElement(page, page.getByRole("button", { name: "Compare", exact: true }));
    await clickElement(page, runs(page).first());
    await partsAtTheEdit(page);
    expect(problems).to.deep.equal([]);
  });

  it("works with a keyboard: B, Tab to the other run, Enter", async () => {
    const { page, problems } = await open();
    await page.keyboard.press("b");
    await runs(page).first().waitFor();
    for (let tabs = 0; tabs < 3; tabs += 1) {
      if (await page.evaluate("document.activeElement.closest('.runs') !== null")) break;
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Enter");
    await partsAtTheEdit(page);
    await page.keyboard.press("d");
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Call in B" }).getByText("two").first().waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("works by touch on a phone: More, Compare, the other run, and shows calls below each other", async () => {
    const { page, problems } = await open();
    await page.setViewportSize({ width: 375, height: 812 });
    await tapElement(page, page.getByRole("button", { name: "More", exact: true }).first());
    await tapElement(page, page.getByRole("button", { name: /^Compare with another run/ }));
    await tapElement(page, runs(page).first());
    await partsAtTheEdit(page);
    await tapElement(page, page.getByRole("list", { name: "Events of both runs" }).locator("li.first button").first());
    const [left, right] = ["Call in A", "Call in B"].map((name) => page.getByRole("region", { name }));
    await right?.waitFor();
    const [above, below] = [await left?.boundingBox(), await right?.boundingBox()];
    expect((above?.y ?? 0) + (above?.height ?? 0)).to.be.at.most((below?.y ?? 0) + 1);
    expect(below?.width).to.be.within(250, 375);
    expect(problems).to.deep.equal([]);
  });

  it("shows the proof verdicts of the runs' issues beside the totals; on a phone each run is a column", async () => {
    const { page, problems } = await web.open(`/sessions/${a}/compare/${b}`);
    const sums = page.getByRole("table", { name: "Totals" });
    const proofIn = async (row: number) => sums.getByRole("row").nth(row).getByRole("cell").last().innerText();
    await sums.getByText("Unproven").waitFor();
    expect(await Promise.all([1, 2].map(proofIn))).to.deep.equal(["", "Unproven"]);
    await page.getByText("1 identical event: Bash").waitFor();
    await page.setViewportSize({ width: 375, height: 800 });
    const boxOf = async (target: Locator) => {
      const box = await target.boundingBox();
      expect(box).to.not.equal(null);
      return box ?? { x: 0, y: 0, width: 0, height: 0 };
    };
    const heads = sums.getByRole("columnheader");
    const cells = sums.getByRole("row", { name: "B compared with A" }).getByRole("cell");
    for (let n = 0; n < 7; n += 1) {
      const [head, cell] = [await boxOf(heads.nth(n + 1)), await boxOf(cells.nth(n))];
      expect(Math.abs(head.y - cell.y), `row ${n}`).to.be.lessThan(2);
      expect(cell.x + cell.width).to.be.within(300, 375);
    }
    expect((await boxOf(page.locator("header.head"))).height).to.be.at.most(64);
    expect(problems).to.deep.equal([]);
  });

  it("finds other runs without a press once a busy server responds", async () => {
    const { page } = await open();
    let busy = true;
    await page.route("**/graphql", (route) =>
      busy && (route.request().postData() ?? "").includes("query Alike(")
        ? route.fulfill({ status: 503, json: { errors: [{ message: "Busy." }] } })
        : route.fallback(),
    );
    await clickElement(page, page.getByRole("button", { name: "Compare", exact: true }));
    await page.getByRole("dialog").getByRole("alert").filter({ hasText: "Busy." }).waitFor();
    busy = false;
    await runs(page).first().waitFor();
  });

  /**
   * Responds to the search for runs like a server that searched only a part of the sessions. `since` returns the time
   * that each response reached.
   */
  async function searchedBackTo(page: Page, since: (part: number) => string | null) {
    const asked: (string | undefined)[] = [];
    await page.route("**/graphql", async (route) => {
      const { query = "", variables } = JSON.parse(route.request().postData() ?? "{}");
      if (!query.includes("query Alike(")) return route.fallback();
      asked.push(variables.filter.startedAt?.lte);
      const recordedSessions = { nodes: [], searchedSince: since(asked.length) };
      return route.fulfill({ json: { data: { recordedSessions } } });
    });
    await clickElement(page, page.getByRole("button", { name: "Compare", exact: true }));
    return asked;
  }
  const day = (n: number) => new Date(Date.UTC(2026, 0, 31 - n)).toISOString();
  const newest = (page: Page) => page.getByRole("list", { name: "Newest sessions" });

  it("continues the search for runs where the last response stopped, at most twelve times, and shows how far back it searched", async () => {
    const { page } = await open();
    const asked = await searchedBackTo(page, day);
    await newest(page).waitFor();
    expect(asked).to.deep.equal([undefined, ...Array.from({ length: 11 }, (_, n) => day(n + 1))]);
    expect(await page.getByRole("dialog").innerText()).to.match(/No other session since .*19.* has the same prompt/);
  });

  it("searches for runs until the end, and stops when a response makes no progress", async () => {
    const { page } = await open();
    const asked = await searchedBackTo(page, (part) => (part < 3 ? day(part) : null));
    await page.getByText("No other session has the same prompt").waitFor();
    expect(asked).to.deep.equal([undefined, day(1), day(2)]);
    await page.keyboard.press("Escape");
    await page.unrouteAll();
    await page.reload();
    await page.locator(".tree .ev").first().waitFor();
    const stuck = await searchedBackTo(page, () => day(5));
    await newest(page).waitFor();
    expect(stuck).to.deep.equal([undefined, day(5)]);
  });

  it("has no axe violations and no horizontal scrolling", async () => {
    const { page, problems } = await web.open("/connect");
    for (const look of APPEARANCES) {
      await setAppearance(page, look);
      await page.goto(`${web.tenant.url}/sessions/${a}/compare/${b}`);
      await partsAtTheEdit(page);
      expect(await findViolations(page, look), `${look.width} ${look.theme}`).to.deep.equal([]);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).to.be.at.most(0);
    }
    expect(problems).to.deep.equal([]);
  });
});
