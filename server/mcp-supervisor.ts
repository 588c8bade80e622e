import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Logger } from "pino";

const PROGRAM = fileURLToPath(import.meta.resolve("#mcp"));
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
/** An MCP server that lived so long starts its waits anew. */
const STEADY_MS = 60_000;
/** Its exit code for a configuration it cannot run with, such as a taken port: starting again would not help. */
const MISCONFIGURED = 2;

interface Options {
  /** Where the API listens. */
  url: string;
  host: string;
  /** MCP_PORT; 0 starts nothing. */
  port: number;
  log: Logger;
}

/** The MCP HTTP server that goes with this server. */
export interface McpSupervisor {
  /** Ends it; resolves when it is gone. */
  stop(): Promise<void>;
}

/**
 * Runs the MCP HTTP server as a process of its own, starting it again when it dies, with growing waits. Nothing that
 * happens to it reaches the API; when this process dies, it ends by itself.
 */
export function startMcpSupervisor({ url, host, port, log }: Options): McpSupervisor {
  let child: ChildProcess | undefined;
  let timer: NodeJS.Timeout | undefined;
  let wait = FIRST_WAIT_MS;
  let stopped = port === 0;

  const start = () => {
    const began = Date.now();
    const running = spawn(process.execPath, [PROGRAM, "http"], {
      env: environment(url, host, port),
      // The channel is how it notices that this process is gone.
      stdio: ["ignore", "inherit", "pipe", "ipc"],
    });
    child = running;
    log.info({ child: "mcp", childPid: running.pid }, "starting the MCP server");
    running.stderr?.setEncoding("utf8").on("data", (text: string) => log.info({ child: "mcp" }, text.trim()));
    running.once("error", (error) => log.error({ child: "mcp" }, error.message));
    running.once("exit", (code) => {
      child = undefined;
      if (stopped || code === MISCONFIGURED) return;
      wait = Date.now() - began > STEADY_MS ? FIRST_WAIT_MS : wait;
      log.warn({ child: "mcp", code, wait }, "the MCP server ended; starting it again");
      timer = setTimeout(start, wait);
      wait = Math.min(wait * 2, LONGEST_WAIT_MS);
    });
  };
  if (!stopped) start();

  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      const running = child;
      if (!running) return;
      const gone = new Promise((resolve) => running.once("exit", resolve));
      running.kill("SIGTERM");
      await gone;
    },
  };
}

/** Keys stay out: over HTTP every request brings its own. */
function environment(url: string, host: string, port: number): NodeJS.ProcessEnv {
  const { TRACKER_API_KEY: _, TRACKER_INGEST_KEY: __, DATABASE_URL: ___, JWT_SECRET: ____, ...rest } = process.env;
  return { ...rest, TRACKER_URL: url, MCP_HOST: rest["MCP_HOST"] ?? host, MCP_PORT: String(port) };
}
