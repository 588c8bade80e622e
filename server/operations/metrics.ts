import { createHash, timingSafeEqual } from "node:crypto";
import type Koa from "koa";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import manifest from "../../package.json" with { type: "json" };
import { countWaitingPasswordJobs } from "../auth/password.ts";
import { measureCaches } from "../cache.ts";
import { listMetrics, readMetric } from "../counters.ts";
import type { Runtime } from "../runtime.ts";
import type { FinishedRequest } from "./request-log.ts";

/** Maximum number of counted rows, so that a scrape reads only part of a large backlog. */
const MOST = 100_000;
/** Minimum time between two reads, in ms. Several scrapers cost the database no more than one scraper. */
const FRESH_MS = 10_000;

/** Metrics of the whole database, which every server reports alike. Raw SQL: the statement reads all organizations. */
const GAUGES = {
  ingest_fold_lag_seconds: {
    help: `Age of the oldest observation from which the server has not yet built an event, among the first ${MOST} in the table.`,
    sql: `select coalesce(extract(epoch from now() - min(received_at)), 0)
            from (select received_at from recorded_unfolded limit ${MOST}) u`,
  },
  webhook_deliveries_waiting: {
    help: `Deliveries of webhooks that are not made yet, counted up to ${MOST}.`,
    sql: `select count(*) from (select 1 from delivery where status = 'pending' limit ${MOST}) d`,
  },
  webhook_delivery_lag_seconds: {
    help: "Time since the oldest overdue delivery was due.",
    sql: `select coalesce(greatest(extract(epoch from now() - min("nextAttemptAt")), 0), 0)
            from (select "nextAttemptAt" from delivery where status = 'pending' limit ${MOST}) d`,
  },
  webhooks_failing: {
    help: "Webhooks whose last delivery attempt failed.",
    sql: `select count(*) from (select 1 from webhook where "failingSince" is not null limit ${MOST}) w`,
  },
  issue_leases: {
    help: `Issues that somebody holds, counted up to ${MOST}.`,
    sql: `select count(*) from (select 1 from "issueLease" limit ${MOST}) l`,
  },
  issue_lease_overdue_seconds: {
    help: "Time since the oldest overdue check of a lease was due.",
    sql: `select coalesce(greatest(extract(epoch from now() - min("checkAt")), 0), 0) from "issueLease"`,
  },
  database_size_bytes: {
    help: "Size of the database. With tables on several nodes, only the size on the first node.",
    sql: "select pg_database_size(current_database())",
  },
} as const;

type Name = keyof typeof GAUGES;
const NAMES = Object.keys(GAUGES) as Name[];

const TEXT = `select ${NAMES.map((name) => `(${GAUGES[name].sql})::float8 as ${name}`).join(", ")}`;

/**
 * Registers the metrics of the database, which are read at most once in ten seconds. The metrics are absent while the
 * database does not respond.
 */
function databaseGauges({ db, log }: Runtime, registry: Registry): void {
  let readAt = Number.NEGATIVE_INFINITY;
  let values: Promise<Record<Name, number> | undefined> | undefined;
  const read = () =>
    db
      .as("upkeep", () => db.query<Record<Name, number>>({ name: "metrics", text: TEXT, values: [] }))
      .then(
        ([row]) => row,
        (error) => {
          log.warn({ err: error }, "the database's gauges could not be read");
          return undefined;
        },
      );
  const fresh = () => {
    if (performance.now() - readAt < FRESH_MS) return values;
    readAt = performance.now();
    values = read();
    return values;
  };
  for (const name of NAMES) {
    new Gauge({
      name,
      help: GAUGES[name].help,
      registers: [registry],
      async collect() {
        const row = await fresh();
        if (row) this.set(row[name]);
        else this.remove();
      },
    });
  }
}

/**
 * Values of the label `handler`, by the beginning of the path. Other paths share a value, so that callers cannot
 * create new values.
 */
const LABELS: [string, string][] = [
  ["/api/v1", "ingest"],
  ["/v1", "ingest"],
  ["/sdk", "ingest"],
  ["/api/public", "ingest"],
  ["/api", "control"],
  ["/settings", "control"],
  ["/graphql", "graphql"],
];
/** Statuses that are counted separately. The server counts every other status by the first digit of the status. */
const TELLING = new Set([401, 429, 503]);

/**
 * Metrics of Node.js that have one series per V8 heap space. The server does not show the heap space metrics, because
 * no dashboard needs the heap space metrics.
 */
const BY_HEAP_SPACE = ["total", "used", "available"].map((kind) => `nodejs_heap_space_size_${kind}_bytes`);

/** The metrics, and the endpoint that shows them. */
export interface Metrics {
  count(served: FinishedRequest): void;
  /**
   * Handles GET /metrics in Prometheus' text format. If METRICS_TOKEN is set, only requests with this bearer are
   * allowed.
   */
  middleware: Koa.Middleware;
}

/**
 * Creates the metrics of one server, only if METRICS=on. No label identifies an organization or user, and the server
 * shows at most 300 series.
 */
export function createMetrics(runtime: Runtime): Metrics {
  const { db, config } = runtime;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of BY_HEAP_SPACE) registry.removeSingleMetric(name);
  addGauges(registry, db);
  addMeasures(registry);
  databaseGauges(runtime, registry);
  const build = new Gauge({
    name: "build_info",
    help: "Running version, in the labels; always 1.",
    labelNames: ["version", "node", "engine"],
    registers: [registry],
  });
  build.set({ version: manifest.version, node: process.version, engine: db.engine }, 1);
  const duration = new Histogram({
    name: "http_request_duration_seconds",
    help: "Time from the headers of a request to the end of the response, by handler.",
    labelNames: ["handler"],
    buckets: [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
    registers: [registry],
  });
  const requests = new Counter({
    name: "http_requests_total",
    help: "Completed HTTP requests, by handler and status.",
    labelNames: ["handler", "status"],
    registers: [registry],
  });
  return {
    count: ({ path, status, ms }) => {
      const handler = handlerOf(path);
      duration.observe({ handler }, ms / 1000);
      requests.inc({ handler, status: TELLING.has(status) ? `${status}` : `${Math.trunc(status / 100)}xx` });
    },
    middleware: async (ctx, next) => {
      if (ctx.path !== "/metrics" || ctx.method !== "GET") return next();
      ctx.set("Cache-Control", "no-store");
      if (config.METRICS_TOKEN && !isBearer(ctx.get("Authorization"), config.METRICS_TOKEN)) {
        ctx.status = 401;
        ctx.set("WWW-Authenticate", "Bearer");
        ctx.body = { error: "Send METRICS_TOKEN as the bearer token.", code: "unauthorized" };
        return undefined;
      }
      ctx.type = registry.contentType;
      ctx.body = await registry.metrics();
      return undefined;
    },
  };
}

/** Compares digests, so that the duration reveals nothing about the token. */
function isBearer(authorization: string, token: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(authorization), digest(`Bearer ${token}`));
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
  gauge("passwords_waiting", "Passwords waiting to be hashed or checked.", countWaitingPasswordJobs);
  gauge("database_connections_used", "Database connections in use.", () => db.load().used);
  gauge("database_connections_free", "Idle database connections in the pool.", () => db.load().free);
  gauge("database_requests_waiting", "Requests waiting for a database connection.", () => db.load().waiting);
  addCacheGauges(registry);
}

/** Registers the metrics that other parts of the server report. */
function addMeasures(registry: Registry): void {
  for (const { name, help, label, isState } of listMetrics()) {
    const options = { name, help, registers: [registry], ...(label && { labelNames: [label] }) };
    const labels = (value: string) => (label ? { [label]: value } : {});
    if (isState)
      new Gauge({
        ...options,
        collect() {
          for (const [value, state] of readMetric(name)) this.set(labels(value), state);
        },
      });
    else
      new Counter({
        ...options,
        collect() {
          this.reset();
          for (const [value, times] of readMetric(name)) this.inc(labels(value), times);
        },
      });
  }
}

function addCacheGauges(registry: Registry): void {
  const gauge = (name: string, help: string, of: "bytes" | "entries") =>
    new Gauge({
      name,
      help,
      labelNames: ["cache"],
      registers: [registry],
      collect() {
        for (const use of measureCaches()) this.set({ cache: use.name }, use[of]);
      },
    });
  gauge("cache_bytes", "Size of a cache in bytes, as the cache counts it.", "bytes");
  gauge("cache_entries", "Entries of a cache.", "entries");
}
