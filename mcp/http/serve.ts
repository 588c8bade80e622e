import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { loadGraphqlClient } from "../api/graphql.ts";
import { createRecorder } from "../capture/recorder.ts";
import { type Config, ConfigError } from "../config.ts";
import { endpoint } from "./endpoint.ts";

const DRAIN_MS = 10_000;
/** The interval at which idle connections are closed meanwhile. */
const SWEEP_MS = 50;
/** Longer than the idle time of usual proxies and clients, so that they close first: a request sent meanwhile would be lost. */
const KEEP_ALIVE_MS = 65_000;

/** Serves POST /mcp until SIGTERM, SIGINT, or the end of the server that started this process. */
export async function serveHttp(config: Config): Promise<void> {
  await loadGraphqlClient();
  const recorder = config.capture ? createRecorder(config.url) : undefined;
  const metrics = config.metrics ? (await import("./metrics.ts")).createMetrics(config) : undefined;
  const leaving = new AbortController();
  const server = createServer(
    { requestTimeout: 30_000, keepAliveTimeout: KEEP_ALIVE_MS },
    endpoint({ config, recorder, metrics, leaving: leaving.signal }),
  );
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const taken = `MCP_PORT ${config.port} is taken on ${config.host}; choose another, or 0`;
      reject(
        error.code === "EADDRINUSE"
          ? new ConfigError(taken)
          : new ConfigError(`MCP_HOST ${config.host}: ${error.message}`),
      );
    });
    server.listen(config.port, config.host, resolve);
  });
  const address = server.address();
  const port = typeof address === "object" ? address?.port : config.port;
  const host = config.host.includes(":") ? `[${config.host}]` : config.host;
  const url = `http://${host}:${port}/mcp`;
  process.stderr.write(`trackway-mcp: MCP over HTTP at ${url}, for Trackway at ${config.url}\n`);
  // The supervisor that started this may pass the address on: only now is the port ours.
  process.send?.({ url });
  const stop = async (delay: number) => {
    leaving.abort();
    await sleep(delay * 1000);
    const deadline = AbortSignal.timeout(DRAIN_MS);
    deadline.addEventListener("abort", () => process.exit(0), { once: true });
    server.close(() => void Promise.resolve(recorder?.close(deadline)).then(() => process.exit(0)));
    setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => stop(config.shutdownDelay));
  // Another server may take its place at once, and needs the port.
  if (process.channel) process.once("disconnect", () => stop(0));
}
