import { z } from "zod";

/** A limit that `0` or `off` disables (0 afterwards). */
const limit = (fallback: number) =>
  z.preprocess((value) => (value === "off" ? 0 : value), z.coerce.number().int().min(0)).default(fallback);

const onOff = z.enum(["on", "off"]);
const port = z.coerce.number().int().min(0).max(65_535);

const environment = z.object({
  PORT: port.default(4000),
  HOST: z.string().min(1).default("127.0.0.1"),
  MCP_PORT: port.default(4100),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  DATABASE_DIRECT_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  DATABASE_POOL: z.coerce.number().int().min(2).max(100).default(10),
  DATA_DIR: z.string().min(1).default("./data"),
  JWT_SECRET: z.string().min(32).optional(),
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
  METRICS: onOff.default("off"),
  TRACKWAY_BOOTSTRAP: onOff.optional(),
  SIGNUP: z.enum(["open", "invite", "off"]).default("open"),
  TRUST_PROXY: onOff.default("off"),
  LOGIN_THROTTLE: z.preprocess((value) => (value === "0" ? "off" : value), onOff).default("on"),
  INGEST_RATE_REQUESTS: limit(100),
  INGEST_RATE_EVENTS: limit(20_000),
  INGEST_MAX_BODY: z.coerce
    .number()
    .int()
    .min(1024)
    .default(10 * 1024 * 1024),
  INGEST_REDACT: z.string().optional(),
  EVENT_RETENTION_DAYS: limit(0),
  CHANGE_RETENTION_DAYS: limit(90),
  GRAPHQL_REQUESTS_PER_HOUR: limit(5_000),
  GRAPHQL_COMPLEXITY_PER_HOUR: limit(3_000_000),
  WEBHOOK_ALLOW_PRIVATE: onOff.optional(),
});

/** The validated environment, under the names it has outside. */
export type Config = z.infer<typeof environment>;

/** An environment the server cannot start with; the message is one line that names the variable. */
export class ConfigError extends Error {}

/**
 * Reads the environment. Empty strings count as unset.
 * @throws ConfigError naming the first bad variable and what it takes.
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  const result = environment.safeParse(set);
  if (!result.success) {
    const issue = result.error.issues[0];
    throw new ConfigError(`${issue?.path.join(".")}: ${issue?.message}`);
  }
  const config = result.data;
  if (config.DATABASE_URL && !config.JWT_SECRET) {
    throw new ConfigError("JWT_SECRET: required with DATABASE_URL, at least 32 characters (openssl rand -hex 32)");
  }
  return config;
}
