import { z } from "zod";
import manifest from "../../../package.json" with { type: "json" };
import { readMetric } from "../../counters.ts";
import { defineRoute } from "../route.ts";

const version = z.string();
const uptimeSeconds = z.int();

/** Only present if the database has several nodes. */
const nodes = z
  .object({ all: z.int(), unavailable: z.array(z.int()) })
  .optional()
  .describe("Only for a database with several nodes: the node count, and the numbers of the nodes that do not respond");

const failingJobs = z
  .array(z.string())
  .describe("Jobs of this process whose last run failed for at least one organization");

/** Returns the names of failing jobs. Job names are constants of the code and never contain an organization's name. */
const findFailingJobs = (): string[] =>
  [...readMetric("job_failing_since_timestamp_seconds")].flatMap(([name, since]) => (since > 0 ? [name] : [])).sort();

export const healthRoutes = [
  defineRoute("get /api/health", "Health", {
    summary: "Readiness: whether the server can serve reads and writes",
    description:
      "Queries the database. Responds with 503 while the database does not respond or this process shuts down. On 503, send traffic to another server. " +
      "Responds with 200 and `database: degraded` while some nodes of the database do not respond. The server then serves the organizations on the other nodes. " +
      "Responds with 200 and the names of failing jobs while jobs fail. The server still serves requests. docs/monitoring.md#job-stopped describes what to do.",
    access: "public",
    replies: {
      200: z.object({
        status: z.literal("ok"),
        version,
        database: z.enum(["ok", "degraded"]),
        uptimeSeconds,
        nodes,
        failingJobs,
      }),
      503: z.object({
        status: z.literal("unavailable"),
        version,
        database: z.enum(["ok", "unavailable"]),
        uptimeSeconds,
      }),
    },
    status: (reply) => (reply.status === "ok" ? 200 : 503),
    async run({ runtime }) {
      const answers = await runtime.db.ping();
      const found = runtime.db.nodes();
      const common = { version: manifest.version, uptimeSeconds: Math.floor(process.uptime()) };
      if (!answers || runtime.leaving.aborted) {
        return {
          status: "unavailable" as const,
          database: answers ? ("ok" as const) : ("unavailable" as const),
          ...common,
        };
      }
      const database = found?.unavailable.length ? ("degraded" as const) : ("ok" as const);
      return {
        status: "ok" as const,
        database,
        ...common,
        ...(found && { nodes: found }),
        failingJobs: findFailingJobs(),
      };
    },
  }),
  defineRoute("get /api/health/live", "Health", {
    summary: "Liveness: whether the process runs",
    description: "Liveness does not check the database, so an outage of the database never restarts the process.",
    access: "public",
    replies: { 200: z.object({ status: z.literal("ok") }) },
    run: async () => ({ status: "ok" as const }),
  }),
];
