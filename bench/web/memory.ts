import { readFileSync } from "node:fs";
import type { Browser, CDPSession } from "playwright-core";

/** The memory of a page in MB: of its JavaScript heap, and private memory of its process. */
export async function measurePageMemory(
  browser: Browser,
  session: CDPSession,
): Promise<{ heapMB: number; pageMB: number }> {
  await session.send("Performance.enable");
  await session.send("HeapProfiler.collectGarbage");
  const { metrics } = await session.send("Performance.getMetrics");
  const heap = metrics.find(({ name }) => name === "JSHeapUsedSize")?.value ?? 0;
  return { heapMB: Math.round(heap / 1e6), pageMB: Math.max(...(await privateMB(browser))) };
}

/** The private memory of each renderer process. */
async function privateMB(browser: Browser): Promise<number[]> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  return processInfo.filter(({ type }) => type === "renderer").map(({ id }) => Math.round(ownKilobytes(id) / 1_000));
}

function ownKilobytes(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return [...text.matchAll(/^Private_\w+:\s+(\d+) kB/gm)].reduce((sum, [, kilobytes]) => sum + Number(kilobytes), 0);
}
