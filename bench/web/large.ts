import type { Browser, CDPSession, Page } from "playwright-core";
import { startBrowser } from "../../test/support/browser.ts";
import { freshOrganization, startServer, type Tenant } from "../../test/support/server.ts";
import { openSignedIn } from "../../test/support/web.ts";
import { generateSession, sendEvents } from "./sessions.ts";

/** How large the session is, and how much slower than this machine's the browser's CPU is made while it is scrolled. */
const EVENTS = 30_000;
const SLOWER = 4;
/** What the wheel moves in one turn of it: six thousand px a second. */
const STEP_PX = 100;

/** An entry of a trace. `tdur` is time that the thread ran, without what others on the machine took. */
interface Traced {
  name: string;
  dur?: number;
  tdur?: number;
  ts: number;
  tid: number;
  pid: number;
}

/** Shows a session of 30,000 events, scrolls through it, and says what that took. */
async function main(): Promise<void> {
  const app = await startServer();
  const tenant = await freshOrganization(app);
  const events = generateSession({ seed: "large", events: EVENTS, begin: Date.now() - 86_400_000, failEvery: 997 });
  await sendEvents(tenant.url, tenant.ingestKey, events);
  const browser = await startBrowser();
  const figures = await measure(browser, tenant, String(events[0]?.session_id));
  process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
  await browser.close();
  await app.close();
}

async function measure(browser: Browser, tenant: Tenant, id: string) {
  const { page, problems } = await openSignedIn(browser, tenant, "/connect");
  await page.setViewportSize({ width: 1440, height: 900 });
  const begun = performance.now();
  await page.goto(`${tenant.url}/sessions/${id}`);
  await page.locator(".tree .ev").first().waitFor();
  const usableMs = performance.now() - begun;
  await page.locator(`[role=treegrid][aria-rowcount="${EVENTS + 1}"]`).waitFor();
  const wholeMs = performance.now() - begun;
  const session = await page.context().newCDPSession(page);
  const frames = await scroll(page, session);
  await session.send("HeapProfiler.collectGarbage");
  const { metrics } = await session.send("Performance.getMetrics");
  const heap = metrics.find(({ name }) => name === "JSHeapUsedSize")?.value ?? 0;
  return { events: EVENTS, usableMs, wholeMs, ...frames, heapMb: heap / 1e6, problems };
}

/** Main-thread work a frame, from a trace, while the wheel turns. */
async function scroll(page: Page, session: CDPSession) {
  await session.send("Performance.enable");
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
  const traced: Traced[] = [];
  session.on("Tracing.dataCollected", ({ value }) => traced.push(...(value as unknown as typeof traced)));
  await session.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories: ["toplevel", "devtools.timeline"] },
  });
  await page.mouse.move(500, 500);
  for (let n = 0; n < 120; n += 1) {
    await page.mouse.wheel(0, STEP_PX);
    await page.waitForTimeout(16);
  }
  const done = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
  await session.send("Tracing.end");
  await done;
  await session.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  return framesOf(traced);
}

function framesOf(traced: readonly Traced[]) {
  const main = mainThread(traced);
  const tasks = traced.filter(({ name, tid, pid, tdur }) => /RunTask/.test(name) && `${pid} ${tid}` === main && tdur);
  const frames = new Map<number, number>();
  for (const { ts, tdur = 0 } of tasks) {
    const frame = Math.floor(ts / 16_667);
    frames.set(frame, (frames.get(frame) ?? 0) + tdur / 1_000);
  }
  const sorted = [...frames.values()].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { frames: sorted.length, p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

/** The thread that runs the page's script most. */
function mainThread(traced: readonly Traced[]): string {
  const sums = new Map<string, number>();
  for (const { name, pid, tid, dur = 0 } of traced) {
    if (name === "FunctionCall" || name === "EventDispatch")
      sums.set(`${pid} ${tid}`, (sums.get(`${pid} ${tid}`) ?? 0) + dur);
  }
  return [...sums].sort(([, a], [, b]) => b - a)[0]?.[0] ?? "";
}

await main();
process.exit(0);
