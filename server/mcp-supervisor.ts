import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Logger } from "pino";
import { isLoopback } from "./oauth/issuer.ts";

const PROGRAM = fileURLToPath(import.meta.resolve("#mcp"));
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
/** An MCP server that lived so long starts its waits anew. */
const STEADY_MS = 60_000;
/** The longest wait of a first start for the MCP server's address. */
const ANNOUNCED_MS = 15_000;
/** Its exit code for a configuration it cannot run with, such as a taken port: starting again would not help. */
const MISCONFIGURED = 2;

interface Options {
  /** The address of the API. */
  url: string;
  host: string;
  /** MCP_PORT; 0 starts nothing. */
  port: number;
  log: Logger;
}

/** The MCP HTTP server that goes with this server. */
export interface McpSupervisor {
  /** The address it listens on; undefined when it is turned off, its port is taken, or it keeps failing. */
  address: Promise<string | undefined>;
  /** Ends it; resolves when the process has ended. */
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
  const { address, announce } = announcement();

  const start = () => {
    const began = Date.now();
    const running = spawnMcpServer({ url, host, port, log });
    child = running;
    running.once("message", ({ url: listening }: { url?: string }) => announce(listening));
    running.once("exit", (code) => {
      child = undefined;
      if (code === MISCONFIGURED) announce(undefined);
      if (stopped || code === MISCONFIGURED) return;
      wait = Date.now() - began > STEADY_MS ? FIRST_WAIT_MS : wait;
      log.warn({ child: "mcp", code, wait }, "the MCP server ended; starting it again");
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

/** The first thing that is announced counts; when nothing is, undefined does after a while. */
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
    // Over the channel it reports its address, and notices that this process has ended.
    stdio: ["ignore", "inherit", "pipe", "ipc"],
  });
  log.info({ child: "mcp", childPid: child.pid }, "starting the MCP server");
  child.stderr?.setEncoding("utf8").on("data", (text: string) => log.info({ child: "mcp" }, text.trim()));
  child.once("error", (error) => log.error({ child: "mcp" }, error.message));
  return child;
}

/** Keys stay out: over HTTP every request brings its own. */
function environment(url: string, host: string, port: number): NodeJS.ProcessEnv {
  const { TRACKER_API_KEY: _, TRACKER_INGEST_KEY: __, DATABASE_URL: ___, JWT_SECRET: ____, ...rest } = process.env;
  const MCP_PUBLIC_URL = rest["MCP_PUBLIC_URL"] || besideServer(rest["PUBLIC_URL"]);
  return { ...rest, TRACKER_URL: url, MCP_HOST: rest["MCP_HOST"] ?? host, MCP_PORT: String(port), MCP_PUBLIC_URL };
}

/** The address of MCP where people reach the server by a name: a proxy hands on that name as the Host. */
function besideServer(publicUrl: string | undefined): string | undefined {
  const { hostname, origin } = new URL(publicUrl || "http://localhost");
  return isLoopback(hostname) ? undefined : `${origin}/mcp`;
}
