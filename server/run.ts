import { setTimeout as sleep } from "node:timers/promises";
import { CannotOpen } from "../db/errors/cannot-open.ts";
import { Unavailable } from "../db/errors/unavailable.ts";
import { firstStart } from "./admin/first-start.ts";
import { type App, DRAIN_MS, startApp } from "./app.ts";
import { type Config, ConfigError, readConfig } from "./config.ts";
import { startMcpSupervisor } from "./mcp-supervisor.ts";
import { createLog } from "./operations/log.ts";

/** Exit code for a start that needs the operator: a variable, a port, a database. */
const MISCONFIGURED = 2;
/** npm forwards a signal that the terminal sent already: within this time a second one is the same one. */
const SAME_SIGNAL_MS = 2_000;
/** The interval at which a server that npm started checks that its shell still runs. */
const LOOK_MS = 250;
/** A first start waits so long between two tries, and tries so often, while the database is busy. */
const [AGAIN_MS, MOST_TRIES] = [1_000, 30];

/** The moment of the signal that stops the process, epoch ms. */
let stoppedAt: number | undefined;

const config = await orExit(async () => readConfig(process.env));
const log = createLog(config.LOG_LEVEL);
const app = await orExit(() => startApp(config, log));
const supervisor = startMcpSupervisor({ url: app.url, host: config.HOST, port: config.MCP_PORT, log });
stopOnSignal(app, () => supervisor.stop());
log.info({ url: app.url, engine: app.runtime.db.engine }, "Trackway is listening");
const welcome = await orExit(async () => whenFree(() => firstStart(app.runtime, app.url, supervisor.address)));
if (welcome) process.stdout.write(`\n${welcome}\n`);

/**
 * Ends the process with one line that names the cause and the cure when a part cannot start. Once the process is stopped, a
 * part that fails has lost its database: it is left to the next start.
 */
async function orExit<T>(start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    if (stoppedAt !== undefined) return new Promise<T>(() => {});
    const line = explain(error);
    if (!line) throw error;
    process.stderr.write(`trackway: ${line}\n`);
    process.exit(MISCONFIGURED);
  }
}

/** Tries again while the database is busy. */
async function whenFree<T>(work: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Unavailable) || tried === MOST_TRIES || stoppedAt !== undefined) throw error;
      await sleep(AGAIN_MS);
    }
  }
}

function explain(error: unknown): string | undefined {
  if (error instanceof ConfigError || error instanceof CannotOpen) return error.message;
  const { code, path, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (path) return `DATA_DIR: ${path} cannot be read or written (${code}); free space, or choose another DATA_DIR`;
  const name = port !== undefined && port === (config as Config).OTLP_GRPC_PORT ? "OTLP_GRPC_PORT" : "PORT";
  if (code === "EADDRINUSE")
    return `${name}: ${address}:${port} is taken; stop what listens there or choose another ${name}`;
  if (code === "EACCES" || code === "EPERM")
    return `${name}: not allowed to listen on ${address}:${port}; choose a ${name} above 1023`;
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return `HOST: ${(config as Config).HOST} is no address of this machine`;
  return undefined;
}

function stopOnSignal(running: App, stopMcpSupervisor: () => Promise<void>): void {
  const stop = async (signal: NodeJS.Signals) => {
    if (stoppedAt !== undefined && Date.now() - stoppedAt < SAME_SIGNAL_MS) return;
    if (stoppedAt !== undefined) process.exit(1);
    const since = Date.now();
    stoppedAt = since;
    log.info({ signal }, "stopping");
    const delay = running.runtime.config.SHUTDOWN_DELAY * 1000;
    running.leave();
    // The MCP server has the same delay. Its calls in flight need this server: it goes first, and both share the time to end.
    await Promise.all([sleep(delay), stopMcpSupervisor()]);
    await running.close(Math.max(since + delay + DRAIN_MS - Date.now(), 0));
    log.info("stopped");
    process.exit(0);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.removeAllListeners(signal).on(signal, stop);
  onLostShell(() => {
    if (stoppedAt === undefined) void stop("SIGTERM");
  });
}

/** npm runs us in a shell. The shell dies of npm's signal and passes none on: we lose our parent. */
function onLostShell(then: () => void): void {
  if (process.env["npm_lifecycle_event"] !== "start") return;
  const shell = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    then();
  }, LOOK_MS).unref();
}
