import type Koa from "koa";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { passwordsWaiting } from "../auth/password.ts";
import { cacheUse } from "../cache.ts";
import { repairs } from "../derived-repairs.ts";
import type { Runtime } from "../runtime.ts";
import type { Served } from "./observe.ts";

/** The label `handler` by the start of the path. A path becomes no other label, so that no caller can make more. */
const LABELS: [string, string][] = [
  ["/api/v1", "ingest"],
  ["/v1", "ingest"],
  ["/api/public/otel", "ingest"],
  ["/api", "control"],
  ["/settings", "control"],
  ["/graphql", "graphql"],
];
const METHODS = new Set(["GET", "HEAD", "POST", "PATCH", "DELETE", "OPTIONS", "PUT"]);

/** The metrics, and the endpoint that shows them. */
export interface Metrics {
  count(served: Served): void;
  /** Answers GET /metrics in Prometheus' text format. */
  middleware: Koa.Middleware;
}

/** The metrics of one server; not made unless METRICS=on. */
export function createMetrics({ db }: Runtime): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  addGauges(registry, db);
  addRepairs(registry);
  const duration = new Histogram({
    name: "http_request_duration_seconds",
    help: "Time from the head of a request to the end of its answer, by handler.",
    labelNames: ["handler", "method", "status"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
    registers: [registry],
  });
  return {
    count: ({ path, method, status, ms }) =>
      duration.observe({ handler: handlerOf(path), method: METHODS.has(method) ? method : "other", status }, ms / 1000),
    middleware: async (ctx, next) => {
      if (ctx.path !== "/metrics" || ctx.method !== "GET") return next();
      ctx.set("Cache-Control", "no-store");
      ctx.type = registry.contentType;
      ctx.body = await registry.metrics();
    },
  };
}

const handlerOf = (path: string) =>
  LABELS.find(([start]) => path === start || path.startsWith(`${start}/`))?.[1] ?? "other";

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
  addCacheGauges(registry);
}

function addRepairs(registry: Registry): void {
  new Counter({
    name: "derived_values_repaired_total",
    help: "Kept values that differed from what they are derived from and were derived anew.",
    labelNames: ["value"],
    registers: [registry],
    collect() {
      this.reset();
      for (const [value, times] of repairs()) this.inc({ value }, times);
    },
  });
}

function addCacheGauges(registry: Registry): void {
  const gauge = (name: string, help: string, of: "bytes" | "entries") =>
    new Gauge({
      name,
      help,
      labelNames: ["cache"],
      registers: [registry],
      collect() {
        for (const use of cacheUse()) this.set({ cache: use.name }, use[of]);
      },
    });
  gauge("cache_bytes", "What a cache holds, by its own count.", "bytes");
  gauge("cache_entries", "Entries of a cache.", "entries");
}
