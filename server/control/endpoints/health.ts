import { z } from "zod";
import manifest from "../../../package.json" with { type: "json" };
import { route } from "../route.ts";

const version = z.string();
const uptimeSeconds = z.int();

const ready = route({
  method: "get",
  path: "/api/health",
  tag: "Health",
  summary: "Readiness: whether requests can be served, reads and writes alike",
  description:
    "Asks the database. 503 while it does not answer, and while this process is stopping: send traffic elsewhere.",
  access: "public",
  replies: {
    200: z.object({ status: z.literal("ok"), version, database: z.literal("ok"), uptimeSeconds }),
    503: z.object({
      status: z.literal("unavailable"),
      version,
      database: z.enum(["ok", "unavailable"]),
      uptimeSeconds,
    }),
  },
  status: (reply) => (reply.status === "ok" ? 200 : 503),
  async run({ runtime }) {
    const database = (await runtime.db.ping()) ? ("ok" as const) : ("unavailable" as const);
    const common = { version: manifest.version, uptimeSeconds: Math.floor(process.uptime()) };
    if (database === "ok" && !runtime.stopping.aborted) return { status: "ok" as const, database, ...common };
    return { status: "unavailable" as const, database, ...common };
  },
});

const live = route({
  method: "get",
  path: "/api/health/live",
  tag: "Health",
  summary: "Liveness: whether the process runs",
  description: "Asks nothing else: a failing database is no reason to start the process again.",
  access: "public",
  replies: { 200: z.object({ status: z.literal("ok") }) },
  run: async () => ({ status: "ok" as const }),
});

/** Readiness and liveness. */
export const healthRoutes = [ready, live];
