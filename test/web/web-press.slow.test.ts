import { readdirSync, readFileSync } from "node:fs";
import { expect } from "chai";
import type { BrowserContext, Locator, Page } from "playwright-core";
import { type GeneratedEvent, generateSession, sendEvents } from "../../bench/web/sessions.ts";
import { updateHourAndGroupCounts } from "../../server/jobs/analytics.ts";
import { processNewEvents } from "../../server/jobs/mentions/new-events.ts";
import { createEvent } from "../support/recording/ingest.ts";
import { sendRecording } from "../support/recording/recordings.ts";
import { startSharedServer, type Tenant } from "../support/server.ts";
import { openWatchedPage } from "../support/web/browser.ts";
import { clickAtPosition, clickElement, findPressPoint, HOLD_MS, tapElement } from "../support/web/pointer.ts";
import { setUpBrowserTests, submitSignInForm } from "../support/web/web.ts";
import { createWorld, type WebWorld } from "../support/web/web-world.ts";
import { createWorkspaceIn } from "../support/workspace.ts";

const SESSIONS = 70;
/** Distance of the wheel scroll in px. The list is longer. */
const TURN_PX = 1_200;

/** Files whose list items are not rows (steps, comments and the like), and files that draw rows of a tested list. */
const NO_ROWS = [
  "parts/lists/data-table.tsx",
  "pages/compare/compare.tsx",
  "pages/compare/rows.tsx",
  "pages/failures/panel.tsx",
  "pages/inbox/entry.tsx",
  "pages/connect/arrival.tsx",
  "pages/connect/connect.tsx",
  "pages/issues/conversation/conversation.tsx",
  "pages/sessions/row.tsx",
  "pages/session/log/log.tsx",
  // Commits. web-files tests their links.
  "pages/session/files/of-issue.tsx",
  // Events of a proof. An issue has proof events only if the team demands a proof.
  "pages/issues/proof.tsx",
];

/** A list of the app whose rows are links. */
interface List {
  name: string;
  /** File that draws the rows. */
  file: string;
  path: () => string;
  /** Selector of the link that the test presses in each row. */
  links: string;
  /** Expected address after the press. Default: the `href` of the link. */
  leads?: RegExp;
  /** The list is in the rail, which a small screen does not show. */
  wide?: true;
  /** Makes the list visible if the page does not show the list at once. */
  show?: (page: Page) => Promise<unknown>;
}

/** Creates issues about failures, then deletes the sessions of the failures. */
async function quoteDeleted(tenant: Tenant): Promise<void> {
  const { does, teamId } = await createWorkspaceIn(tenant, "OLD");
  for (let n = 0; n < 2; n += 1) {
    const failed = createEvent({
      primitive_type: "tool",
      primitive_name: "Bash",
      success: false,
      result: `Error: ${n}`,
    });
    await sendRecording(tenant, { path: "/api/v1/capture-event", body: failed });
    await does("issueCreateFromFailure", { input: { eventId: failed.event_id, teamId } }, "success");
    await does("recordedSessionDelete", { id: failed.session_id }, "complete");
  }
}

describe("links in list rows", () => {
  let world: WebWorld;
  let events: GeneratedEvent[];
  const web = setUpBrowserTests(async (tenant) => {
    world = await createWorld(tenant);
    events = generateSession({ seed: tenant.urlKey, events: 240, begin: Date.now() - 90_000_000, failEvery: 60 });
    const short = (n: number) =>
      generateSession({ seed: `${tenant.urlKey} ${n}`, events: 2, begin: Date.now() - 3_600_000 - n * 4_000 });
    const sessions = Array.from({ length: SESSIONS }, (_, n) => short(n)).flat();
    await sendEvents(tenant.url, tenant.ingestKey, [...events, ...sessions]);
    const failed = events.find(({ success }) => !success)?.event_id;
    const { issueCreateFromFailure } = await tenant.gql(
      "mutation($input: IssueCreateFromFailureInput!) { issueCreateFromFailure(input: $input) { issue { id url } } }",
      { input: { teamId: world.teamId, title: "Filed about a failure", eventId: failed } },
    );
    filed = issueCreateFromFailure.issue;
    await tenant.gql("mutation($input: IssueRelationCreateInput!) { issueRelationCreate(input: $input) { success } }", {
      input: { issueId: filed.id, relatedIssueId: world.issueId, type: "blocks" },
    });
    await quoteDeleted(tenant);
    for (const name of ["One", "Two"])
      await tenant.gql(`mutation { customViewCreate(input: { name: "${name}" }) { success } }`);
    await tenant.gql("mutation($input: CycleCreateInput!) { cycleCreate(input: $input) { success } }", {
      input: { teamId: world.teamId, startsAt: "2026-01-01T00:00:00Z", endsAt: "2026-01-15T00:00:00Z" },
    });
    await tenant.gql("mutation { organizationUpdate(input: { retentionSessionDays: 5 }) { success } }");
    const { runtime } = await startSharedServer();
    await updateHourAndGroupCounts(runtime);
    await processNewEvents(runtime.db);
  });
  let filed: { id: string; url: string };
  const session = () => `/sessions/${events[0]?.session_id}`;
  const filedPath = () => new URL(filed.url).pathname;
  const palette = async (page: Page) => {
    await page.locator("main").waitFor();
    await page.getByRole("button", { name: "Search" }).and(page.locator(":visible")).click();
    // The found entry takes its place above the pages after a moment.
    await page.waitForTimeout(500);
  };
  const unfolded = (page: Page) => page.locator(".tcall.bad .body a").first().waitFor();

  const lists: List[] = [
    { name: "sessions", file: "pages/sessions/table.tsx", path: () => "/sessions", links: ".slist td.c-title a" },
    {
      name: "what a text finds",
      file: "pages/sessions/results.tsx",
      path: () => "/sessions?q=src&range=-P7D",
      links: "[data-row]",
    },
    { name: "tools", file: "pages/tools/tools.tsx", path: () => "/tools", links: "[data-row]" },
    { name: "a tool's failures", file: "pages/tools/tool.tsx", path: () => "/tools/Bash", links: "[data-row]" },
    { name: "the inbox", file: "pages/inbox/inbox.tsx", path: () => "/inbox", links: "[data-row]" },
    {
      name: "runs to compare with",
      file: "pages/session/compare-with.tsx",
      path: session,
      links: ".runs button",
      leads: /\/compare\/[0-9a-f-]+$/,
      wide: true,
      show: (page) => page.getByRole("button", { name: "Compare" }).click(),
    },
    { name: "groups of failures", file: "pages/failures/list.tsx", path: () => "/failures", links: "[data-row]" },
    {
      name: "usage",
      file: "pages/usage/usage.tsx",
      path: () => "/usage?by=agent",
      links: "[data-row]",
      leads: /\/sessions\?agent=/,
    },
    { name: "users", file: "pages/users/users.tsx", path: () => "/users", links: "[data-row]" },
    {
      name: "a user's sessions",
      file: "pages/users/user.tsx",
      path: () => `/users/${encodeURIComponent(world.userId)}`,
      links: "[data-row]",
    },
    { name: "issues", file: "pages/issues/list/rows.tsx", path: () => "/issues", links: "[data-row]" },
    {
      name: "issues of no group",
      file: "pages/issues/list/list.tsx",
      path: () => "/issues?group=none",
      links: "[data-row]",
    },
    {
      name: "issues that have words",
      file: "pages/issues/issues.tsx",
      path: () => "/issues?q=release",
      links: "[data-row]",
    },
    { name: "the board", file: "pages/issues/board/card.tsx", path: () => "/issues?layout=board", links: "[data-row]" },
    {
      name: "a project's issues",
      file: "pages/projects/planned.tsx",
      path: () => world.projectPath,
      links: "[data-row]",
    },
    {
      name: "a team's issues",
      file: "pages/issues/table.tsx",
      path: () => `/${web.tenant.urlKey}/team/ENG`,
      links: "[data-row]",
    },
    {
      name: "sub-issues",
      file: "pages/issues/issue.tsx",
      path: () => world.path,
      links: "[aria-labelledby=parts] li a",
    },
    {
      name: "relations",
      file: "pages/issues/relations.tsx",
      path: filedPath,
      links: "[aria-labelledby=relations] li a",
    },
    {
      name: "an issue's sessions",
      file: "pages/issues/conversation/session-item.tsx",
      path: filedPath,
      links: ".session-item a",
    },
    { name: "an issue's failures", file: "pages/issues/side/seen-in.tsx", path: filedPath, links: ".seen li a" },
    {
      name: "the events of a session",
      file: "pages/session/timeline/tree.tsx",
      path: session,
      links: ".tree .rows .ev b",
      leads: /\/events\/[0-9a-f-]+$/,
    },
    { name: "the log", file: "pages/session/log/rows.tsx", path: () => `${session()}/log`, links: ".log a.name" },
    {
      name: "a session's files",
      file: "pages/session/files/files.tsx",
      path: () => `${session()}/files`,
      links: ".file-list a",
      leads: /\/files\?file=/,
    },
    {
      name: "a transcript",
      file: "pages/session/transcript/transcript.tsx",
      path: () => `${session()}/transcript`,
      links: ".tcall.bad .body a",
      show: unfolded,
    },
    { name: "a session's issues", file: "pages/session/issues.tsx", path: session, links: ".facts a[href*='/issue/']" },
    {
      name: "the palette",
      file: "shell/palette.tsx",
      path: () => "/connect",
      links: "[role=option]:has-text('Tools')",
      leads: /\/tools$/,
      show: palette,
    },
    {
      name: "issues that quote deleted sessions",
      file: "pages/issues/deleted-sessions.tsx",
      path: () => "/settings/retention",
      links: "main li a[href*='/issue/']",
    },
    {
      name: "sessions that go soon",
      file: "pages/settings/retention/retention.tsx",
      path: () => "/settings/retention",
      links: "main li a[href^='/sessions/']",
    },
    {
      name: "issues like a new one",
      file: "pages/new-issue/similar.tsx",
      path: () => "/issues/new",
      links: ".similar a",
      show: (page) => page.getByLabel("Title").fill("Filed about a failure"),
    },
    { name: "projects", file: "pages/projects/projects.tsx", path: () => "/projects", links: "[data-row]" },
    {
      name: "a project's issues by state",
      file: "pages/projects/progress.tsx",
      path: () => world.projectPath,
      links: ".legend a",
    },
    { name: "cycles", file: "pages/projects/cycles.tsx", path: () => "/cycles", links: "[data-row]" },
    { name: "saved views", file: "shell/views-in-rail.tsx", path: () => "/issues", links: ".views a", wide: true },
    { name: "the rail", file: "shell/nav.tsx", path: () => "/connect", links: ":is(.nav, .tabbar) a[href='/issues']" },
  ];

  it("are covered below for every file that draws rows with links", () => {
    const root = new URL("../../web/", import.meta.url);
    const drawn = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) => {
      const text = file.endsWith(".tsx") ? readFileSync(new URL(file, root), "utf8") : "";
      return /<(DataTable|VirtualRows|li|tr)\b|role="option"/.test(text) && /href|navigate\(/.test(text);
    });
    const tried = lists.map(({ file }) => file);
    expect(drawn.filter((file) => !tried.includes(file) && !NO_ROWS.includes(file))).to.deep.equal([]);
  });

  const devices: [
    name: string,
    context: () => Promise<BrowserContext>,
    press: (page: Page, link: Locator) => Promise<void>,
  ][] = [
    ["a mouse", () => web.browser.newContext({ viewport: { width: 1440, height: 900 } }), clickElement],
    [
      "a finger",
      () => web.browser.newContext({ viewport: { width: 375, height: 812 }, hasTouch: true, isMobile: true }),
      tapElement,
    ],
  ];
  for (const [device, context, press] of devices) {
    it(`open on a single press by ${device}`, async () => {
      const { page, problems } = await openWatchedPage(await context(), web.tenant.url);
      const size = page.viewportSize();
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.goto(web.tenant.url);
      await submitSignInForm(page, web.tenant);
      if (size) await page.setViewportSize(size);
      const shut: string[] = [];
      for (const { name, path, links, leads, show, wide } of lists) {
        if (wide && page.viewportSize()?.width === 375) continue;
        await goTo(page, path());
        await show?.(page);
        const rows = page.locator(links).and(page.locator(":visible"));
        await rows.first().waitFor();
        // A row other than the first, where Tab enters the list.
        const at = Math.min(4, (await rows.count()) - 1);
        const href = await rows.nth(at).getAttribute("href");
        await press(page, rows.nth(at));
        const target = leads ?? ((url: URL) => url.pathname + url.search === href);
        await page
          .waitForURL(target, { timeout: 60_000 })
          .catch(() => shut.push(`${name}, row ${at + 1}: ${href}, at ${page.url()}`));
      }
      expect(shut).to.deep.equal([]);
      expect(problems).to.deep.equal([]);
      await page.context().close();
    });
  }

  const within: [name: string, path: () => string, rows: string, downs: number][] = [
    ["sessions", () => "/sessions?range=-P7D", ".slist tbody tr", 30],
    ["what a text finds", () => "/sessions?q=src&range=-P7D", ".scroll tbody tr", 26],
    ["tools", () => "/tools", ".scroll tbody tr", 2],
    ["issues", () => "/issues", ".scroll tbody tr", 2],
  ];
  for (const [name, path, rows, downs] of within) {
    it(`restore ${name} after going back, and the next key continues from there`, async () => {
      const { page, problems } = await web.open("/connect");
      await page.setViewportSize({ width: 1280, height: 600 });
      await goTo(page, path());
      await page.locator(rows).nth(2).waitFor();
      for (let n = 0; n < downs; n += 1) await page.keyboard.press("j");
      await page.locator('tr[aria-selected="true"]').waitFor();
      const left = await stateOf(page);
      const from = page.url();
      await page.keyboard.press("Enter");
      await page.waitForURL((url) => url.href !== from);
      await page.waitForTimeout(200);
      await page.goBack();
      await page.locator('tr[aria-selected="true"]').waitFor();
      await page.waitForTimeout(200);
      expect(await stateOf(page)).to.deep.equal(left);
      await page.keyboard.press("k");
      const next = await stateOf(page);
      expect(next.at).to.equal(left.at - 1);
      expect(problems).to.deep.equal([]);
      await page.context().close();
    });
  }

  it("keep the row at its position after scrolling, pressing the row, and going back", async () => {
    for (const size of [
      { width: 1280, height: 600 },
      { width: 375, height: 812 },
    ]) {
      // A page that showed the list before would restore its position, which the test would mistake for the scrolling.
      const { page } = await web.open("/connect");
      await page.setViewportSize(size);
      await goTo(page, "/sessions?range=-P7D");
      await page.locator(".slist tbody tr").nth(9).waitFor();
      await page.mouse.move(300, 400);
      expect(await scrolled(page)).to.equal(0);
      await page.mouse.wheel(0, TURN_PX);
      // On a busy machine, scrolling starts late and takes longer.
      while (Math.abs((await scrolled(page)) - TURN_PX) > 2) await page.waitForTimeout(50);
      await page.locator("html:not([data-moving])").waitFor();
      const link = page.locator(".slist td.c-title a");
      const shown: string[] = [];
      for (const one of await link.all()) {
        const box = await one.boundingBox();
        if (box && box.y > 300 && box.y < 480) shown.push((await one.getAttribute("href")) ?? "");
      }
      const pressed = page.locator(`.slist a[href="${shown[0]}"]`);
      const { y: before } = (await pressed.boundingBox()) ?? { y: 0 };
      await clickAtPosition(page, pressed);
      await page.waitForURL(`**${shown[0]}`);
      await page.waitForTimeout(200);
      await page.goBack();
      await pressed.waitFor();
      await page.waitForTimeout(200);
      expect((await pressed.boundingBox())?.y, `${size.width}`).to.be.closeTo(before, 2);
      await page.context().close();
    }
  });

  it("open when pressed where the pointer rested while the list moved, before a slow machine reports the rest", async () => {
    const { page } = await web.open("/connect");
    await page.setViewportSize({ width: 1280, height: 600 });
    for (const [path, links, leads] of [
      ["/sessions?range=-P7D", ".slist td.c-title a", /\/sessions\/[0-9a-f-]+$/],
      [session(), ".tree .rows .ev b", /\/events\/[0-9a-f-]+$/],
    ] as const) {
      await goTo(page, path);
      const { x, y } = await findPressPoint(page.locator(links).nth(4));
      await page.mouse.move(x, y);
      await page.mouse.wheel(0, 40);
      await page.locator("html[data-moving]").waitFor();
      await page.locator("html:not([data-scrolling])").waitFor();
      await page.evaluate('document.documentElement.setAttribute("data-moving", "")');
      await page.mouse.down();
      await page.waitForTimeout(HOLD_MS);
      await page.mouse.up();
      await page.waitForURL(leads, { timeout: 60_000 });
    }
    await page.context().close();
  });

  it("stay under the pressed pointer when new rows arrive", async () => {
    const { page } = await web.open("/connect");
    await page.setViewportSize({ width: 1440, height: 900 });
    const come = async (name: string, calls: number) => {
      const one = generateSession({ seed: `${web.tenant.urlKey} ${name}`, events: calls, begin: Date.now() - 1_000 });
      const named = one.map((event, n) => (n === 0 ? event : { ...event, primitive_name: name }));
      await sendEvents(web.tenant.url, web.tenant.ingestKey, named);
    };
    for (const [path, rows, query] of [
      ["/sessions", ".slist td.c-title a", "query Sessions("],
      ["/tools", "[data-row]", "query Tools("],
    ] as const) {
      await goTo(page, path);
      await page.locator(rows).nth(1).waitFor();
      await page.waitForTimeout(1_500);
      const link = page.locator(rows).nth(1);
      const href = (await link.getAttribute("href")) ?? "";
      const { x, y } = await findPressPoint(link);
      await page.mouse.move(x, y);
      await page.mouse.down();
      const read = page.waitForResponse((response) => (response.request().postData() ?? "").includes(query));
      await come(`New${path.slice(1)}`, 39);
      await (await read).finished();
      await page.waitForTimeout(HOLD_MS);
      await page.mouse.up();
      await page.waitForURL(`**${href}`, { timeout: 60_000 });
    }
    await page.context().close();
  });
});

/** Returns the scroll position of the list, or of the page on a phone, in px. */
const scrolled = (page: Page): Promise<number> =>
  page.evaluate(`document.querySelector(".scroll").scrollTop || scrollY`);

/** Returns position and text of the selected row for comparisons. */
const stateOf = async (page: Page): Promise<{ at: number; top: number; text: string }> =>
  page.evaluate(`(() => {
    const row = document.querySelector('tr[aria-selected="true"]');
    const at = Number(row.getAttribute("aria-rowindex") ?? [...row.parentElement.children].indexOf(row));
    return { at, top: Math.round(row.getBoundingClientRect().top / 4), text: row.querySelector("a").getAttribute("href") };
  })()`);

/** Navigates inside the app without loading the page again. */
const goTo = (page: Page, path: string): Promise<unknown> =>
  page.evaluate(`history.pushState(null, "", ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent("popstate"));`);
