import { randomUUID } from "node:crypto";
import type { Browser } from "playwright-core";
import type { Tenant } from "../../test/support/server.ts";
import { openSignedIn } from "../../test/support/web/web.ts";
import { computeMedian } from "../support/figures.ts";
import { sendEvents } from "./sessions.ts";

const TIMES = 15;
/** Basis of the varying pauses, so that the measurements do not align with an interval of the server. */
const PAUSE_MS = 90;

/** The time until a sent session appears in two browsers with the open list: the median and the maximum. */
export async function measureAppearance(browser: Browser, tenant: Tenant): Promise<{ middle: number; most: number }> {
  const pages = await Promise.all([1, 2].map(async () => (await openSignedIn(browser, tenant, "/sessions")).page));
  for (const page of pages) await page.getByText("Live", { exact: true }).waitFor();
  const times: number[] = [];
  for (let n = 0; n < TIMES; n += 1) {
    const words = `Shown to both ${randomUUID()}`;
    const event = {
      event_id: randomUUID(),
      session_id: randomUUID(),
      primitive_name: "agent",
      args: words,
      result: "",
      latency: 1,
    };
    const begun = performance.now();
    await sendEvents(tenant.url, tenant.ingestKey, [event]);
    await Promise.all(pages.map((page) => page.getByText(words).waitFor()));
    times.push(Math.round(performance.now() - begun));
    await pages[0]?.waitForTimeout(n * PAUSE_MS);
  }
  for (const page of pages) await page.context().close();
  return { middle: computeMedian(times), most: Math.max(...times) };
}
