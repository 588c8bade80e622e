import { mkdir, rm, writeFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { rollUpTotals } from "../../server/jobs/totals/roll-up.ts";
import { startBrowser } from "../../test/support/browser.ts";
import { freshOrganization, startServer, type Tenant } from "../../test/support/server.ts";
import { openSignedIn } from "../../test/support/web.ts";
import { makeWorld } from "../../test/support/web-world.ts";
import { generateSession, sendEvents } from "./sessions.ts";

const FOLDER = new URL("../../docs/pictures/", import.meta.url);
const HOUR_MS = 3_600_000;
const WIDE = { width: 1280, height: 800 };
const PHONE = { width: 375, height: 760 };

interface Picture {
  name: string;
  path: string;
  ready: (page: Page) => Promise<unknown>;
  size?: typeof WIDE;
  dark?: true;
}

/** Takes the pictures that the documentation shows, of a server with some sessions, tools and issues in it. */
async function main(): Promise<void> {
  const app = await startServer();
  const tenant = await freshOrganization(app);
  const shown = await fill(tenant);
  await rollUpTotals(app.runtime.db);
  const browser = await startBrowser();
  const { page } = await openSignedIn(browser, tenant, "/connect");
  await rm(FOLDER, { recursive: true, force: true });
  for (const picture of picturesOf(shown)) await take(page, tenant, picture);
  await browser.close();
  await app.close();
}

async function fill(tenant: Tenant) {
  const world = await makeWorld(tenant);
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
  await tenant.gql("mutation ($id: String!) { issueClaim(input: { id: $id }) { success } }", { id: world.issueId });
  await tenant.rest("POST", "/api/ingest-keys", { name: "ci" });
  await tenant.rest("POST", "/api/api-keys", { label: "laptop" });
  await tenant.rest("POST", "/api/webhooks", { target: "https://hooks.example.com/trackway", label: "chat" });
  await tenant.rest("POST", "/api/invitations", { email: "nora@example.com" });
  const [events = []] = sessions;
  const failed = events.find(({ success }) => !success);
  return { world, sessionId: events[0]?.session_id, failedId: failed?.event_id };
}

function picturesOf({ world, sessionId, failedId }: Awaited<ReturnType<typeof fill>>): Picture[] {
  const table = (name: string) => (page: Page) => page.getByRole("table", { name, exact: true }).first().waitFor();
  const tree = (page: Page) => page.getByRole("treegrid").waitFor();
  const session = `/sessions/${sessionId}`;
  const event = (page: Page) => page.getByRole("group", { name: "Result, failed" }).waitFor();
  const palette = async (page: Page) => {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: /^Search/ }).fill("re");
    await page.getByRole("group", { name: "Tools" }).waitFor();
  };
  return [
    { name: "connect", path: "/connect", ready: (page) => page.getByText("Waiting for the first event").waitFor() },
    { name: "sessions", path: "/sessions", ready: table("Sessions") },
    { name: "sessions-phone-dark", path: "/sessions", ready: table("Sessions"), size: PHONE, dark: true },
    { name: "search", path: "/sessions?q=error", ready: table("Events that say it") },
    { name: "session", path: session, ready: tree },
    { name: "session-dark", path: session, ready: tree, dark: true },
    { name: "event", path: `${session}/events/${failedId}`, ready: event },
    { name: "transcript", path: `${session}/transcript`, ready: (page) => page.locator(".msg").first().waitFor() },
    { name: "log", path: `${session}/log`, ready: (page) => page.getByRole("table").waitFor() },
    { name: "tools", path: "/tools", ready: table("Tools") },
    { name: "tool", path: `/tools/${world.tool}`, ready: table("Failure groups") },
    { name: "users", path: "/users", ready: table("Users") },
    { name: "issues", path: "/issues", ready: table("Issues") },
    {
      name: "issue",
      path: world.path,
      ready: (page) => page.getByRole("region", { name: "Issue" }).locator("strong").first().waitFor(),
    },
    {
      name: "settings-webhooks",
      path: "/settings/webhooks",
      ready: (page) => page.getByRole("heading", { name: "Deliveries" }).waitFor(),
    },
    { name: "settings-audit", path: "/settings/audit", ready: table("Audit log") },
    { name: "palette", path: "/sessions", ready: palette },
  ];
}

async function take(page: Page, { url }: Tenant, { name, path, ready, size = WIDE, dark }: Picture): Promise<void> {
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme: dark ? "dark" : "light", reducedMotion: "reduce" });
  await page.goto(url + path);
  await ready(page);
  await page.waitForLoadState("networkidle");
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 82 });
  await session.detach();
  await mkdir(FOLDER, { recursive: true });
  await writeFile(new URL(`${name}.webp`, FOLDER), Buffer.from(data, "base64"));
}

await main();
