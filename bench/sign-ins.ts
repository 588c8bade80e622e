import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { citusUrl, createCitusDatabase, dropCitusDatabase, runDistribute } from "../test/support/db/citus.ts";
import { runSql } from "../test/support/db/postgres.ts";
import { LISTENING_LINE, spawnServer } from "../test/support/run/process.ts";
import { SECRET } from "./support/secret.ts";

const [AT_ONCE, SECONDS] = [[1, 8, 24], 5];
const PASSWORD = "correct horse battery staple";
const KINDS = ["signUps", "signIns", "refreshes"] as const;

/**
 * Measures sign-ups, sign-ins and refreshes per second at several numbers of concurrent requests: on one node as plain
 * PostgreSQL, and on all nodes of Citus. Each refresh uses a different login. Needs TEST_CITUS_URL.
 */
export async function benchSignIns(): Promise<void> {
  if (!citusUrl) throw new Error("TEST_CITUS_URL: .ci/citus with KEEP=1 starts one and says where it is");
  const plainUrl = Object.assign(new URL(citusUrl), { pathname: "/bench_plain" }).href;
  await runSql(citusUrl, "drop database if exists bench_plain with (force)");
  await runSql(citusUrl, "create database bench_plain");
  await measure("plain", plainUrl);
  await runSql(citusUrl, "drop database bench_plain with (force)");
  const spreadUrl = await createCitusDatabase("bench_spread");
  runDistribute(spreadUrl, "--apply");
  await measure("spread", spreadUrl);
  await dropCitusDatabase(spreadUrl);
}

async function measure(engine: string, databaseUrl: string): Promise<void> {
  const server = spawnServer({ DATABASE_URL: databaseUrl, JWT_SECRET: SECRET, LOGIN_THROTTLE: "off", JOBS: "off" });
  const url = (await server.printed(LISTENING_LINE))[1] ?? "";
  const emails = Array.from({ length: Math.max(...AT_ONCE) }, () => `${randomUUID()}@example.com`);
  const tokens: string[] = [];
  for (const email of emails)
    tokens.push(await readToken(`${url}/api/auth/signup`, { email, password: PASSWORD, name: "A" }));
  for (const atOnce of AT_ONCE) {
    const works: Record<(typeof KINDS)[number], (at: number) => Promise<unknown>> = {
      signUps: () =>
        readToken(`${url}/api/auth/signup`, { email: `${randomUUID()}@example.com`, password: PASSWORD, name: "A" }),
      signIns: (at) => readToken(`${url}/api/auth/login`, { email: emails[at], password: PASSWORD }),
      refreshes: async (at) => {
        tokens[at] = await readToken(`${url}/api/auth/refresh`, { refreshToken: tokens[at] });
      },
    };
    for (const kind of KINDS) {
      const { done, failed, p50 } = await repeated(atOnce, works[kind]);
      console.log(JSON.stringify({ bench: "sign-ins", engine, kind, atOnce, perSecond: done / SECONDS, failed, p50 }));
    }
  }
  await server.stop();
}

async function repeated(atOnce: number, work: (at: number) => Promise<unknown>) {
  const until = performance.now() + SECONDS * 1000;
  const times: number[] = [];
  let failed = 0;
  const loop = async (_: unknown, at: number) => {
    while (performance.now() < until) {
      const begun = performance.now();
      try {
        await work(at);
        times.push(performance.now() - begun);
      } catch {
        failed += 1;
        await sleep(100);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, loop));
  const p50 = Math.round(times.sort((one, other) => one - other)[times.length >> 1] ?? 0);
  return { done: times.length, failed, p50 };
}

/** Posts a body and returns the refresh token of the response. @throws Error for a response without a token */
async function readToken(url: string, body: object): Promise<string> {
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  const { refreshToken } = (await answer.json()) as { refreshToken?: string };
  if (!refreshToken) throw new Error(`${url}: ${answer.status}`);
  return refreshToken;
}
