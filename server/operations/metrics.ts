import type Koa from "koa";
import { collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { passwordsWaiting } from "../auth/password.ts";
import type { Runtime } from "../runtime.ts";
import type { Served } from "./observe.ts";

/** The doors by the start of their paths: the only label a path becomes, so that no caller can make more. */
const DOORS: [string, string][] = [
  ["/api/v1", "ingest"],
  ["/api", "control"],
  ["/settings", "control"],
  ["/graphql", "graphql"],
];
const METHODS = new Set(["GET", "HEAD", "POST", "PATCH", "DELETE", "OPTIONS", "PUT"]);

/** What is measured, and how it is asked for. */
export interface Metrics {
  count(served: Served): void;
  /** Answers GET /metrics in Prometheus' text format. */
  door: Koa.Middleware;
}

/** The metrics of one server; not made unless METRICS=on. */
export function createMetrics({ db }: Runtime): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  addGauges(registry, db);
  const duration = new Histogram({
    name: "http_request_duration_seconds",
    help: "Time from the head of a request to the end of its answer, by door.",
    labelNames: ["door", "method", "status"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
    registers: [registry],
  });
  return {
    count: ({ path, method, status, ms }) =>
      duration.observe({ door: doorOf(path), method: METHODS.has(method) ? method : "other", status }, ms / 1000),
    door: async (ctx, next) => {
      if (ctx.path !== "/metrics" || ctx.method !== "GET") return next();
      ctx.set("Cache-Control", "no-store");
      ctx.type = registry.contentType;
      ctx.body = await registry.metrics();
    },
  };
}

const doorOf = (path: string) =>
  DOORS.find(([start]) => path === start || path.startsWith(`${start}/`))?.[1] ?? "other";

function addGauges(registry: Registry, db: Runtime["db"]): void {
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(value());
      },
    });
  gauge("passwords_waiting", "Passwords that wait to be hashed or checked.", passwordsWaiting);
  gauge("database_connections_used", "Connections of the pool at work.", () => db.load().used);
  gauge("database_connections_free", "Connections of the pool at rest.", () => db.load().free);
  gauge("database_requests_waiting", "Requests that wait for a connection.", () => db.load().waiting);
}
