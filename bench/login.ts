import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApp } from "../server/app.ts";
import { readConfig } from "../server/config.ts";
import { createLog } from "../server/operations/log.ts";

const EACH = 200;
/** Maximum difference between the medians, in percent. */
const LIMIT_PERCENT = 10;

/**
 * Compares the duration of a failed login for an existing user and an unknown user. Alternates between the
 * two, so that both meet the same conditions. Prints the medians in ms and the difference.
 * TEST_DATABASE_URL selects PostgreSQL.
 */
export async function benchLogin(): Promise<void> {
  const app = await startApp(
    readConfig({
      PORT: "0",
      LOGIN_THROTTLE: "off",
      DATA_DIR: mkdtempSync(join(tmpdir(), "trackway-bench-")),
      DATABASE_URL: process.env["TEST_DATABASE_URL"],
      JWT_SECRET: "a secret that is long enough to be one",
    }),
    createLog("silent"),
  );
  const known = { email: `known-${Date.now()}@example.com`, password: "correct horse", name: "Known" };
  await post(`${app.url}/api/auth/signup`, known);
  const times: Record<string, number[]> = { known: [], unknown: [] };
  for (let round = -10; round < EACH; round += 1) {
    for (const [who, email] of [["known", known.email] as const, ["unknown", `nobody-${round}@example.com`] as const]) {
      const began = performance.now();
      await post(`${app.url}/api/auth/login`, { email, password: "battery staple" });
      if (round >= 0) times[who]?.push(performance.now() - began);
    }
  }
  await app.close();
  const [one, other] = [median(times["known"]), median(times["unknown"])];
  const apartPercent = Math.round((Math.abs(one - other) / Math.min(one, other)) * 1000) / 10;
  console.log(
    JSON.stringify({ bench: "login", each: EACH, knownMs: one, unknownMs: other, apartPercent, LIMIT_PERCENT }),
  );
  if (apartPercent > LIMIT_PERCENT) process.exitCode = 1;
}

const post = async (url: string, body: object) =>
  (
    await fetch(url, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) })
  ).text();

const median = (times: number[] = []) => Math.round((times.sort((a, b) => a - b)[times.length >> 1] ?? 0) * 10) / 10;
