import { writeFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { updateHourAndGroupCounts } from "../../server/jobs/analytics.ts";
import { rollUpTotals } from "../../server/jobs/totals.ts";
import { createOrganization, startServer, type Tenant } from "../../test/support/server.ts";
import { startBrowser } from "../../test/support/web/browser.ts";
import { openSignedIn } from "../../test/support/web/web.ts";
import { createWorld } from "../../test/support/web/web-world.ts";
import { generateSession, sendEvents } from "./sessions.ts";

const FOLDER = new URL("../../docs/pictures/", import.meta.url);
const HOUR_MS = 3_600_000;
const WIDE = { width: 1280, height: 800 };

interface Picture {
  name: string;
  path: string;
  ready: (page: Page) => Promise<unknown>;
}

/** Takes the screenshots of the documentation, on a server with some sessions, tools and issues. */
async function main(): Promise<void> {
  const app = await startServer();
  const tenant = await createOrganization(app);
  const shown = await fill(tenant);
  await rollUpTotals(app.runtime.db);
  await updateHourAndGroupCounts(app.runtime);
  const browser = await startBrowser();
  const { page } = await openSignedIn(browser, tenant, "/connect");
  for (const picture of picturesOf(shown)) await take(page, tenant, picture);
  await browser.close();
  await app.close();
}

/** Issues of the board: state, priority and title. */
const ISSUES: readonly [string, number, string][] = [
  ["Backlog", 4, "Say in the invoice which rate of tax applied"],
  ["Backlog", 3, "Keep the address of a guest for the next order"],
  ["Todo", 1, "Orders over 10,000 time out in the fraud check"],
  ["Todo", 2, "Round VAT once, at the end"],
  ["Todo", 3, "Retry the payment webhook after a 503"],
  ["In Progress", 2, "Read the exchange rate once a day"],
  ["In Progress", 3, "Delete carts that nobody touched for 90 days"],
  ["Done", 3, "Show the carrier's own name on the parcel page"],
  ["Done", 2, "Refuse a coupon that was used at another till"],
];

async function fill(tenant: Tenant) {
  const world = await createWorld(tenant);
  const sessions = [];
  for (let n = 0; n < 16; n += 1) {
    const begin = Math.round(Date.now() - ((n * 1.4) ** 1.2 + 0.4) * HOUR_MS);
    const events = generateSession({
      seed: `${n} picture`,
      events: 30 + ((n * 37) % 90),
      begin,
      failEvery: 9 + (n % 4) * 20,
    });
    await sendEvents(tenant.url, tenant.ingestKey, events);
    sessions.push(events);
  }
  const { team } = await tenant.gql("query ($id: String!) { team(id: $id) { states { nodes { id name } } } }", {
    id: world.teamId,
  });
  const stateId = (name: string) => team.states.nodes.find((state: { name: string }) => state.name === name)?.id;
  const issues = ISSUES.map(([state, priority, title]) => ({
    ...{ teamId: world.teamId, stateId: stateId(state), priority, title },
    ...(priority < 3 && { labelIds: [world.labelId] }),
  }));
  await tenant.gql("mutation ($input: IssueBatchCreateInput!) { issueBatchCreate(input: $input) { success } }", {
    input: { issues },
  });
  await tenant.gql("mutation ($id: String!) { issueClaim(input: { id: $id }) { success } }", { id: world.issueId });
  const [events = []] = sessions;
  const failed = events.find(({ success }) => !success);
  return { world, sessionId: events[0]?.session_id, failedId: failed?.event_id };
}

function picturesOf({ world, sessionId, failedId }: Awaited<ReturnType<typeof fill>>): Picture[] {
  const session = `/sessions/${sessionId}`;
  return [
    { name: "connect", path: "/connect", ready: (page) => page.getByText("Waiting for the first event").waitFor() },
    { name: "sessions", path: "/sessions", ready: (page) => page.getByRole("table", { name: "Sessions" }).waitFor() },
    { name: "session", path: session, ready: (page) => page.getByRole("treegrid").waitFor() },
    {
      ...{ name: "event", path: `${session}/events/${failedId}` },
      ready: (page) => page.getByRole("group", { name: "Result, failed" }).waitFor(),
    },
    { name: "transcript", path: `${session}/transcript`, ready: (page) => page.locator(".msg").first().waitFor() },
    { name: "failures", path: "/failures", ready: (page) => page.locator("main").getByText("exit").first().waitFor() },
    { name: "board", path: "/issues?layout=board", ready: (page) => page.getByText("Round VAT once").waitFor() },
    {
      ...{ name: "issue", path: world.path },
      ready: (page) => page.getByRole("region", { name: "Issue" }).locator("strong").first().waitFor(),
    },
  ];
}

async function take(page: Page, { url }: Tenant, { name, path, ready }: Picture): Promise<void> {
  await page.setViewportSize(WIDE);
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await page.goto(url + path);
  await ready(page);
  await page.waitForLoadState("networkidle");
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 45 });
  await session.detach();
  await writeFile(new URL(`${name}.webp`, FOLDER), Buffer.from(data, "base64"));
}

await main();
