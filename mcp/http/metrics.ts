import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import manifest from "../../package.json" with { type: "json" };
import type { Config } from "../config.ts";
import { readCallCounts } from "../registry/call-tool.ts";
import { HttpError } from "./response.ts";

/** Metrics of one MCP process. */
export interface Metrics {
  /** Counts a request when its response has ended. */
  observe(request: IncomingMessage, response: ServerResponse): void;
  /**
   * Responds to GET /metrics. @throws HttpError 401 if a token is configured and the request contains no token or
   * another token
   */
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** Creates the metrics. No label identifies a client or an organization. */
export function createMetrics({ metricsToken }: Config): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const help = "Running version, in the labels; always 1.";
  const build = new Gauge({ name: "build_info", help, labelNames: ["version", "node"], registers });
  build.set({ version: manifest.version, node: process.version }, 1);
  const duration = new Histogram({
    name: "mcp_request_duration_seconds",
    help: "Time from the headers of a request to the end of its response.",
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 20],
    registers,
  });
  const requests = new Counter({
    name: "mcp_requests_total",
    help: "Number of requests by response status.",
    labelNames: ["status"],
    registers,
  });
  new Counter({
    name: "mcp_tool_calls_total",
    help: "Number of tool calls, by tool and outcome.",
    labelNames: ["tool", "outcome"],
    registers,
    collect() {
      this.reset();
      for (const { tool, outcome, times } of readCallCounts()) this.inc({ tool, outcome }, times);
    },
  });
  return {
    observe(_, response) {
      const begun = performance.now();
      response.once("close", () => {
        duration.observe((performance.now() - begun) / 1000);
        requests.inc({ status: String(response.statusCode) });
      });
    },
    async answer(request, response) {
      if (metricsToken !== undefined && !isBearer(request.headers.authorization ?? "", metricsToken))
        throw new HttpError(401, "Send METRICS_TOKEN as the bearer token.");
      const text = await registry.metrics();
      response.writeHead(200, { "Content-Type": registry.contentType, "Cache-Control": "no-store" }).end(text);
    },
  };
}

/** Compares digests in constant time, so that the duration reveals nothing about the token. */
function isBearer(authorization: string, token: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(authorization), digest(`Bearer ${token}`));
}
