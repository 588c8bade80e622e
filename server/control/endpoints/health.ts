import { z } from "zod";
import manifest from "../../../package.json" with { type: "json" };
import { counted } from "../../counters.ts";
import { route } from "../route.ts";

const version = z.string();
const uptimeSeconds = z.int();

/** Only of a database that lies on several nodes. */
const nodes = z
  .object({ all: z.int(), unavailable: z.array(z.int()) })
  .optional()
  .describe("Of a database on several nodes: how many there are, and the numbers of those that do not answer");

const failingJobs = z
  .array(z.string())
  .describe("Jobs of this process whose last run failed, at least for a part of the organizations");

/** The names of jobs, which are the code's. An organization's name never appears here. */
const findFailingJobs = (): string[] =>
  [...counted("job_failing_since_timestamp_seconds")].flatMap(([name, since]) => (since > 0 ? [name] : [])).sort();

/** Readiness and liveness. */
export const healthRoutes = [
  route("get /api/health", "Health", {
    summary: "Readiness: whether requests can be served, reads and writes alike",
    description:
      "Asks the database. 503 while it does not answer, and while this process is stopping: send traffic elsewhere. " +
      "200 with database degraded while some of its nodes do not answer: organizations on the others are served. " +
      "200 with the names of failing jobs: requests are served, and docs/monitoring.md#job-stopped has the steps.",
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
      const [answers, found] = await Promise.all([runtime.db.ping(), runtime.db.nodes().catch(() => undefined)]);
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
  route("get /api/health/live", "Health", {
    summary: "Liveness: whether the process runs",
    description: "Asks nothing else: a failing database is no reason to start the process again.",
    access: "public",
    replies: { 200: z.object({ status: z.literal("ok") }) },
    run: async () => ({ status: "ok" as const }),
  }),
];
