import { z } from "zod";
import { InvalidVariableError, readVariables, type VariableKind } from "../formats/environment.ts";
import {
  findUrlErrorMessage,
  InvalidUrlError,
  isDecodable,
  parseSecretUrl,
  parseServerUrl,
} from "../formats/secret-url.ts";
import { explainUnknownVariable } from "../formats/unknown-variable.ts";
import { isHostname, isOrigin } from "../formats/urls.ts";

/** Minimum characters of the secret that signs tokens. */
export const MIN_SECRET_CHARS = 32;

/**
 * Accepts digits only. JavaScript would also convert other input to a number, such as spaces to 0, but such input is a
 * mistake.
 */
const wholeNumber = z.string().trim().regex(/^\d+$/, "takes a whole number").transform(Number).pipe(z.int());

/** A limit. `0` or `off` disables the limit and becomes 0. */
const limit = (fallback: number) =>
  z.preprocess((value) => (value === "off" ? "0" : value), wholeNumber.optional()).default(fallback);

/**
 * A number of days; `0` or `off` disables the setting. The maximum exists because PostgreSQL cannot represent dates
 * before the start of its calendar.
 */
const days = (fallback: number) =>
  limit(fallback).refine((count) => count <= MOST_DAYS, `takes days, ${MOST_DAYS} at most; 0 for no end`);

const onOff = z.enum(["on", "off"]);
const DAY = 86_400_000;
const MIB = 1024 * 1024;
const MOST_DAYS = 99_999;
const UNITS = new Map([
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", DAY],
]);
/** A duration in minutes, hours or days, converted to milliseconds. */
const duration = z
  .string()
  .regex(/^[1-9]\d{0,4}[mhd]$/, "takes a number and m, h or d, such as 6h")
  .transform((text) => Number(text.slice(0, -1)) * (UNITS.get(text.slice(-1)) ?? Number.NaN));
const port = wholeNumber.pipe(z.int().max(65_535, "takes a port, 0 to 65535"));
/** Parses a URL. The error message contains no part of the URL, because the URL may contain a secret. */
const url = (parse: (text: string) => URL) =>
  z.string().superRefine((text, context) => {
    const message = findUrlErrorMessage(() => parse(text));
    if (message) context.addIssue({ code: "custom", message });
  });

const DATABASE = "the address of a database, postgres://user:password@host:port/name";
const postgres = url((text) => parseSecretUrl(text, /^postgres(ql)?:$/, DATABASE));

const list = z.string().transform((text) => text.split(",").map((part) => part.trim()));

/** Origins as browsers send them: scheme, host and any non-default port, without a path. */
const origins = list.refine(
  (all) => (all.length === 1 && all[0] === "*") || all.every(isOrigin),
  "takes origins of pages as browsers send them, such as https://app.example.com, with commas between; or * for any",
);

/** Public URLs of the MCP server. Users paste the URLs into MCP clients. */
const addresses = list.refine(
  (all) => all.every((text) => !findUrlErrorMessage(() => parseServerUrl(text))),
  "takes addresses of MCP, such as https://tracker.example.com/mcp, without user, query and fragment, with commas between",
);

/** Hostnames as in URLs: lower case, without a port. */
const hosts = list.refine(
  (all) => all.every((text) => text === "*" || isHostname(text)),
  "takes names of hosts without a port, such as tracker.example.com, with commas between; or * for any",
);

const MAIL_SERVER = "the address of a mail server, smtps://user:password@host";
const smtp = url((text) => {
  const parsed = parseSecretUrl(text, /^smtps?:$/, MAIL_SERVER);
  if (!/^\/?(\?security=none)?$/.test(parsed.pathname + parsed.search + parsed.hash))
    throw new InvalidUrlError("takes no path, no fragment and no parameter but ?security=none");
  if (!isDecodable(parsed.username + parsed.password))
    throw new InvalidUrlError("a % of the user name or the password must be written as %25");
  return parsed;
});

/**
 * The public URL must not contain a path, because the web app, cookies, OAuth and sockets use the root of their origin
 * (docs/decisions/0078).
 */
const publicUrl = url((text) => {
  const parsed = parseServerUrl(text);
  if (parsed.pathname !== "/")
    throw new InvalidUrlError(
      "takes an address without a path: Trackway is served at the root of a host of its own, such as https://tracker.example.com",
    );
  return parsed;
}).transform((text) => new URL(text).origin);

/** Metadata keys whose values are redacted, or `off` alone. */
const redactedKeys = z
  .string()
  .refine(
    (text) => text === "off" || !text.split(",").some((key) => /^(off)?$/i.test(key.trim())),
    "takes names with commas between, or off alone",
  );

/** Sender of emails on one line: an address, optionally with a name before the address. */
export const MAIL_SENDER_PATTERN =
  /^(?:[^\p{Cc}\p{Cf}<>"@,;:\\]{1,100} <[^\s<>@,;:"]+@[A-Za-z0-9.-]+>|[^\s<>@,;:"]+@[A-Za-z0-9.-]+)$/u;

const sender = z
  .string()
  .trim()
  .regex(MAIL_SENDER_PATTERN, "takes an email address, with a name or without: Trackway <trackway@example.com>");

export const configSchema = z.object({
  PORT: port.default(4000),
  HOST: z.string().min(1).default("127.0.0.1"),
  MCP_PORT: port.default(4100),
  OTLP_GRPC_PORT: port.optional(),
  DATABASE_URL: postgres.optional(),
  DATABASE_DIRECT_URL: postgres.optional(),
  DATABASE_POOL: wholeNumber.pipe(z.int().min(2).max(100)).optional(),
  DATA_DIR: z.string().min(1).default("./data"),
  JWT_SECRET: z
    .string()
    .refine((text) => text.trim().length >= MIN_SECRET_CHARS, `takes at least ${MIN_SECRET_CHARS} characters`)
    .optional(),
  PUBLIC_URL: publicUrl.optional(),
  ALLOWED_HOSTS: hosts.optional(),
  CORS_ORIGINS: origins.default([]),
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
  METRICS: onOff.default("off"),
  METRICS_TOKEN: z
    .string()
    .regex(
      /^[\x21-\x7e][\x20-\x7e]{14,}[\x21-\x7e]$/,
      "takes at least 16 characters of ASCII, without spaces at its ends: it is sent in a header",
    )
    .optional(),
  BACKUP_EVERY: duration.optional(),
  BACKUP_DIR: z.string().min(1).optional(),
  BACKUP_KEEP: duration.optional(),
  JOBS: onOff.default("on"),
  TRACKWAY_BOOTSTRAP: onOff.optional(),
  SIGNUP: z.enum(["open", "invite", "off"]).default("open"),
  TRUST_PROXY: onOff.default("off"),
  SHUTDOWN_DELAY: wholeNumber.pipe(z.int().max(300, "takes seconds, 300 at most")).default(0),
  LOGIN_THROTTLE: z.preprocess((value) => (value === "0" ? "off" : value), onOff).default("on"),
  INGEST_RATE_REQUESTS: limit(100),
  INGEST_RATE_EVENTS: limit(20_000),
  INGEST_MAX_BODY: wholeNumber
    .pipe(
      z
        .int()
        .min(1024)
        .max(500 * MIB, "takes bytes, 500 MiB at most"),
    )
    .default(10 * MIB),
  INGEST_REDACT: redactedKeys.optional(),
  EVENT_RETENTION_DAYS: days(0),
  CHANGE_RETENTION_DAYS: days(90),
  OBSERVATION_DAYS: days(30),
  GRAPHQL_REQUESTS_PER_HOUR: limit(5_000),
  GRAPHQL_COMPLEXITY_PER_HOUR: limit(3_000_000),
  WEBHOOK_ALLOW_PRIVATE: onOff.optional(),
  WEBHOOK_MAX_PENDING: limit(100_000),
  SMTP_URL: smtp.optional(),
  MAIL_FROM: sender.optional(),
  MCP_PUBLIC_URL: addresses.default([]),
  OAUTH: onOff.default("on"),
  OAUTH_REGISTRATION: onOff.optional(),
  OAUTH_CLIENT_DOCUMENTS: onOff.optional(),
  OAUTH_ALLOW_PRIVATE: onOff.default("off"),
});

/** Parsing rules for variables that are not plain words, numbers or lists. */
const KINDS = new Map<string, VariableKind>([
  ...["DATA_DIR", "BACKUP_DIR"].map((name) => [name, "path"] as const),
  ...["DATABASE_URL", "DATABASE_DIRECT_URL", "SMTP_URL"].map((name) => [name, "url"] as const),
  ...["JWT_SECRET", "METRICS_TOKEN", "INGEST_REDACT"].map((name) => [name, "exact"] as const),
]);

const kindOf = (name: string): VariableKind | undefined =>
  KINDS.get(name) ?? (Object.hasOwn(configSchema.shape, name) ? "plain" : undefined);

/** The validated environment. The keys are the names of the variables. */
export type Config = z.infer<typeof configSchema>;

/** An invalid environment. The message is one line that names the variable. */
export class ConfigError extends Error {}

/**
 * Reads the environment. Empty strings count as unset.
 * @throws ConfigError naming the first invalid variable and the accepted values.
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const set = variablesOf(env);
  const result = configSchema.safeParse(set);
  if (!result.success) {
    const issue = result.error.issues[0];
    throw new ConfigError(`${issue?.path.join(".")}: ${issue?.message}`);
  }
  const fault = explainUnknownVariable(set, Object.keys(configSchema.shape)) ?? withoutEffect(result.data);
  if (fault) throw new ConfigError(fault);
  return result.data;
}

function variablesOf(env: NodeJS.ProcessEnv): Record<string, string> {
  try {
    return readVariables(env, kindOf);
  } catch (error) {
    throw error instanceof InvalidVariableError ? new ConfigError(error.message) : error;
  }
}

/**
 * Reports a variable that has no effect because of another variable; the start then fails. Every setting is either
 * applied or refused. Only DATA_DIR is exempt: images and service units set DATA_DIR with either engine.
 */
function withoutEffect(config: Config): string | undefined {
  const { DATABASE_URL, JWT_SECRET, TRACKWAY_BOOTSTRAP } = config;
  if (DATABASE_URL && !JWT_SECRET) {
    return `JWT_SECRET: required with DATABASE_URL, at least ${MIN_SECRET_CHARS} characters (openssl rand -hex 32)`;
  }
  if (DATABASE_URL && TRACKWAY_BOOTSTRAP === "on") {
    return "TRACKWAY_BOOTSTRAP: has no effect with DATABASE_URL; remove TRACKWAY_BOOTSTRAP, and sign up at /settings";
  }
  if (config.METRICS_TOKEN !== undefined && config.METRICS === "off")
    return "METRICS_TOKEN: counts only with METRICS=on; set that too, or leave it out";
  for (const [name, needed] of COUNTS_ONLY_WITH) {
    if (config[name] !== undefined && config[needed] === undefined)
      return `${name}: counts only with ${needed}; set that too, or leave it out`;
  }
  const ofOAuth = (["OAUTH_REGISTRATION", "OAUTH_CLIENT_DOCUMENTS"] as const).find((name) => config[name] === "on");
  if (ofOAuth && config.OAUTH === "off") return `${ofOAuth}: counts only with OAUTH=on; set that too, or leave it out`;
  return onOnePort(config);
}

/** The first variable of each pair has an effect only when the second is set. */
const COUNTS_ONLY_WITH = [
  ["BACKUP_EVERY", "BACKUP_DIR"],
  ["BACKUP_DIR", "BACKUP_EVERY"],
  ["BACKUP_KEEP", "BACKUP_EVERY"],
  ["SMTP_URL", "MAIL_FROM"],
  ["MAIL_FROM", "SMTP_URL"],
  ["DATABASE_DIRECT_URL", "DATABASE_URL"],
  ["DATABASE_POOL", "DATABASE_URL"],
] as const;

/**
 * Returns an error if two parts of the server are configured with the same port. Port 0 is allowed twice, because 0
 * means any free port, or off.
 */
function onOnePort(config: Config): string | undefined {
  const pairs = [
    ["MCP_PORT", "PORT"],
    ["OTLP_GRPC_PORT", "PORT"],
    ["OTLP_GRPC_PORT", "MCP_PORT"],
  ] as const;
  const same = pairs.find(([name, other]) => config[name] === config[other] && config[name] !== 0);
  return same && `${same[0]}: ${config[same[0]]} is the port of ${same[1]} too; choose another ${same[0]}`;
}
