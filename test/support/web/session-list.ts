import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { rollUpTotals } from "../../../server/jobs/totals.ts";
import { createEvent } from "../recording/ingest.ts";
import { callRestApi, startSharedServer } from "../server.ts";
import { PATIENCE_MS } from "./browser.ts";
import { setUpBrowserTests } from "./web.ts";

/** Markup that no page may run. */
export const HOSTILE_MARKUP = '<img src=x onerror="window.__hit=1">';
/** Costs of the sessions, by number. */
const COSTS = [0.5, 3, 0.25, 2, 1];

/**
 * Sets up a block of tests with an organization that has five sessions, and opens the page that lists the sessions.
 */
export function setUpSessionListTests() {
  const begin = Date.now() - 3_600_000;
  const web = setUpBrowserTests(async () => {
    for (const n of COSTS.keys()) await record(n);
    await rollUpTotals((await startSharedServer()).runtime.db);
  });

  const post = async (path: string, body: object) => {
    const { status } = await callRestApi(web.tenant.url, "POST", path, {
      body,
      headers: { "x-api-key": web.tenant.ingestKey },
    });
    expect(status).to.be.oneOf([200, 202]);
  };
  /** Records a session of a user with traits and metadata, with a turn, a tool call and `n` failures. */
  const record = async (n: number, at = begin + n * 60_000) => {
    const session_id = randomUUID();
    const user_data = { user_id: `user-${n}`, plan: n % 2 ? "pro" : "free" };
    await post("/api/v1/capture-session", {
      session_id,
      user_data,
      timestamp: at,
      metadata: { branch: n === 3 ? "main" : "dev" },
    });
    const turn = createEvent({
      session_id,
      primitive_name: n === 4 ? "other-agent" : "my-agent",
      args: `Question ${n} ${n === 2 ? `needle ${HOSTILE_MARKUP}` : ""}`,
      timestamp: at,
      latency: (n + 1) * 1_000,
      metadata: { "gen_ai.usage.cost": COSTS[n] ?? 0.01 },
    });
    const tool = (name: string, success: boolean) =>
      createEvent({ session_id, parent_id: turn.event_id, primitive_name: name, success, timestamp: at + 10 });
    const calls = Array.from({ length: Math.min(n, 4) }, () => tool("Bash", false));
    await post("/api/v1/capture-events", { events: [turn, tool(n === 1 ? "Grep" : "Read", true), ...calls] });
  };
  const titles = (page: Page) => page.getByRole("table", { name: "Sessions" }).locator("td.c-title a").allInnerTexts();
  const shows = async (page: Page, expected: number[]) => {
    const wanted = expected.map((n) => `Question ${n}`);
    for (const until = Date.now() + PATIENCE_MS; ; ) {
      const now = (await titles(page)).map((title) => title.slice(0, 10));
      if (JSON.stringify(now) === JSON.stringify(wanted)) return;
      if (Date.now() > until) expect(now).to.deep.equal(wanted);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  };
  return { web, begin, record, shows };
}
