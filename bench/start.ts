import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Limits of a start: seconds until a healthy response, and resident MB after the server has settled. */
const LIMITS = { emptySeconds: 6, existingSeconds: 3, embeddedMB: 300, postgresqlMB: 150 };
const SETTLE_MS = 3_000;
/** The scripts of `npm start`, including the build. Without changes, the build only compares digests. */
const SCRIPTS: { prestart: string; start: string } = JSON.parse(readFileSync("package.json", "utf8")).scripts;

interface Start {
  start: string;
  seconds: number;
  residentMB: number;
}

/**
 * Measures the start of the server: the time until /api/health returns 200, on an empty and on an existing embedded
 * database, and on PostgreSQL when TEST_DATABASE_URL is set; and the resident memory afterwards. Prints a table and a
 * line of JSON.
 */
export async function benchStart(): Promise<void> {
  const directory = join(mkdtempSync(join(tmpdir(), "trackway-bench-")), "data");
  const rows = [
    await measure("embedded, empty", { DATA_DIR: directory }),
    await measure("embedded, existing", { DATA_DIR: directory }),
  ];
  const url = process.env["TEST_DATABASE_URL"];
  if (url)
    rows.push(await measure("postgresql", { DATABASE_URL: url, JWT_SECRET: "a secret that is long enough to be one" }));
  console.table(rows);
  console.log(JSON.stringify({ bench: "start", limits: LIMITS, rows }));
}

async function measure(start: string, env: Record<string, string>): Promise<Start> {
  const port = await freePort();
  const began = performance.now();
  spawnSync(SCRIPTS.prestart, { shell: true, stdio: "inherit" });
  const [program = "node", ...args] = SCRIPTS.start.split(" ");
  const child = spawn(program, args, {
    env: { ...process.env, MCP_PORT: "0", PORT: String(port), LOG_LEVEL: "silent", ...env },
    stdio: ["ignore", "ignore", "inherit"],
  });
  while (!(await healthy(port))) {
    if (child.exitCode !== null) throw new Error(`the server ended with code ${child.exitCode} before it was healthy`);
    await sleep(10);
  }
  const seconds = Math.round(performance.now() - began) / 1000;
  await sleep(SETTLE_MS);
  const residentMB = residentOf(Number(child.pid));
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await ended;
  return { start, seconds, residentMB };
}

const healthy = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/api/health`).then(
    ({ status }) => status === 200,
    () => false,
  );

function residentOf(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
