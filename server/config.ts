import { z } from "zod";

/** Fewest characters of a secret that tokens are signed with. */
export const LEAST_SECRET = 32;

/** Digits alone: what JavaScript reads besides, such as blanks for 0, is a slip. */
const wholeNumber = z.string().trim().regex(/^\d+$/, "takes a whole number").transform(Number).pipe(z.int());

/** A limit that `0` or `off` disables (0 afterwards). */
const limit = (fallback: number) =>
  z.preprocess((value) => (value === "off" ? "0" : value), wholeNumber.optional()).default(fallback);

const onOff = z.enum(["on", "off"]);
const DAY = 86_400_000;
const UNITS = new Map([
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", DAY],
]);
/** A length of time in minutes, hours or days; milliseconds afterwards. */
const duration = z
  .string()
  .regex(/^[1-9]\d{0,4}[mhd]$/, "takes a number and m, h or d, such as 6h")
  .transform((text) => Number(text.slice(0, -1)) * (UNITS.get(text.slice(-1)) ?? Number.NaN));
const port = wholeNumber.pipe(z.int().max(65_535, "takes a port, 0 to 65535"));
const postgres = z.url({
  protocol: /^postgres(ql)?$/,
  error: "takes the address of a database, postgres://user:password@host:port/name",
});

const list = z.string().transform((text) => text.split(",").map((part) => part.trim()));

/** Origins as browsers send them: scheme and host, the port where it is not the usual one, and no path. */
const origins = list.refine(
  (all) => (all.length === 1 && all[0] === "*") || all.every(isOrigin),
  "takes origins of pages as browsers send them, such as https://app.example.com, with commas between; or * for any",
);

function isOrigin(text: string): boolean {
  return /^https?:\/\/[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** The addresses of MCP as seen from outside: people paste them into their clients. */
const addresses = list.refine(
  (all) => all.every((text) => /^https?:\/\//.test(text) && URL.canParse(text)),
  "takes addresses of MCP, such as https://tracker.example.com/mcp, with commas between",
);

/** Names of hosts as URLs have them: in lower case, without a port. */
const hosts = list.refine(
  (all) =>
    all.every(
      (text) => text === "*" || (URL.canParse(`http://${text}`) && new URL(`http://${text}`).hostname === text),
    ),
  "takes names of hosts without a port, such as tracker.example.com, with commas between; or * for any",
);

const smtp = z
  .url({ protocol: /^smtps?$/, error: "takes the address of a mail server, smtps://user:password@host" })
  .refine(
    (text) => !URL.canParse(text) || /^(\?security=none)?$/.test(new URL(text).search),
    "takes no parameter but ?security=none",
  );

/** The sender of mails: an address, with a name before it or without, in one line. */
export const SENDER =
  /^(?:[^\p{Cc}\p{Cf}<>"@,;:\\]{1,100} <[^\s<>@,;:"]+@[A-Za-z0-9.-]+>|[^\s<>@,;:"]+@[A-Za-z0-9.-]+)$/u;

const sender = z
  .string()
  .trim()
  .regex(SENDER, "takes an e-mail address, with a name or without: Trackway <trackway@example.com>");

/** Every variable that the server reads. */
export const settings = z.object({
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
    .refine((text) => text.trim().length >= LEAST_SECRET, `takes at least ${LEAST_SECRET} characters`)
    .optional(),
  PUBLIC_URL: z.url({ protocol: /^https?$/, error: "takes an http(s) address" }).optional(),
  ALLOWED_HOSTS: hosts.optional(),
  CORS_ORIGINS: origins.default([]),
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
  METRICS: onOff.default("off"),
  METRICS_TOKEN: z.string().min(16, "takes at least 16 characters").optional(),
  BACKUP_EVERY: duration.optional(),
  BACKUP_DIR: z.string().min(1).optional(),
  BACKUP_KEEP: duration.default(14 * DAY),
  JOBS: onOff.default("on"),
  TRACKWAY_BOOTSTRAP: onOff.optional(),
  SIGNUP: z.enum(["open", "invite", "off"]).default("open"),
  TRUST_PROXY: onOff.default("off"),
  SHUTDOWN_DELAY: wholeNumber.pipe(z.int().max(300, "takes seconds, 300 at most")).default(0),
  LOGIN_THROTTLE: z.preprocess((value) => (value === "0" ? "off" : value), onOff).default("on"),
  INGEST_RATE_REQUESTS: limit(100),
  INGEST_RATE_EVENTS: limit(20_000),
  INGEST_MAX_BODY: wholeNumber.pipe(z.int().min(1024)).default(10 * 1024 * 1024),
  INGEST_REDACT: z.string().optional(),
  EVENT_RETENTION_DAYS: limit(0),
  CHANGE_RETENTION_DAYS: limit(90),
  OBSERVATION_DAYS: limit(30),
  GRAPHQL_REQUESTS_PER_HOUR: limit(5_000),
  GRAPHQL_COMPLEXITY_PER_HOUR: limit(3_000_000),
  WEBHOOK_ALLOW_PRIVATE: onOff.optional(),
  WEBHOOK_MAX_PENDING: limit(100_000),
  SMTP_URL: smtp.optional(),
  MAIL_FROM: sender.optional(),
  MCP_PUBLIC_URL: addresses.default([]),
  OAUTH: onOff.default("on"),
  OAUTH_REGISTRATION: onOff.default("on"),
  OAUTH_CLIENT_DOCUMENTS: onOff.optional(),
  OAUTH_ALLOW_PRIVATE: onOff.default("off"),
});

/** The validated environment, under the names it has outside. */
export type Config = z.infer<typeof settings>;

/** An environment the server cannot start with; the message is one line that names the variable. */
export class ConfigError extends Error {}

/**
 * Reads the environment. Empty strings count as unset.
 * @throws ConfigError naming the first bad variable and the values that it takes.
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  const result = settings.safeParse(set);
  if (!result.success) {
    const issue = result.error.issues[0];
    throw new ConfigError(`${issue?.path.join(".")}: ${issue?.message}`);
  }
  const fault = unknownVariable(set) ?? withoutEffect(result.data);
  if (fault) throw new ConfigError(fault);
  return result.data;
}

/** Variables that the command line and the MCP server read: the environment in which they are used can start the server too. */
const OF_OUR_PROGRAMS = [
  ...["URL", "API_KEY", "INGEST_KEY", "PASSWORD", "TEAM", "SESSION"].map((name) => `TRACKWAY_${name}`),
  ...["HOST", "ALLOWED_HOSTS", "ALLOWED_ORIGINS"].map((name) => `MCP_${name}`),
];

/** Variables of other programs that are a letter or two from one of ours. */
const OF_OTHERS = new Set(["LOGLEVEL", "APP_PUBLIC_URL", "DATABASE_SSL"]);

/** Variables that container platforms set for each service beside this one. */
const OF_A_SERVICE = /_(SERVICE_(HOST|PORT)(_\w+)?|PORT(_\d+_(TCP|UDP)(_\w+)?)?)$/;

/** Names of less letters are near to those of other programs. */
const TELLING = 9;
/** In names of less letters a first letter that is another one makes another word. */
const LONG = 12;

/** A variable that nothing reads is a slip where it has our prefix, or looks like one of ours that is not set. */
function unknownVariable(set: NodeJS.ProcessEnv): string | undefined {
  const ours = Object.keys(settings.shape);
  const known = new Set([...ours, ...OF_OUR_PROGRAMS, ...OF_OTHERS]);
  const given = new Map(Object.entries(set));
  const missing = ours.filter((own) => given.get(own) === undefined && own.length >= TELLING && own.includes("_"));
  for (const name of Object.keys(set)) {
    if (known.has(name) || OF_A_SERVICE.test(name)) continue;
    if (/^TRACKWAY_/i.test(name)) return `${name}: there is no such variable; docs/operations.md lists them`;
    const meant = missing.find((own) => isSlipOf(own, name.toUpperCase()));
    if (meant) return `${name}: there is no such variable; is ${meant} meant? docs/operations.md lists them all`;
  }
  return undefined;
}

/** It begins with all of the name, is the beginning of it, or is a letter or two from it. */
function isSlipOf(own: string, name: string): boolean {
  if (name.startsWith(`${own}_`) || (own.startsWith(`${name}_`) && name.includes("_"))) return true;
  return (own.length >= LONG || name[0] === own[0]) && isNear(name, own, 2);
}

/** True when two texts differ by at most so many inserted, removed or replaced letters. */
function isNear(one: string, other: string, most: number): boolean {
  if (Math.abs(one.length - other.length) > most) return false;
  let before = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    for (let at = 1; at <= other.length; at += 1) {
      const replaced = (before[at - 1] ?? 0) + (one[row - 1] === other[at - 1] ? 0 : 1);
      next.push(Math.min(replaced, (before[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    before = next;
  }
  return (before[other.length] ?? most + 1) <= most;
}

/**
 * Names a variable that another one leaves without effect; it stops the start. Every setting is acted on or refused.
 */
function withoutEffect(config: Config): string | undefined {
  const { DATABASE_URL, JWT_SECRET, TRACKWAY_BOOTSTRAP } = config;
  if (DATABASE_URL && !JWT_SECRET) {
    return `JWT_SECRET: required with DATABASE_URL, at least ${LEAST_SECRET} characters (openssl rand -hex 32)`;
  }
  if (DATABASE_URL && TRACKWAY_BOOTSTRAP === "on") {
    return "TRACKWAY_BOOTSTRAP: with DATABASE_URL nothing is created; leave it out, and sign up at /settings";
  }
  if ((config.BACKUP_EVERY === undefined) !== (config.BACKUP_DIR === undefined)) {
    const [set, missing] =
      config.BACKUP_DIR === undefined ? ["BACKUP_EVERY", "BACKUP_DIR"] : ["BACKUP_DIR", "BACKUP_EVERY"];
    return `${set}: counts only with ${missing}; set that too, or leave it out`;
  }
  if (config.METRICS_TOKEN !== undefined && config.METRICS === "off")
    return "METRICS_TOKEN: counts only with METRICS=on; set that too, or leave it out";
  if (Boolean(config.SMTP_URL) !== Boolean(config.MAIL_FROM)) {
    const [set, missing] = config.SMTP_URL ? ["SMTP_URL", "MAIL_FROM"] : ["MAIL_FROM", "SMTP_URL"];
    return `${set}: counts only with ${missing}; set that too, or leave it out`;
  }
  const lonely = (["DATABASE_DIRECT_URL", "DATABASE_POOL"] as const).find((name) => config[name] !== undefined);
  if (lonely && !DATABASE_URL) return `${lonely}: counts only with DATABASE_URL; set that too, or leave it out`;
  return undefined;
}
