import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort } from "../../test/support/db/postgres.ts";
import { spawnServer } from "../../test/support/run/process.ts";
import { SECRET } from "../support/secret.ts";

/** A server in a separate process, with its start time and memory. */
export interface Running {
  address: string;
  /** Seconds from the start until the server was healthy. */
  seconds: number;
  /** Current resident memory, in MB. */
  residentMB(): number;
  stop(): Promise<unknown>;
}

/** Starts a server with this environment, and waits until the server is healthy. */
export async function startMeasured(env: Record<string, string>): Promise<Running> {
  const port = await findFreePort();
  const begun = performance.now();
  const server = spawnServer({
    LOG_LEVEL: "warn",
    GRAPHQL_REQUESTS_PER_HOUR: "off",
    GRAPHQL_COMPLEXITY_PER_HOUR: "off",
    JWT_SECRET: SECRET,
    ...(env["DATABASE_URL"] && { DATABASE_POOL: "2" }),
    PORT: String(port),
    ...env,
  });
  const address = `http://127.0.0.1:${port}`;
  while (!(await fetch(`${address}/api/health`).catch(() => undefined))?.ok) {
    if (server.child.exitCode !== null) throw new Error(`the server ended: ${server.output()}`);
    await sleep(20);
  }
  const seconds = Number(((performance.now() - begun) / 1000).toFixed(2));
  const resident = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.child.pid}/status`, "utf8"))?.[1]) / 1024;
  return { address, seconds, residentMB: () => Math.round(resident()), stop: () => server.stop() };
}
