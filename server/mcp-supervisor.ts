import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Logger } from "pino";
import { isLoopback } from "./oauth/issuer.ts";

const PROGRAM = fileURLToPath(import.meta.resolve("#mcp"));
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
/** Time in ms. If the MCP server ran longer than this time, the wait before the next restart is short again. */
const STEADY_MS = 60_000;
/** Maximum wait for the MCP server's address, in ms. */
const ANNOUNCED_MS = 15_000;
/** Exit code of an MCP server with an unusable configuration, such as a taken port. A restart would not help. */
const MISCONFIGURED = 2;

interface Options {
  /** The address of the API. */
  url: string;
  host: string;
  /** Value of MCP_PORT. With 0, no MCP server is started. */
  port: number;
  log: Logger;
}

export interface McpSupervisor {
  /** The MCP server's address. Undefined when MCP is off, the port is taken, or the MCP server keeps failing. */
  address: Promise<string | undefined>;
  /** Stops the MCP server. Resolves when the process has ended. */
  stop(): Promise<void>;
}

/**
 * Runs the MCP HTTP server as a separate process, and restarts the process after a crash with growing waits. A failure
 * of the MCP server does not affect the API. When the supervising process dies, the MCP server exits.
 */
export function startMcpSupervisor({ url, host, port, log }: Options): McpSupervisor {
  let child: ChildProcess | undefined;
  let timer: NodeJS.Timeout | undefined;
  let wait = FIRST_WAIT_MS;
  let stopped = port === 0;
  const { address, announce } = announcement();

  const start = () => {
    const began = performance.now();
    const running = spawnMcpServer({ url, host, port, log });
    child = running;
    running.once("message", ({ url: listening }: { url?: string }) => announce(listening));
    running.once("exit", (code) => {
      child = undefined;
      if (code === MISCONFIGURED) announce(undefined);
      if (stopped || code === MISCONFIGURED) return;
      wait = performance.now() - began > STEADY_MS ? FIRST_WAIT_MS : wait;
      log.warn({ child: "mcp", code, wait }, "the MCP server exited; restarting the MCP server");
      timer = setTimeout(start, wait);
      wait = Math.min(wait * 2, LONGEST_WAIT_MS);
    });
  };
  if (stopped) announce(undefined);
  else start();

  return {
    address,
    async stop() {
      stopped = true;
      announce(undefined);
      clearTimeout(timer);
      const running = child;
      if (!running) return;
      const gone = new Promise((resolve) => running.once("exit", resolve));
      running.kill("SIGTERM");
      await gone;
    },
  };
}

/** Resolves to the first announced address. Without an announcement, resolves to undefined after `ANNOUNCED_MS`. */
function announcement() {
  let announce: (address: string | undefined) => void = () => {};
  const address = new Promise<string | undefined>((resolve) => {
    announce = resolve;
    setTimeout(resolve, ANNOUNCED_MS, undefined).unref();
  });
  return { address, announce };
}

function spawnMcpServer({ url, host, port, log }: Options): ChildProcess {
  const child = spawn(process.execPath, [PROGRAM, "http"], {
    env: environment(url, host, port),
    // The MCP server reports its address over the IPC channel, and notices through the channel that this
    // process has ended.
    stdio: ["ignore", "inherit", "pipe", "ipc"],
  });
  log.info({ child: "mcp", childPid: child.pid }, "starting the MCP server");
  child.stderr?.setEncoding("utf8").on("data", (text: string) => log.info({ child: "mcp" }, text.trim()));
  child.once("error", (error) => log.error({ child: "mcp" }, error.message));
  return child;
}

/** Passes no keys and secrets to the MCP server: over HTTP, every request brings its own key. */
function environment(url: string, host: string, port: number): NodeJS.ProcessEnv {
  const { TRACKER_API_KEY: _, TRACKER_INGEST_KEY: __, DATABASE_URL: ___, JWT_SECRET: ____, ...rest } = process.env;
  const MCP_PUBLIC_URL = rest["MCP_PUBLIC_URL"] || besideServer(rest["PUBLIC_URL"]);
  return { ...rest, TRACKER_URL: url, MCP_HOST: rest["MCP_HOST"] || host, MCP_PORT: String(port), MCP_PUBLIC_URL };
}

/**
 * Returns the public URL of the MCP server, on the same host as PUBLIC_URL; undefined for a loopback host. A proxy
 * passes the public host name to the MCP server in the Host header.
 */
function besideServer(publicUrl: string | undefined): string | undefined {
  const { hostname, origin } = new URL(publicUrl || "http://localhost");
  return isLoopback(hostname) ? undefined : `${origin}/mcp`;
}
