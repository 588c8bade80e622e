import { randomUUID } from "node:crypto";
import { mkdtempSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase } from "../db/open.ts";
import { readBackup } from "../server/admin/backup/lines.ts";
import { restoreBackup } from "../server/admin/backup/restore.ts";
import { writeBackup } from "../server/admin/backup-file.ts";
import { type App, startApp } from "../server/app.ts";
import { readConfig } from "../server/config.ts";
import { createLog } from "../server/operations/log.ts";
import { writeFileAtomically } from "../server/whole-file.ts";

const EVENTS = Number(process.env["BENCH_EVENTS"] ?? 100_000);
const JWT_SECRET = "a secret that is long enough to be one";

/**
 * Backs up an embedded database of 100,000 events (BENCH_EVENTS) while the server answers a small request every
 * 50 ms, and restores the backup into a second database. Prints rows per second of both, and the longest wait
 * of a request.
 */
export async function benchBackup(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "trackway-bench-"));
  const app = await startApp(readConfig({ PORT: "0", DATA_DIR: join(folder, "one"), JWT_SECRET }), createLog("silent"));
  await fill(app);
  const file = join(folder, "backup");
  const waits = { longest: 0, failures: 0, over: false };
  const asked = ask(app, waits);
  const [rows, backupMs] = await timed(() =>
    writeFileAtomically(file, (to) => writeBackup(app.runtime.db, app.runtime.secret, to)),
  );
  waits.over = true;
  await asked;
  await app.close();
  const db = await openDatabase({ dataDir: join(folder, "two"), poolSize: 1 });
  const [, restoreMs] = await timed(() => restoreBackup(db, readBackup(file), new TextEncoder().encode(JWT_SECRET)));
  await db.close();
  const perSecond = (ms: number) => Math.round(rows / (ms / 1000));
  console.log(
    JSON.stringify({
      bench: "backup",
      rows,
      megabytes: Math.round(statSync(file).size / 1e5) / 10,
      backupRowsPerSecond: perSecond(backupMs),
      restoreRowsPerSecond: perSecond(restoreMs),
      longestWaitMs: Math.round(waits.longest),
      failures: waits.failures,
    }),
  );
}

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const began = performance.now();
  const result = await work();
  return [result, performance.now() - began];
}

/** Requests the server's health every 50 ms until `over` is set. */
async function ask(app: App, waits: { longest: number; failures: number; over: boolean }): Promise<void> {
  while (!waits.over) {
    const [status, ms] = await timed(async () => (await fetch(`${app.url}/api/health`)).status);
    waits.longest = Math.max(waits.longest, ms);
    if (status !== 200) waits.failures += 1;
    await sleep(50);
  }
}

async function fill(app: App): Promise<void> {
  const send = async (path: string, body: object, headers: Record<string, string>) => {
    const reply = await fetch(app.url + path, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    return (await reply.json()) as Record<string, string>;
  };
  const account = { email: `bench-${randomUUID()}@example.com`, password: "correct horse", name: "Bench" };
  const { accessToken } = await send("/api/auth/signup", account, {});
  const bearer = (token = "") => ({ Authorization: `Bearer ${token}` });
  const made = await send("/api/organization", { name: "Bench", urlKey: `bench-${randomUUID()}` }, bearer(accessToken));
  const { key = "" } = await send("/api/ingest-keys", { name: "bench" }, bearer(made["accessToken"]));
  for (let at = 0; at < EVENTS; at += 500) {
    const session_id = randomUUID();
    const events = Array.from({ length: 500 }, () => ({
      event_id: randomUUID(),
      session_id,
      primitive_name: "tool",
      args: '{"q":"x"}'.repeat(20),
      result: "y".repeat(300),
    }));
    await send("/api/v1/capture-events", { events }, { "x-api-key": key });
  }
}
