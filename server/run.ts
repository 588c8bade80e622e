import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseOpenError } from "../db/errors/cannot-open.ts";
import { explainFolderError } from "../db/errors/folder.ts";
import { UnavailableError } from "../db/errors/unavailable.ts";
import { explainListenError } from "../formats/local-causes.ts";
import { CannotWrite } from "../system/whole-file.ts";
import { initializeOnFirstStart } from "./admin/first-start.ts";
import { type App, DRAIN_MS, startApp } from "./app.ts";
import { type Config, ConfigError, readConfig } from "./config.ts";
import { startMcpSupervisor } from "./mcp-supervisor.ts";
import { createLog } from "./operations/log.ts";

/**
 * Exit code of a start that fails because of an environment variable, a port or the database. The operator must fix the
 * cause.
 */
const MISCONFIGURED = 2;
/**
 * Time in ms within which a second signal counts as a repetition of the first signal. npm forwards a signal that the
 * terminal has already sent to the server.
 */
const SAME_SIGNAL_MS = 2_000;
/** Interval in ms at which a server started by npm checks that its shell still runs. */
const LOOK_MS = 250;
/** Pause in ms between attempts of the first start while the database is busy, and the maximum number of attempts. */
const [AGAIN_MS, MOST_TRIES] = [1_000, 30];

/** Time of the signal that stops the process, on the monotonic clock in ms. */
let stoppedAt: number | undefined;
/**
 * The first start, which creates the first owner. A stop waits for the first start, because the first start needs the
 * database.
 */
let starting: Promise<string | undefined> = Promise.resolve(undefined);

const config = await orExit(async () => readConfig(process.env));
const log = createLog(config.LOG_LEVEL);
const app = await orExit(() => startApp(config, log));
const supervisor = startMcpSupervisor({ url: app.url, host: config.HOST, port: config.MCP_PORT, log });
stopOnSignal(app, () => supervisor.stop());
log.info({ url: app.url, engine: app.runtime.db.engine }, "Trackway is listening");
starting = whenFree(() => initializeOnFirstStart(app.runtime, app.url, supervisor.address));
const welcome = await orExit(() => starting);
if (welcome) process.stdout.write(`\n${welcome}\n`);

/**
 * Runs one step of the start. On failure, ends the process with one line that names the cause and the cure. Errors
 * after a stop signal are ignored, because a stop closes the database during the step; the next start resumes the work.
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

async function whenFree<T>(work: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof UnavailableError) || tried === MOST_TRIES || stoppedAt !== undefined) throw error;
      await sleep(AGAIN_MS);
    }
  }
}

type SystemError = NodeJS.ErrnoException & { address?: string; hostname?: string; port?: number };

function explain(error: unknown): string | undefined {
  if (error instanceof ConfigError || error instanceof DatabaseOpenError) return error.message;
  if (error instanceof CannotWrite) return `DATA_DIR: ${error.message}`;
  const { code, path, syscall, address, hostname, port } = error as SystemError;
  if (path) {
    const folder = resolve((config as Config).DATA_DIR);
    return path.startsWith(folder) ? `DATA_DIR: ${explainFolderError(folder, error)}` : explainFolderError(path, error);
  }
  const { HOST, OTLP_GRPC_PORT } = config as Config;
  if (syscall !== "listen" && hostname !== HOST) return undefined;
  const portVariable = port !== undefined && port === OTLP_GRPC_PORT ? "OTLP_GRPC_PORT" : "PORT";
  return explainListenError(code ?? "", {
    host: address ?? HOST,
    port: port ?? "",
    hostVariable: "HOST",
    portVariable,
  });
}

function stopOnSignal(running: App, stopMcpSupervisor: () => Promise<void>): void {
  const stop = async (signal: NodeJS.Signals) => {
    if (stoppedAt !== undefined && performance.now() - stoppedAt < SAME_SIGNAL_MS) return;
    if (stoppedAt !== undefined) process.exit(1);
    const since = performance.now();
    stoppedAt = since;
    log.info({ signal }, "stopping");
    const delay = running.runtime.config.SHUTDOWN_DELAY * 1000;
    running.leave();
    // The MCP server has the same delay. Calls in flight of the MCP server need this server, so the MCP server stops
    // first, within the same time limit.
    await Promise.all([sleep(delay), stopMcpSupervisor()]);
    // If the signal arrives during the first start, everything that was created before the signal stays. The next start
    // creates what is missing.
    await Promise.race([starting.catch(() => {}), sleep(DRAIN_MS)]);
    await running.close(Math.max(since + delay + DRAIN_MS - performance.now(), 0));
    log.info("stopped");
    process.exit(0);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.removeAllListeners(signal).on(signal, stop);
  onLostShell(() => {
    if (stoppedAt === undefined) void stop("SIGTERM");
  });
}

/**
 * npm runs the server in a shell. npm's signal kills the shell, and the shell forwards no signal, so the server
 * watches its parent process.
 */
function onLostShell(then: () => void): void {
  if (process.env["npm_lifecycle_event"] !== "start") return;
  const shell = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    then();
  }, LOOK_MS).unref();
}
