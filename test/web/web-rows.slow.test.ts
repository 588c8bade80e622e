import { expect } from "chai";
import type { Page } from "playwright-core";
import { generateSession, sendEvents } from "../../bench/web/sessions.ts";
import { traceBrowser } from "../../bench/web/trace.ts";
import { setUpBrowserTests } from "../support/web/web.ts";

const EVENTS = 900;
const SESSIONS = 300;
const ISSUES = 50;
const TURNS = 30;
const STEP_PX = 100;
const TRIES = 5;

interface List {
  name: string;
  path: () => string;
  row: string;
  height: number;
  /**
   * Maximum number of elements styled per row that comes into view: the elements of the row and differences to the
   * row that left.
   */
  most: number;
  /** CSS rules that restyle every cell of a moving row. With these rules, the test must fail. */
  costly: string;
  /**
   * CSS rule that makes rows depend on preceding elements. Absent where all rows have the same texts and need no
   * layout.
   */
  dependent?: string;
}

describe("rows of a long list", () => {
  const events = generateSession({ seed: "rows", events: EVENTS, begin: Date.now() - 7_200_000, failEvery: 50 });
  const web = setUpBrowserTests(async ({ url, ingestKey, gql }) => {
    await sendEvents(url, ingestKey, events);
    const short = (n: number) =>
      generateSession({ seed: `rows ${n}`, events: 3, begin: Date.now() - 3_600_000 - n * 4_000, failEvery: 0 });
    await sendEvents(url, ingestKey, Array.from({ length: SESSIONS }, (_, n) => short(n)).flat());
    const { teamCreate } = await gql('mutation { teamCreate(input: { name: "Rows", key: "ROW" }) { team { id } } }');
    const teamId = teamCreate.team.id;
    const issues = Array.from({ length: ISSUES }, (_, n) => ({ teamId, title: `What passes under a pointer ${n}` }));
    await gql("mutation ($input: IssueBatchCreateInput!) { issueBatchCreate(input: $input) { success } }", {
      input: { issues },
    });
  });
  const session = `/sessions/${events[0]?.session_id}`;
  const inherited = ".tbl.many :is(tbody, tr, th, td) { vertical-align: inherit !important }";
  const lists: List[] = [
    { name: "sessions", path: () => "/sessions", row: ".slist tbody tr", height: 37, most: 8, costly: inherited },
    {
      ...{
        name: "the log",
        path: () => `${session}/log`,
        row: ".log tbody tr",
        height: 37,
        most: 5,
        costly: inherited,
      },
      dependent: ".tbl.many tbody tr { top: auto !important }",
    },
    {
      name: "the timeline",
      path: () => session,
      row: ".tree .rows .ev",
      height: 28,
      most: 20,
      costly: ".tree .rows:has(.ev[aria-rowindex='3']) .ev > * { --row: 1 }",
      dependent: '.tree .rows [role="row"].ev { top: auto !important }',
    },
  ];

  for (const { name, path, row, height, most, costly, dependent } of lists) {
    const title = `in ${name} have a bounded number of elements styled as they come into view`;
    it(dependent ? `${title}, and nothing but rows laid out` : title, async () => {
      const { page, problems } = await web.open(path());
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.locator(row).nth(20).waitFor();
      const { x, y } = (await page.locator(row).nth(12).boundingBox()) ?? { x: 0, y: 0 };
      await page.mouse.move(x + 200, y);
      await scroll(page, height);
      const { styled, whole } = await least(page, { height, most });
      expect(styled).to.be.below(most);
      if (dependent) expect(whole, "layouts of the whole page").to.be.below(0.5);
      await page.evaluate(`{ const sheet = new CSSStyleSheet(); sheet.replaceSync(${JSON.stringify(`${costly} ${dependent ?? ""}`)});
        document.adoptedStyleSheets = [sheet]; }`);
      const costlier = await scroll(page, height);
      expect(costlier.styled, "with the costly rule").to.be.above(most);
      if (dependent) expect(costlier.whole, "layouts of the whole page").to.be.above(0.5);
      expect(problems).to.deep.equal([]);
    });
  }

  const underPointer = [
    { name: "the log", path: `${session}/log`, rows: ".log tbody tr" },
    { name: "issues", path: "/issues", rows: ".issue-list tr[data-id]" },
    { name: "the board", path: "/issues?layout=board", rows: ".icard" },
  ];
  for (const { name, path, rows } of underPointer) {
    it(`of ${name} get no hover style while they pass under a pointer, and get it when they rest`, async () => {
      const { page } = await web.open(path);
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.locator(rows).nth(20).waitFor();
      const { x, y } = (await page.locator(rows).nth(4).boundingBox()) ?? { x: 0, y: 0 };
      await page.mouse.move(x + 200, y + 10);
      const pointed = page.locator(`${rows}:hover`);
      await pointed.waitFor();
      const seen: number[] = [];
      for (let n = 0; n < 12; n += 1) {
        await page.mouse.wheel(0, STEP_PX);
        await page.waitForTimeout(16);
        if (n > 3 && (await page.evaluate("document.documentElement.hasAttribute('data-moving')")))
          seen.push(await pointed.count());
      }
      expect(seen.length).to.be.above(2);
      expect(Math.min(...seen)).to.equal(0);
      await page.waitForTimeout(1_000);
      // On a busy machine, the browser notices the element under the pointer only at the next movement.
      await page.mouse.move(x + 201, y + 10);
      await pointed.waitFor();
    });
  }
});

/** Number of elements styled per row that came into view, and share of layouts of the whole page. */
interface Work {
  styled: number;
  whole: number;
}

/** Scrolls until few enough elements are styled. Arriving data or a stalled machine may cause further styling. */
async function least(page: Page, { height, most }: Pick<List, "height" | "most">): Promise<Work> {
  let work = await scroll(page, height);
  for (let n = 1; n < TRIES && work.styled >= most; n += 1) work = await scroll(page, height);
  return work;
}

/** Scrolls from the top to the end. */
async function scroll(page: Page, height: number): Promise<Work> {
  await page.evaluate("document.querySelector('.scroll, .tree').scrollTo(0, 0)");
  await page.waitForTimeout(600);
  const top = () => page.evaluate<number>("document.querySelector('.scroll, .tree').scrollTop");
  const before = await top();
  const cdp = await page.context().newCDPSession(page);
  const traced = await traceBrowser(cdp, 1, async () => {
    for (let n = 0; n < TURNS; n += 1) {
      await page.mouse.wheel(0, STEP_PX);
      await page.waitForTimeout(16);
    }
    // On a slow machine, the page still scrolls after the last wheel event.
    for (let last = -1; last !== (await top()); await page.waitForTimeout(150)) last = await top();
  });
  await cdp.detach();
  const styled = traced
    .filter(({ name }) => name === "UpdateLayoutTree")
    .reduce((sum, { args }) => sum + (args?.elementCount ?? 0), 0);
  const rows = ((await top()) - before) / height;
  expect(rows).to.be.above(10);
  const layouts = traced.filter(({ name }) => name === "Layout");
  const whole = layouts.filter(({ args }) => !args?.beginData?.partialLayout).length;
  return { styled: styled / rows, whole: whole / layouts.length };
}
